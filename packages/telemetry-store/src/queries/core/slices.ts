import type { Window } from './scope.ts';

const SECOND = 1_000_000_000n;
/**
 * Widths from the near end on: much traffic fills a page from minutes, little needs weeks. After a quiet night a whole day
 * at once would be read for what the four hours before it hold.
 */
const WIDTHS = [120n, 3_600n, 14_400n, 86_400n, 2_592_000n].map((seconds) => seconds * SECOND);

/**
 * Cuts a window into slices that grow away from where a list starts. The store finds the newest (or oldest) rows of
 * a slice without looking at the rest of it, but it opens every part that reaches into the slice: of a long window
 * that would be all of them.
 */
export function* slices(window: Window, newestFirst: boolean): Generator<Window> {
  let { from, to } = window;
  for (const width of [...WIDTHS, to]) {
    if (from >= to) return;
    const part = to - from < width ? to - from : width;
    if (newestFirst) {
      yield { from: to - part, to };
      to -= part;
    } else {
      yield { from, to: from + part };
      from += part;
    }
  }
}
