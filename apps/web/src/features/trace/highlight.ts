import { scrollToSee } from '../../lib/scroll-to-see.ts';

const NAME = 'find';
/** Marked places on screen; more would only slow the page down. */
const MOST_RANGES = 300;
const MOST_NODES = 20_000;

/** The marked places by the element they stand in; the browser knows them under one name. */
const marked = new Map<HTMLElement, readonly Range[]>();

function paint(root: HTMLElement, ranges: readonly Range[]): void {
  if (ranges.length === 0) marked.delete(root);
  else marked.set(root, ranges);
  if (marked.size === 0) CSS.highlights.delete(NAME);
  else CSS.highlights.set(NAME, new Highlight(...[...marked.values()].flat()));
}

/**
 * Marks the terms in whatever text stands in the element, until what comes back is called. The first text inside of
 * `within` that holds them all, or else one of them, is brought into sight while `due` says so, once.
 */
export function keepMarked(
  root: HTMLElement,
  terms: readonly string[],
  within: string | undefined,
  due: { current: boolean },
): () => void {
  let frame = 0;
  const mark = () => {
    frame = 0;
    const ranges = rangesOf(root, terms);
    paint(root, ranges);
    if (!due.current || within === undefined) return;
    const places = ranges
      .map((range) => range.startContainer)
      .filter((node) => node.parentElement?.closest(within));
    const holdsAll = (node: Node) =>
      terms.every((term) => node.nodeValue?.toLowerCase().includes(term) === true);
    const place = (places.find(holdsAll) ?? places[0])?.parentElement;
    if (!place) return;
    due.current = false;
    bringIntoSight(place);
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
    paint(root, []);
  };
}

/** Opens what the element is folded away in, and scrolls to it. */
function bringIntoSight(element: Element): void {
  let fold = element.closest('details');
  while (fold) {
    fold.open = true;
    fold = fold.parentElement?.closest('details') ?? null;
  }
  scrollToSee(element, 'middle');
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
