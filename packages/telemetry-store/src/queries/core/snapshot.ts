import type { RequestContext, Signal } from '@candela/kernel';
import { isGone } from '../../client/errors.ts';
import type { StoreSnapshot } from '../../client/types.ts';
import { type ReadStores, storeOf } from './stores.ts';

/** Who asks, and what the store of what they ask for has: all statements of a question are written for it. */
export interface ReadContext extends RequestContext {
  readonly store?: StoreSnapshot;
  /** Rows of other times than `window` are read along, so that its scores are not all. */
  readonly anyScores?: boolean;
}

/**
 * Answers a question about a signal with what its store has at the moment. Where a column turns out to be no more, because another
 * process dropped it, the question is asked once again.
 */
export async function withSnapshot<T>(
  stores: ReadStores,
  context: RequestContext,
  signal: Signal,
  ask: (context: ReadContext) => Promise<T>,
): Promise<T> {
  const asked = async () => {
    const reads = await storeOf(stores, context, signal);
    const store = await reads.snapshot?.();
    return ask(store === undefined ? context : { ...context, store });
  };
  try {
    return await asked();
  } catch (thrown) {
    if (!isGone(thrown)) throw thrown;
    return asked();
  }
}

/** For statements over so few rows that their texts are sooner read than an index of all words is asked. */
export const byTexts = (context: ReadContext): ReadContext =>
  context.store === undefined
    ? context
    : { ...context, store: { ...context.store, indexesWords: () => false, indexesItems: () => false } };
