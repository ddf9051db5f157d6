import { fail } from '@candela/kernel';
import { StoreError } from '../../client/errors.ts';
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
    run: async (scope, sql) => {
      signal?.throwIfAborted();
      try {
        return await store.select(sql, scope.params.values, options);
      } catch (thrown) {
        throw withLimit(thrown, limits);
      }
    },
  };
}

/** ClickHouse's code for more rows than may be read. */
const TOO_MANY_ROWS = 158;

/** The refusal with the limit in its sentence, so that a person knows by how much to narrow the question. */
function withLimit(thrown: unknown, { maxRowsToRead }: QueryLimits): unknown {
  if (!(thrown instanceof StoreError) || thrown.engineCode !== TOO_MANY_ROWS) return thrown;
  return fail(
    'query_too_expensive',
    { resource: `rows (limit ${maxRowsToRead.toLocaleString('en')})` },
    { cause: thrown },
  );
}
