import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { combinationOf } from './key-combination.ts';
import { oneOf, preference } from './preference.ts';

/**
 * The keyboard: one listener, a registry that the sheet of keys (`?`) reads. The latest registration of a combination
 * wins, so that a panel on top answers before the page below.
 */
export interface Hotkey {
  /** `d`, `/`, `?`, `Escape`, `ArrowDown`, or with the platform's command key: `mod+k`. */
  readonly keys: readonly string[];
  readonly label: string;
  readonly group: string;
}

/** Whether keys that write a character work as shortcuts: whoever speaks to the browser says them by chance. */
export const singleKeys = preference('single-keys', 'on', oneOf('on', 'off'));

/** Whether it is a shortcut that somebody can turn off. */
export const isSingleKey = (keys: string): boolean => keys.length === 1;

interface Entry extends Hotkey {
  readonly run: () => void;
}

let entries: readonly Entry[] = [];
const listeners = new Set<() => void>();
const publish = (next: readonly Entry[]) => {
  entries = next;
  for (const listener of listeners) listener();
};

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** What stands above the page and owns the keyboard while it is open. */
const ABOVE = 'dialog:modal, [popover]:popover-open';

const CONTROL = 'a, button, summary, [role=tab], [role=option], [role=menuitemradio]';

/** Keys that scroll what has the focus, and where they do: a list within it that is walked by them has them first. */
const SCROLLING = /^(Arrow(Up|Down)|Home|End)$/;
const SCROLLS = '[role=tabpanel], [data-scrolls]';
const scrolls = (target: EventTarget | null): boolean =>
  target instanceof Element && (target.closest(`[role=grid], ${SCROLLS}`)?.matches(SCROLLS) ?? false);

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const combination = combinationOf(event, isMac());
  if (combination === undefined) return;
  const modified = combination.startsWith('mod+');
  // Of what stands in a shadow root, as the text editor does, an event's own target is only the host.
  const target = event.composedPath()[0] ?? event.target;
  // What stands above the page owns the keyboard; only the command key reaches past it and past a text field.
  if (!modified && (typing(target) || document.querySelector(ABOVE) !== null)) return;
  // A focused control keeps the keys that work it.
  if (event.key === 'Enter' && event.target instanceof Element && event.target.closest(CONTROL)) return;
  if (!modified && SCROLLING.test(event.key) && scrolls(event.target)) return;
  if (isSingleKey(combination) && singleKeys.get() === 'off') return;
  const entry = entries.findLast((candidate) => candidate.keys.includes(combination));
  if (!entry) return;
  event.preventDefault();
  entry.run();
}

/** Registers a shortcut while the component is mounted and `enabled`. */
export function useHotkey(
  keys: string | readonly string[],
  run: () => void,
  about: { label: string; group: string; enabled?: boolean },
): void {
  const { label, group, enabled = true } = about;
  const combinations = typeof keys === 'string' ? keys : keys.join(' ');
  const latest = useEffectEvent(run);
  useEffect(() => {
    if (!enabled) return undefined;
    const entry: Entry = { keys: combinations.split(' '), label, group, run: () => latest() };
    if (entries.length === 0) window.addEventListener('keydown', onKeyDown);
    publish([...entries, entry]);
    return () => {
      publish(entries.filter((candidate) => candidate !== entry));
      if (entries.length === 0) window.removeEventListener('keydown', onKeyDown);
    };
  }, [combinations, label, group, enabled]);
}

/**
 * Whether a list that is walked by keys may take the focus. A control that was clicked before, as the link that led here or
 * the head of a column, would else keep Enter for itself; a text field and what stands above the page keep the focus.
 */
export function mayTakeFocus(): boolean {
  const focused = document.activeElement;
  return (
    !typing(focused) &&
    (focused?.closest('dialog, [role=dialog], [role=menu], [role=listbox]') ?? null) === null
  );
}

/** Every shortcut that works right now. */
export function useHotkeys(): readonly Hotkey[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => entries,
  );
}

export const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform);
