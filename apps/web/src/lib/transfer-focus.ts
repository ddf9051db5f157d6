/**
 * What stands at the same place once the element is gone; at the end of its parent the parent. More than the element may
 * go, so that its place is found from the inside out. What comes in the place of a page begins where every page does.
 */
function placeOf(element: Element): () => HTMLElement | undefined {
  const places: { parent: Element; index: number }[] = [];
  for (let at = element, parent = at.parentElement; parent !== null; at = parent, parent = at.parentElement)
    places.push({ parent, index: parent.id === 'main' ? -1 : [...parent.children].indexOf(at) });
  return () => {
    const place = places.find(({ parent }) => parent.isConnected);
    const next = place?.parent.children[place.index] ?? place?.parent;
    return next instanceof HTMLElement ? next : undefined;
  };
}

function focusOn(next: HTMLElement | null | undefined): void {
  if (!next) return;
  if (next.tabIndex < 0) next.tabIndex = -1;
  next.focus({ preventScroll: true });
}

/** Waits for what was pressed to go: one thing has the focus, so that one is enough. */
let observer: MutationObserver | undefined;
const stop = (): void => observer?.disconnect();

/**
 * Leads on who presses by keyboard what goes away by it; else the keyboard would begin at the top of the page. Call it
 * before the change, with the pressed control or what goes with it. `to` is asked once that is gone; absent or without an
 * answer: what comes in its place.
 */
export function transferFocus(from: Element, to?: () => HTMLElement | null | undefined): void {
  stop();
  const pressed = document.activeElement;
  if (!from.contains(pressed) || pressed?.matches(':focus-visible') !== true) return;
  const place = placeOf(from);
  observer = new MutationObserver(() => {
    if (pressed.isConnected && document.activeElement === pressed) return;
    stop();
    if (document.activeElement === document.body) focusOn(to?.() ?? place());
  });
  observer.observe(document.body, { childList: true, subtree: true });
  // Whoever goes on to something else stays there, though what was pressed goes later or not at all.
  document.addEventListener('focusin', stop);
  document.addEventListener('pointerdown', stop, true);
}

/** What comes in the place of one of several, else the last of them. */
export const inPlace = (items: NodeListOf<HTMLElement> | undefined, at: number): HTMLElement | undefined =>
  items?.[Math.min(at, items.length - 1)];

/**
 * As `ref` of what something else will stand instead of: whoever is in it with the keyboard when it goes is led to what
 * stands there then, as by `transferFocus`, or to what `to` says. Focus that is elsewhere stays there.
 */
export function transfersFocus(
  element: HTMLElement | null,
  to?: () => HTMLElement | null | undefined,
): (() => void) | undefined {
  if (element === null) return undefined;
  return () => {
    if (!element.contains(document.activeElement)) return;
    const place = placeOf(element);
    // What comes is not in the page yet.
    queueMicrotask(() => {
      if (!element.isConnected && document.activeElement === document.body) focusOn(to?.() ?? place());
    });
  };
}
