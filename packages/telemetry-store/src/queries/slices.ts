import type { Window } from './scope.ts';

const SECOND = 1_000_000_000n;
/** Widths from the near end on: much traffic fills a page from seconds, little needs days. */
const WIDTHS = [10n, 120n, 1_800n, 21_600n, 172_800n, 1_209_600n].map((seconds) => seconds * SECOND);

/**
 * Cuts a window into slices that grow away from where a list starts, so that a page of newest (or oldest) rows looks
 * at little when there is much, and at everything in a few statements when there is little.
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
