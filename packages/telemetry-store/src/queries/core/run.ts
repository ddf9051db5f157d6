import { fail } from '@candela/kernel';
import { StoreError } from '../../client/errors.ts';
import type { SelectOptions } from '../../client/types.ts';
import { boundsOf, type QueryKind, type QueryLimits } from './limits.ts';
import type { Scope } from './scope.ts';
import { type ReadStores, signalOfTable, storeOf } from './stores.ts';

export type { QueryLimits } from './limits.ts';

/** Runs statements within the bounds of a read, each in the store that its scope's rows are in. */
export interface Runner {
  run<T>(scope: Scope, sql: string): Promise<T[]>;
  /** Whether the store of a scope reads every key that its statement names from a column, and none from a map. */
  readsColumns(scope: Scope): Promise<boolean>;
}

/** A runner for one request: what its kind may use, and the signal that stops it when the client is gone. */
export function runner(
  stores: ReadStores,
  limits: QueryLimits,
  kind: QueryKind,
  signal?: AbortSignal,
): Runner {
  const bounds = boundsOf(limits, kind);
  const options: SelectOptions = { ...bounds, ...(signal === undefined ? {} : { signal }) };
  const storeOfScope = (scope: Scope) => storeOf(stores, scope.context, signalOfTable(scope.table));
  return {
    readsColumns: async (scope) => {
      const store = await storeOfScope(scope);
      return (await store.readsColumns?.(scope.params.attributes)) ?? false;
    },
    run: async (scope, sql) => {
      signal?.throwIfAborted();
      try {
        const store = await storeOfScope(scope);
        const { values, attributes } = scope.params;
        return await store.select(sql, values, { ...options, attributes });
      } catch (thrown) {
        throw withLimit(thrown, bounds);
      }
    },
  };
}

/** ClickHouse's codes for more rows and more memory than there may be. */
const TOO_MANY_ROWS = 158;
const TOO_MUCH_MEMORY = 241;
/** What the engine says when all of its work together is too much: no bound of the query was crossed. */
const OF_ALL = '(total)';

/** The refusal with the limit in its sentence, so that a person knows by how much to narrow the question. */
function withLimit(thrown: unknown, { maxRowsToRead, maxMemoryBytes }: QueryLimits): unknown {
  if (!(thrown instanceof StoreError)) return thrown;
  const limit = (resource: string) => fail('query_too_expensive', { resource }, { cause: thrown });
  if (thrown.engineCode === TOO_MANY_ROWS) {
    return limit(`rows (limit ${maxRowsToRead.toLocaleString('en')})`);
  }
  const { cause } = thrown;
  if (thrown.engineCode === TOO_MUCH_MEMORY && cause instanceof Error && !cause.message.includes(OF_ALL)) {
    return limit(`memory (limit ${Math.floor(maxMemoryBytes / 1_048_576).toLocaleString('en')} MiB)`);
  }
  return thrown;
}
