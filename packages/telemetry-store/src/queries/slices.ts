import type { Window } from './scope.ts';

const MINUTE = 60_000_000_000n;
/** Keys are sorted by time buckets of this width: a narrower slice would read as much. */
const BUCKET = 10n * MINUTE;
const WIDTHS = [1n, 6n, 36n, 144n, 1_008n];

/**
 * Cuts a window into slices that grow away from where a list starts, so that a page of newest (or oldest) rows looks
 * at little when there is much, and at everything in a few statements when there is little.
 */
export function* slices(window: Window, newestFirst: boolean): Generator<Window> {
  if (newestFirst) {
    let end = window.to;
    for (const width of WIDTHS) {
      if (end <= window.from) return;
      const aligned = ((end - 1n) / BUCKET) * BUCKET - (width - 1n) * BUCKET;
      const from = aligned > window.from ? aligned : window.from;
      yield { from, to: end };
      end = from;
    }
    if (end > window.from) yield { from: window.from, to: end };
    return;
  }
  let start = window.from;
  for (const width of WIDTHS) {
    if (start >= window.to) return;
    const aligned = (start / BUCKET + width) * BUCKET;
    const to = aligned < window.to ? aligned : window.to;
    yield { from: start, to };
    start = to;
  }
  if (start < window.to) yield { from: start, to: window.to };
}
