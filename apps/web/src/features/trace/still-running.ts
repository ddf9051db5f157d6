import type { LightSpan } from '@candela/contract';

/** How often a trace that runs is asked for again. */
export const LOOK_AGAIN_MS = 5_000;
/** After so long without anything new, a span without an end has most likely stopped without saying so. */
const QUIET_MS = 3_600_000;
/** The same of a parent that is not here: what is below it ends more often than that, or it was never to come. */
const ORPHANED_QUIET_MS = 600_000;
/** Larger traces are not read again and again: the first page is small, the second has 5,000 spans. */
const MOST_PAGES = 2;

/**
 * Whether more is to be expected of a trace that is loaded whole: a span has no end, and something began of late; or a
 * parent is missing, and something ended of late. Most SDKs send a span when it ends, so the root comes last.
 */
export function mayGrow(pages: readonly (readonly LightSpan[])[], now: number): boolean {
  if (pages.length > MOST_PAGES) return false;
  const spans = pages.flat();
  const lastMs = spans.reduce(
    (last, span) => Math.max(last, Date.parse(span.startTime) + span.durationMs),
    Number.NEGATIVE_INFINITY,
  );
  if (now - lastMs < QUIET_MS && spans.some((span) => span.unfinished)) return true;
  // A clock that is ahead says nothing of how long it has been quiet.
  if (Math.abs(now - lastMs) >= ORPHANED_QUIET_MS) return false;
  const ids = new Set(spans.map((span) => span.spanId));
  return spans.some(({ parentSpanId }) => parentSpanId !== null && !ids.has(parentSpanId));
}
