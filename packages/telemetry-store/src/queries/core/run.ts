import { askerOf, fail, type RequestContext } from '@candela/kernel';
import { StoreError } from '../../client/errors.ts';
import { floorFilters, type Visible, visibleTo } from './floor.ts';
import { boundsOf, type QueryKind, type QueryLimits } from './limits.ts';
import type { Scope } from './scope.ts';
import { type ReadContext, withSnapshot } from './snapshot.ts';
import type { Source } from './source.ts';
import { type Asking, Turns } from './turns.ts';
import { type ReadStore, type ReadStores, signalOfTable, storeOf } from './stores.ts';

export type { QueryLimits } from './limits.ts';

/** Runs statements within the bounds of a read, each in the store that its scope's rows are in. */
export interface Runner {
  /**
   * `rowBytes`, of a statement for the first rows in an order: what it reads of a row at most. The bound of rows is then
   * kept in bytes. Bound in rows, the engine finds all granules before it reads, and none can be passed by because the
   * rows read by then come before all of its own.
   *
   * `maxRows` and `maxMs`, of a statement that is only worth running over so many and for so long, besides the bounds of
   * reads.
   */
  run<T>(
    scope: Scope,
    sql: string,
    how?: {
      readonly rowBytes?: number;
      readonly maxRows?: number | undefined;
      readonly maxMs?: number | undefined;
    },
  ): Promise<T[]>;
  /** See {@link withSnapshot}: of the store of a source's table. */
  seen<T>(
    context: RequestContext,
    source: Pick<Source, 'table'>,
    ask: (context: ReadContext) => Promise<T>,
  ): Promise<T>;
  /** Users of coding agents that who asks may see; undefined: all. */
  visible(context: RequestContext): Promise<Visible | undefined>;
  /** The store of a scope, to tell it from others. */
  storeOf(scope: Scope): Promise<ReadStore>;
}

const turns = new Turns();

/**
 * So long after a read began its statements may wait for a turn. It may have several, each of which would wait for as long as one may
 * else: whoever asked is told sooner that too many ask. An export goes on for as long as it takes.
 */
const WAIT_BUDGET_MS = 8_000;
/** What each statement may wait all the same: one that takes long must not be refused for the next moment. */
const LEAST_WAIT_MS = 2_000;

const waitLeft = (begunAt: number): number =>
  Math.max(LEAST_WAIT_MS, WAIT_BUDGET_MS - (performance.now() - begunAt));

/** A runner for one request: what its kind may use, and the signal that stops it when the client is gone. */
export function runner(
  stores: ReadStores,
  limits: QueryLimits,
  asking: QueryKind | Asking,
  signal?: AbortSignal,
): Runner {
  const { kind, hurried = false } = typeof asking === 'string' ? { kind: asking } : asking;
  const bounds = boundsOf(limits, kind);
  const options = { ...bounds, ...(signal === undefined ? {} : { signal }) };
  const begunAt = performance.now();
  const storeOfScope = async (scope: Scope) => storeOf(stores, scope.context, signalOfTable(scope.table));
  // A request is of one person and one time range: who may be seen is looked up once.
  let visible: Promise<Visible | undefined> | undefined;
  const visibleIn = (context: Scope['context']) =>
    (visible ??= visibleTo(context, () => storeOf(stores, context, 'traces')));
  return {
    seen: (context, { table }, ask) => withSnapshot(stores, context, signalOfTable(table), ask),
    visible: visibleIn,
    storeOf: storeOfScope,
    run: async (scope, sql, { rowBytes, maxRows = Infinity, maxMs = Infinity } = {}) => {
      signal?.throwIfAborted();
      const timeoutMs = Math.min(bounds.timeoutMs, maxMs);
      const { maxRowsToRead, ...others } = options;
      const bound =
        rowBytes === undefined
          ? { maxRowsToRead: Math.min(maxRowsToRead, maxRows) }
          : { maxBytesToRead: bounds.maxRowsToRead * rowBytes };
      try {
        const store = await storeOfScope(scope);
        const { values, attributes, usesTextIndex } = scope.params;
        const asker = askerOf(scope.context);
        const seen = scope.isMasked ? undefined : await visibleIn(scope.context);
        const floor = seen === undefined ? {} : { filters: floorFilters(sql, seen) };
        return await turns.take({ kind, hurried }, scope.params, (priority) =>
          store.select(sql, values, {
            ...others,
            ...bound,
            ...floor,
            timeoutMs,
            ...(kind === 'export' ? {} : { maxWaitMs: waitLeft(begunAt) }),
            attributes,
            usesTextIndex,
            asker,
            priority,
          }),
        );
      } catch (thrown) {
        throw withLimit(thrown, { ...bounds, timeoutMs });
      }
    },
  };
}

/** ClickHouse's codes for more rows (or bytes of them), more time and more memory than there may be. */
const TOO_MANY_ROWS = new Set([158, 307]);
const TOO_MUCH_TIME = new Set([159, 160]);
const TOO_MUCH_MEMORY = 241;

/** The refusal with the limit in its sentence, so that a person knows by how much to narrow the question. */
function withLimit(thrown: unknown, { maxRowsToRead, timeoutMs, maxMemoryBytes }: QueryLimits): unknown {
  if (!(thrown instanceof StoreError)) return thrown;
  const limit = (resource: string) => fail('query_too_expensive', { resource }, { cause: thrown });
  if (TOO_MANY_ROWS.has(thrown.engineCode)) {
    return limit(`rows (limit ${maxRowsToRead.toLocaleString('en')})`);
  }
  if (TOO_MUCH_TIME.has(thrown.engineCode)) return limit(`time (limit ${timeoutMs / 1_000} s)`);
  if (thrown.code === 'query_too_expensive' && thrown.engineCode === TOO_MUCH_MEMORY) {
    return limit(`memory (limit ${Math.floor(maxMemoryBytes / 1_048_576).toLocaleString('en')} MiB)`);
  }
  return thrown;
}
