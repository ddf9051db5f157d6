import type { ExceptionDetail, ExceptionGroup, ExceptionSort } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { ReadStores } from '../core/stores.ts';
import type { QueryKind } from '../core/limits.ts';
import { type QueryLimits, runner } from '../core/run.ts';
import type { Page, SearchInput } from '../core/page.ts';
import { type ExceptionInput, readException } from './exception.ts';
import { searchExceptions } from './search-exceptions.ts';

/** Reads of exceptions, grouped by type and message. @throws bad_query, not_found, query_too_expensive, store_unavailable */
export interface ExceptionQueries {
  search(
    context: RequestContext,
    input: SearchInput<ExceptionSort>,
    signal?: AbortSignal,
  ): Promise<Page<ExceptionGroup>>;
  /** One group with a page of its occurrences, newest first. */
  group(
    context: RequestContext,
    input: ExceptionInput,
    signal?: AbortSignal,
  ): Promise<{ data: ExceptionDetail; nextCursor: string | null }>;
}

export function createExceptionQueries(stores: ReadStores, limits: QueryLimits): ExceptionQueries {
  const on = (kind: QueryKind, signal: AbortSignal | undefined) => runner(stores, limits, kind, signal);
  return {
    search: (context, input, signal) => searchExceptions(on('list', signal), context, input),
    group: (context, input, signal) => readException(on('lookup', signal), context, input),
  };
}
