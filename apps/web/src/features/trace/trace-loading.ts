/** Spans that are fetched without being asked for: a browser holds more of them only slowly. */
export const SPANS_AT_ONCE = 50_000;

/** What becomes of the pages of a trace that are not here: they come, all are here, one failed, or they wait to be asked for. */
export type Loading = 'more' | 'done' | 'failed' | 'paused';

/** `upTo`: so many spans are wanted. */
export function loadingOf(
  trace: { readonly hasNextPage: boolean; readonly isError: boolean },
  loaded: number,
  upTo: number,
): Loading {
  if (!trace.hasNextPage) return 'done';
  if (trace.isError) return 'failed';
  return loaded < upTo ? 'more' : 'paused';
}
