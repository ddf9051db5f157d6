import { fail } from '@candela/kernel';

/**
 * How much one request may unfold to. A body is bounded, but a few bytes of it can become a row of sixty columns, and
 * one large resource is repeated on every row below it; no honest batch comes near these.
 */
export const MAX_ROWS = 1 << 18;
/** Elements of one array column: events, links, exemplars, buckets. */
export const MAX_ITEMS = 1 << 21;
/** Bytes of one map column that come from repeating a resource or scope. */
export const MAX_REPEATED_BYTES = 128 << 20;
/** Characters of a name (span, service, scope, metric, model, ...); longer ones are cut. */
export const MAX_NAME_LENGTH = 2048;

/** The error of a request that unfolds to more than `limit` of `what`. */
export function unfoldsTooFar(limit: number, what: string): Error {
  return fail('refused', { detail: `The request holds more than ${limit} ${what}. Send smaller batches.` });
}

/** A name within {@link MAX_NAME_LENGTH}, without half a character at its end. */
export function cutName(text: string): string {
  const cut = text.slice(0, MAX_NAME_LENGTH);
  const last = cut.charCodeAt(cut.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? cut.slice(0, -1) : cut;
}
