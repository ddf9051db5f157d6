import type { Filter } from '@candela/contract';
import { silentLogger } from '@candela/kernel';
import type { TelemetryStore } from '../client/types.ts';
import { eventually } from '../conformance/harness.ts';
import type { Window } from '../queries/core/scope.ts';
import type { ReadStore } from '../queries/core/stores.ts';
import { contextOf, LIMITS } from '../queries/core/testing.ts';
import { createTelemetryQueries } from '../queries/index.ts';
import { AttributeColumns } from './keeper.ts';
import { COLUMN_TUNING, type ColumnTuning } from './tuning.ts';

const TARGET = { database: 'candela', cluster: undefined, storage: 'embedded' } as const;
/** Decides at once; rounds are made by the tests. */
const EAGER: ColumnTuning = {
  ...COLUMN_TUNING,
  minScore: 1,
  pauseSeconds: 0,
  hourly: 1_000,
  coolSeconds: 0,
  slowMs: 0,
  roundMs: 3_600_000,
  soonMs: 3_600_000,
};
export interface ReadingProcess {
  readonly keeper: AttributeColumns;
  readonly queries: ReturnType<typeof createTelemetryQueries>;
  /** What the engine was asked by reads. */
  readonly asked: string[];
}

export const CUT = 'this process ended';

/** A process of the platform: it reads by its own keeper. @param passed statements after which it ends */
export function readingProcess(
  store: TelemetryStore,
  tuning: Partial<ColumnTuning> = {},
  passed = Number.POSITIVE_INFINITY,
): ReadingProcess {
  const asked: string[] = [];
  let commands = 0;
  const keeper = new AttributeColumns({
    store: {
      select: (...asks) => store.select(...asks),
      command: (...asks) => {
        if (commands >= passed) throw new Error(CUT);
        commands += 1;
        return store.command(...asks);
      },
    },
    target: TARGET,
    tuning: { ...EAGER, ...tuning },
    logger: silentLogger,
  });
  const reads: ReadStore = {
    select: (sql, params, { attributes = [], ...options } = {}) =>
      keeper.counting(attributes, () => {
        asked.push(sql);
        return store.select(sql, params, options);
      }),
    snapshot: async () => ({
      columnOf: await keeper.columns(),
      indexesWords: () => false,
      indexesItems: () => false,
    }),
  };
  return { keeper, queries: createTelemetryQueries(reads, LIMITS), asked };
}

/** Charts by a key, over time and of the spans that fulfil conditions on it, each with what was asked. */
export async function chartsBy(
  queries: ReadingProcess['queries'],
  of: { key: string; conditions: (field: string) => readonly Filter[]; window: Window },
): Promise<unknown[]> {
  const field = `attributes.${of.key}`;
  const found: unknown[] = [];
  for (const filter of [undefined, ...of.conditions(field)]) {
    const { rows } = await queries.aggregate(contextOf(), {
      window: of.window,
      filter,
      groupBy: [field],
      measures: ['count', 'duration_p95'],
      bucketSeconds: filter === undefined ? 3_600 : undefined,
      limit: 20,
    });
    found.push([of.key, filter ?? null, rows]);
  }
  return found;
}

/** The last hour and a little more than now. */
export const window = (): Window => ({
  from: BigInt(Date.now() - 3_600_000) * 1_000_000n,
  to: BigInt(Date.now() + 60_000) * 1_000_000n,
});

/** The same from the maps alone. */
export function fromMaps(store: TelemetryStore): Pick<ReadingProcess, 'queries'> {
  const reads: ReadStore = {
    select: (sql, params, options = {}) => store.select(sql, params, { ...options, attributes: [] }),
  };
  return { queries: createTelemetryQueries(reads, LIMITS) };
}

/** Until nothing is done in the background, and the keeper knows: it looked when nothing was, and began nothing. */
export const settledIn = (store: TelemetryStore, keeper: AttributeColumns) =>
  eventually(
    'the engine has done its work',
    async () => {
      const work = async () =>
        (
          await store.select<{ left: number; all: number }>(
            'SELECT countIf(NOT is_done) AS left, count() AS all FROM system.mutations',
          )
        )[0];
      const before = await work();
      await keeper.tend();
      const after = await work();
      return before?.left === 0 && after?.all === before.all;
    },
    60_000,
  );
