/** What stands at the same place of the same parent; at its end the parent. */
function afterwards(from: Element): () => HTMLElement | null {
  const parent = from.parentElement;
  const at = parent === null ? -1 : [...parent.children].indexOf(from);
  return () => (parent?.children[at] as HTMLElement | undefined) ?? parent;
}

/**
 * Leads on who presses by keyboard what goes away by it; else the keyboard would begin at the top of the page. Call it
 * before the change, with the pressed control or what goes with it. `to` is asked once that is gone; absent: what comes
 * in its place.
 */
export function leadOn(from: Element, to: () => HTMLElement | null | undefined = afterwards(from)): void {
  const pressed = document.activeElement;
  if (!from.contains(pressed) || pressed?.matches(':focus-visible') !== true) return;
  const observer = new MutationObserver(() => {
    if (pressed.isConnected && document.activeElement === pressed) return;
    observer.disconnect();
    // Whoever has gone on to something else stays there.
    if (document.activeElement !== document.body) return;
    const next = to();
    if (!next) return;
    if (next.tabIndex < 0) next.tabIndex = -1;
    next.focus({ preventScroll: true });
  });
  observer.observe(document.body, { childList: true, subtree: true });
}

/** What comes in the place of one of several, else the last of them. */
export const inPlace = (items: NodeListOf<HTMLElement> | undefined, at: number): HTMLElement | undefined =>
  items?.[Math.min(at, items.length - 1)];
