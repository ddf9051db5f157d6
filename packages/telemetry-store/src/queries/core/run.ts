import type { SelectOptions, TelemetryStore } from '../../client/store.ts';
import type { Scope } from './scope.ts';

export interface QueryLimits {
  readonly timeoutMs: number;
  readonly maxRowsToRead: number;
  readonly maxMemoryBytes: number;
}

/** Runs statements within the bounds of a read. */
export interface Runner {
  run<T>(scope: Scope, sql: string): Promise<T[]>;
}

/** A runner for one request: what it may use, and the signal that stops it when the client is gone. */
export function runner(
  store: Pick<TelemetryStore, 'select'>,
  limits: QueryLimits,
  signal?: AbortSignal,
): Runner {
  const options: SelectOptions = { ...limits, ...(signal === undefined ? {} : { signal }) };
  return {
    run: (scope, sql) => {
      signal?.throwIfAborted();
      return store.select(sql, scope.params.values, options);
    },
  };
}
