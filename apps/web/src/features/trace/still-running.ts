import type { LightSpan } from '@candela/contract';

/** How often a trace that runs is asked for again. */
export const LOOK_AGAIN_MS = 5_000;
/** After so long without anything new, a span without an end has most likely stopped without saying so. */
const QUIET_MS = 3_600_000;
/** Larger traces are not read again and again: the first page is small, the second has 5,000 spans. */
const MOST_PAGES = 2;

/** Whether more is to be expected of a trace that is loaded whole: a span has no end, and something began of late. */
export function mayGrow(pages: readonly (readonly LightSpan[])[], now: number): boolean {
  if (pages.length > MOST_PAGES) return false;
  const spans = pages.flat();
  return (
    spans.some((span) => span.unfinished) &&
    spans.some((span) => now - Date.parse(span.startTime) - span.durationMs < QUIET_MS)
  );
}
