/** Room left above what is brought to the top. */
const ABOVE_PX = 12;

/**
 * Scrolls the nearest box that scrolls until the element's beginning is in sight, and nothing else: `scrollIntoView`
 * moves every box around it, the page too. With `fits`, it stays where so many pixels of it are in sight already.
 */
export function scrollToSee(element: Element, at: 'top' | 'middle', fits = element.clientHeight): void {
  let box = element.parentElement;
  while (box && !(box.scrollHeight > box.clientHeight && /auto|scroll/.test(getComputedStyle(box).overflowY)))
    box = box.parentElement;
  if (!box) return;
  const [edge, own] = [box.getBoundingClientRect(), element.getBoundingClientRect()];
  if (own.top >= edge.top && own.top + Math.min(own.height, fits) <= edge.bottom) return;
  box.scrollTop += own.top - edge.top - (at === 'top' ? ABOVE_PX : edge.height / 2);
}
