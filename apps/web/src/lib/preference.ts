import { useSyncExternalStore } from 'react';

/** A choice of this person on this machine, not of a page: it lives in local storage, everything else in the URL. */
export interface Preference<T extends string> {
  get(): T;
  set(value: T): void;
  use(): T;
}

/** Text preference with a fallback; `accept` keeps out whatever else may stand in storage. */
export function preference<T extends string>(
  name: string,
  fallback: T,
  accept: (text: string) => text is T,
): Preference<T> {
  const key = `candela.${name}`;
  const listeners = new Set<() => void>();
  let current = read();

  function read(): T {
    try {
      const text = localStorage.getItem(key) ?? '';
      return accept(text) ? text : fallback;
    } catch {
      return fallback;
    }
  }
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const get = () => current;
  return {
    get,
    set(value) {
      current = value;
      try {
        localStorage.setItem(key, value);
      } catch {
        // Kept for this page only.
      }
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, get),
  };
}

/** Accepts exactly the texts given. */
export const oneOf =
  <T extends string>(...texts: readonly T[]) =>
  (text: string): text is T =>
    (texts as readonly string[]).includes(text);
