import { CandelaError } from '@candela/kernel';
import { RollupError, UnsureInsertError } from '../../client/errors.ts';

/**
 * What to do after a failed insert. `retry`: it will pass. `data`: the rows are at fault and will be at the next try
 * as well. `unclear`: tried a few times more, then treated as `data`, so that nothing can block the log for ever.
 */
export type FailureKind = 'retry' | 'data' | 'unclear';

/** ClickHouse codes that say the bytes are bad: unreadable or mismatching columns, values out of range, sizes that disagree. */
const DATA_CODES = new Set([
  6, 8, 9, 16, 20, 25, 26, 27, 32, 33, 34, 36, 38, 41, 50, 53, 69, 70, 72, 117, 128, 130, 131, 190, 271, 321,
  349, 432, 457, 467, 637, 691,
]);

/** Codes that say the store is not as it should be (a table or a right is missing): no row is to blame. */
const STORE_CODES = new Set([60, 73, 74, 75, 76, 81, 107, 164, 192, 193, 194, 499, 497]);

/** True when the rows may be in the store and something of them is not: other tokens would store them twice. */
export const isStored = (thrown: unknown): boolean =>
  thrown instanceof RollupError || thrown instanceof UnsureInsertError;

/** Classifies what `insertNative` threw. */
export function classifyFailure(thrown: unknown): FailureKind {
  if (thrown instanceof CandelaError && thrown.retryable) return 'retry';
  const code = engineCode(thrown);
  if (typeof code !== 'number' || STORE_CODES.has(code)) return 'retry';
  return DATA_CODES.has(code) ? 'data' : 'unclear';
}

/** True when the store lacked the memory for the insert: it passes, unless the group is what is too large. */
export function lacksMemory(thrown: unknown): boolean {
  return engineCode(thrown) === 241;
}

function engineCode(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'engineCode') : undefined;
}
