import type { LogDetail, LogRow, LogSort } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { withSnapshot } from '../core/snapshot.ts';
import type { ReadStores } from '../core/stores.ts';
import type { QueryKind } from '../core/limits.ts';
import { type QueryLimits, runner } from '../core/run.ts';
import type { Page, SearchInput } from '../core/page.ts';
import { type LogContext, readLogContext } from './log-context.ts';
import { readLog } from './log.ts';
import { searchLogs } from './search-logs.ts';

export type { LogContext } from './log-context.ts';

/** Reads of log records. @throws bad_query, not_found, query_too_expensive, store_unavailable */
export interface LogQueries {
  search(context: RequestContext, input: SearchInput<LogSort>, signal?: AbortSignal): Promise<Page<LogRow>>;
  log(context: RequestContext, id: string, signal?: AbortSignal): Promise<LogDetail>;
  /** Lines before and after a record, each at most as many as asked for. */
  around(
    context: RequestContext,
    input: { id: string; before: number; after: number },
    signal?: AbortSignal,
  ): Promise<LogContext>;
}

export function createLogQueries(stores: ReadStores, limits: QueryLimits): LogQueries {
  const on = (kind: QueryKind, signal: AbortSignal | undefined) => runner(stores, limits, kind, signal);
  return {
    search: (context, input, signal) =>
      withSnapshot(stores, context, 'logs', (seen) =>
        searchLogs(
          runner(stores, limits, { kind: 'list', hurried: input.patienceMs !== undefined }, signal),
          seen,
          input,
        ),
      ),
    log: (context, id, signal) => readLog(on('lookup', signal), context, id),
    around: (context, input, signal) => readLogContext(on('lookup', signal), context, input),
  };
}
