import { useState } from 'react';
import { ApiError } from '../api/client.ts';
import { isBusy } from '../api/retry.ts';

/** What is read of a query's result. */
interface Asked<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly isError: boolean;
  readonly isPlaceholderData: boolean;
  /** Of what is read page by page: that a further page failed says nothing of those that are there. */
  readonly isFetchNextPageError?: boolean;
  refetch(options?: { cancelRefetch?: boolean }): unknown;
}

/** What became of what was chosen. */
interface Last<Data> {
  readonly chosen: string;
  /** The newest answer; undefined: none came. */
  readonly data: Data | undefined;
  /** Why there is none, or no newer one; null: nothing failed since. */
  readonly missed: unknown;
}

export interface StaleData<Data> {
  /** What the page shows; undefined: nothing yet, or nothing at all, for the reason of `error`. */
  readonly data: Data | undefined;
  readonly isPending: boolean;
  readonly error: unknown;
  /** It is of what was chosen before, and dimmed until the answer is there. */
  readonly isOld: boolean;
  /** Why it is not the newest; null: nothing failed. */
  readonly missed: unknown;
  readonly refetch: () => void;
}

/** The server knows the question and says no: what it answered before is no answer any more. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && !isBusy(error);

/** What became of what is chosen, after the query has changed. */
export function lastAnswer<Data>(
  before: Last<Data> | undefined,
  query: Omit<Asked<Data>, 'refetch'>,
  chosen: string,
): Last<Data> | undefined {
  const own = query.isPlaceholderData ? undefined : query.data;
  const failed = query.isError && query.isFetchNextPageError !== true;
  // Under way: what was known stands.
  if (own === undefined && !failed) return before;
  const known = before?.chosen === chosen ? before : undefined;
  const data = own ?? (isRefusal(query.error) ? undefined : known?.data);
  const missed = failed ? query.error : null;
  return known?.data === data && known?.missed === missed ? known : { chosen, data, missed };
}

/**
 * What a page shows of a query that keeps its data while it is asked anew. A page that moves on with time asks another
 * question each time: when that one has no answer, the one before stands.
 * @param chosen what somebody chose: with another choice, what stands until the answer is there is old
 */
export function useStaleData<Data>(query: Asked<Data>, chosen: string): StaleData<Data> {
  const [before, setBefore] = useState<Last<Data>>();
  const last = lastAnswer(before, query, chosen);
  if (last !== before) setBefore(last);
  const known = last?.chosen === chosen ? last : undefined;
  const data = known === undefined ? query.data : known.data;
  const missed = known?.missed ?? null;
  return {
    data,
    isPending: data === undefined && missed === null,
    error: data === undefined ? missed : null,
    isOld: known === undefined && data !== undefined,
    missed: data === undefined ? null : missed,
    refetch: () => void query.refetch({ cancelRefetch: false }),
  };
}
