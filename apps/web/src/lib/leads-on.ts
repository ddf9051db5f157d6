/**
 * As `ref` of what something else will stand instead of: whoever is in it with the keyboard when it goes is led to what
 * stands there then; else the keyboard would begin at the top of the page. Focus that is elsewhere stays there.
 */
export function leadsOn(element: HTMLElement | null): (() => void) | undefined {
  if (element === null) return undefined;
  return () => {
    if (!element.contains(document.activeElement)) return;
    const places = placesOf(element);
    // What comes is not in the page yet.
    queueMicrotask(() => {
      if (element.isConnected || document.activeElement !== document.body) return;
      const place = places.find(({ parent }) => parent.isConnected);
      const next = place?.parent.children[place.index] ?? place?.parent;
      if (!(next instanceof HTMLElement)) return;
      if (next.tabIndex < 0) next.tabIndex = -1;
      next.focus({ preventScroll: true });
    });
  };
}

/** Where the element stands, and where what it is in does, from the inside out: more than itself may go. */
function placesOf(element: Element): { parent: Element; index: number }[] {
  const places = [];
  for (let at = element, parent = at.parentElement; parent !== null; at = parent, parent = at.parentElement)
    places.push({ parent, index: [...parent.children].indexOf(at) });
  return places;
}
