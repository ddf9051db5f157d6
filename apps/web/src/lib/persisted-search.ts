import { useEffect } from 'react';

/**
 * What a list was left with in this tab, so that the way back from one of its rows leads to the same rows. Only the
 * list's own part is kept: time range and environment are the header's and may move on.
 */
export interface PersistedSearch<T> {
  keep(search: T): void;
  /** `{}` for a list that was not open yet. */
  last(): T;
}

export function persistedSearch<T extends object>(
  validate: (raw: Record<string, unknown>) => T,
): PersistedSearch<T> {
  let last = validate({});
  return {
    keep(search) {
      last = validate(Object.fromEntries(Object.entries(search)));
    },
    last: () => last,
  };
}

/** Keeps the search of the list that is open. */
export function usePersistedSearch<T>(kept: PersistedSearch<T>, search: T): void {
  useEffect(() => kept.keep(search), [kept, search]);
}
