import { type RefObject, useEffect } from 'react';

const NAME = 'find';
/** Marked places on screen; more would only slow the page down. */
const MOST_RANGES = 300;
const MOST_NODES = 20_000;

/**
 * Marks the terms in whatever text stands in the element, also in what comes later, without touching the document: the
 * browser paints the ranges. Does nothing in a browser that cannot.
 */
export function useHighlight(element: RefObject<HTMLElement | null>, terms: readonly string[]): void {
  const wanted = terms.join('\n');
  useEffect(() => {
    const root = element.current;
    if (root === null || wanted === '' || !('highlights' in CSS)) return undefined;
    let frame = 0;
    const mark = () => {
      frame = 0;
      CSS.highlights.set(NAME, new Highlight(...rangesOf(root, wanted.split('\n'))));
    };
    const later = () => {
      if (frame === 0) frame = requestAnimationFrame(mark);
    };
    const observer = new MutationObserver(later);
    observer.observe(root, { childList: true, subtree: true, characterData: true });
    mark();
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete(NAME);
    };
  }, [element, wanted]);
}

function rangesOf(root: HTMLElement, terms: readonly string[]): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let seen = 0; seen < MOST_NODES && ranges.length < MOST_RANGES; seen += 1) {
    const node = walker.nextNode();
    if (node === null) break;
    const text = node.nodeValue?.toLowerCase() ?? '';
    // Some letters grow when they turn small; then the places do not fit any more.
    if (text.length !== node.nodeValue?.length) continue;
    for (const term of terms) {
      for (let at = text.indexOf(term); at !== -1; at = text.indexOf(term, at + term.length)) {
        if (ranges.length >= MOST_RANGES) return ranges;
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + term.length);
        ranges.push(range);
      }
    }
  }
  return ranges;
}
