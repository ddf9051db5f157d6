/** Spans that are fetched without being asked for: a browser holds more of them only slowly. */
export const SPANS_AT_ONCE = 50_000;

/** What becomes of the pages of a trace that are not here: they come, all are here, one failed, or they wait to be asked for. */
export type Loading = 'more' | 'done' | 'failed' | 'paused';

/** @param upTo so many spans are wanted @param isSeeking a span is asked for that is not among those loaded */
export function loadingOf(
  trace: { readonly hasNextPage: boolean; readonly isError: boolean },
  loaded: number,
  upTo: number,
  isSeeking: boolean,
): Loading {
  if (!trace.hasNextPage) return 'done';
  if (trace.isError) return 'failed';
  return loaded < upTo || isSeeking ? 'more' : 'paused';
}

/** How many spans failed: until all are here the trace knows better than those that are. */
export const failuresOf = (loading: Loading, here: number, ofTrace: number): number =>
  loading === 'done' ? here : Math.max(here, ofTrace);
