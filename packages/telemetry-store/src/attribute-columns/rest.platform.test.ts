import type { Filter } from '@candela/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../conformance/harness.ts';
import { contextOf, openQueryBench, type QueryBench } from '../queries/core/testing.ts';
import {
  chartsBy,
  CUT,
  fromMaps,
  type ReadingProcess,
  readingProcess,
  settledIn,
  window,
} from './testing.ts';
import { columnsOf } from './rest.ts';
import type { ColumnTuning } from './tuning.ts';

const HOSTILE = `it's "quoted" \`\${x}\` {p0:String}; --\n\t\0\\ \\' é 😀`;
const WIDE_HOSTILE = `w\uFFFD${HOSTILE}`;
/** The same key, as the engine is told it. */
const ILL_FORMED = WIDE_HOSTILE.replace('\uFFFD', '\uD800');
const LONG = 'k'.repeat(70);
const LATER = 'own.later';
const context = contextOf();

let bench: QueryBench;
beforeEach(async () => {
  bench = await openQueryBench();
  // As large tables are stored.
  await bench.store.command('ALTER TABLE otel_traces MODIFY SETTING min_bytes_for_wide_part = 1');
});
afterEach(() => bench.close());

/** Keys of {@link insert} that are in the rest. */
const HELD = ['own.rare', HOSTILE, 'own.empty', 'own.twice', 'own.id', 'nobody has it', LATER, LONG];
/** And those that are not: wide ones, one with a column, one that gets a column. */
const LEFT_OUT = ['own.text', WIDE_HOSTILE, ILL_FORMED, 'http.route', 'own.tier'];

/** Spans of the last seconds: wide keys, and on one of 150 others. @param more keys with their values */
const insert = (token: string, from = 0, more = 'map()', rows = 30_000) =>
  bench.store.command(
    `INSERT INTO otel_traces (ProjectId, Environment, Timestamp, ReceivedAt, RetentionDays, TraceId, SpanId, SpanName, SpanAttributes)
     WITH ['own.text', {wide:String}, 'http.route', 'own.tier'] AS Common,
       [toString(sipHash128(number, 1)) || repeat('x', 200), toString(sipHash128(number)) || repeat('y', 120),
         concat('/', toString(number % 2)), concat('tier ', toString(number % 3))] AS CommonValues,
       ['own.rare', {hostile:String}, 'own.empty', 'own.twice', 'own.twice', 'own.id', {long:String}] AS Rare,
       [toString(number % 7), toString(number % 4), if(number % 2 = 0, '', 'full'), if(number % 2 = 0, 'first', ''), 'second', toString(number), '3'] AS RareValues,
       number % 150 = 0 AS IsRare
     SELECT 'default', 'production', now64(9) - number / 1000, now64(3), 30, toString(number), toString(number), 'work',
       mapFromArrays(arrayConcat(Common, if(IsRare, Rare, []), mapKeys(More)),
         arrayConcat(CommonValues, if(IsRare, RareValues, []), mapValues(More)))
     FROM (SELECT number + {from:UInt32} AS number, ${more} AS More FROM numbers({rows:UInt32}))
     SETTINGS insert_deduplication_token = {token:String}, max_insert_threads = 1, min_insert_block_size_rows = 1000000`,
    { token, from, rows, wide: WIDE_HOSTILE, hostile: HOSTILE, long: LONG },
  );

const NEVER = 3_600_000;

/** It looks when it is told to, not some time after a read. */
const platformProcess = (tuning: Partial<ColumnTuning> = {}, passed?: number): ReadingProcess =>
  readingProcess(
    bench.store,
    {
      lookRows: 1_000,
      lookAfterMs: 3_600_000,
      slowMs: NEVER,
      restSlowMs: NEVER,
      coolSeconds: 86_400,
      ...tuning,
    },
    passed,
  );

/** The rests that a table has, each of both columns. */
async function rests(table = 'otel_traces'): Promise<string[]> {
  const columns = await bench.store.select<{ name: string }>(
    `SELECT name FROM system.columns WHERE database = 'candela' AND table = {table:String} AND startsWith(name, 'Rest_') ORDER BY name`,
    { table },
  );
  const names = columns.map(({ name }) => name);
  const found = names.filter((name) => name.endsWith('_keys')).map((name) => name.replace(/_keys$/, ''));
  expect(names).toEqual(found.flatMap((column) => Object.values(columnsOf({ column }))));
  return found;
}

/** What a key is compared with. */
const conditions = (field: string): Filter[] => [
  { field, op: 'in', value: ['first', '2', '3', 'tier 1'] },
  { field, op: '=', value: '' },
  { field, op: 'not_exists' },
];

/** Everything that reads a key, as a list of figures. */
async function answers({ queries }: Pick<ReadingProcess, 'queries'>, keys: readonly string[], of = window()) {
  const found: unknown[] = [];
  for (const key of keys) {
    const field = `attributes.${key}`;
    found.push(...(await chartsBy(queries, { key, conditions, window: of })));
    const counted = { window: of, filter: { field, op: 'exists' } as const, fields: [field], limit: 5 };
    found.push([key, (await queries.facets(context, counted)).data]);
  }
  return found;
}

async function sameAsMaps(one: ReadingProcess, keys = [...HELD, ...LEFT_OUT]): Promise<void> {
  const of = window();
  expect(await answers(one, keys, of)).toEqual(await answers(fromMaps(bench.store), keys, of));
}

/** The maps that are read for these keys. */
async function mapsFor(one: ReadingProcess, keys: readonly string[]): Promise<string[]> {
  one.asked.length = 0;
  for (const key of keys) {
    const field = `attributes.${key}`;
    const filter = {
      and: [
        { field, op: 'exists' },
        { field, op: '=', value: '2' },
      ],
    } as const;
    await one.queries.facets(context, { window: window(), filter, fields: [field], limit: 5 });
  }
  return [
    ...new Set([...one.asked.join().matchAll(/(\w+)[._](?:keys|values)\b/g)].map(([, map = '']) => map)),
  ].sort();
}

const dropped = (column: string): string =>
  Object.values(columnsOf({ column }))
    .map((name) => `DROP COLUMN ${name}`)
    .join(', ');

/** Granules that are left to be read for one trace. */
async function granulesOfTrace(): Promise<string | undefined> {
  const plan = await bench.store.select<{ explain: string }>(
    "EXPLAIN indexes = 1 SELECT count() FROM otel_traces WHERE TraceId = '17'",
  );
  const lines = plan.map(({ explain }) => explain.trim());
  return lines.slice(lines.indexOf('Name: idx_trace_id')).find((line) => line.startsWith('Granules:'));
}

/** After a look, with all that came of it filled. */
async function looked(tuning: Partial<ColumnTuning> = {}): Promise<ReadingProcess> {
  const one = platformProcess(tuning);
  await one.keeper.tend();
  await settledIn(bench.store, one.keeper);
  return one;
}

/** Another look is due. */
const forgetLooks = () =>
  bench.store.command(
    "ALTER TABLE attribute_use DELETE WHERE Kind IN ('looking', 'looked') SETTINGS mutations_sync = 1",
  );

describe('the rest of a map', () => {
  it('answers as the map does for every key: before, while it is filled, after, for keys that come later', async () => {
    await insert('first');
    await bench.store.command('SYSTEM STOP MERGES otel_traces');
    const one = platformProcess();
    await sameAsMaps(one);
    await one.keeper.tend();
    expect(await rests()).toHaveLength(1);
    // Nothing of it is filled.
    await sameAsMaps(one);
    await insert('second', 30_000, `map({hostile:String}, 'again', '${LATER}', toString(number % 3))`);
    await sameAsMaps(one);
    await bench.store.command('SYSTEM START MERGES otel_traces');
    await settledIn(bench.store, one.keeper);
    const [rest = ''] = await rests();
    expect(await mapsFor(one, HELD)).toEqual([rest]);
    expect(await mapsFor(one, ['own.text', WIDE_HOSTILE, ILL_FORMED])).toEqual(['SpanAttributes']);
    await sameAsMaps(one);
    await insert('third', 60_000, `map('${LATER}', 'x', 'own.rare', 'second one')`);
    await insert('third', 60_000, `map('${LATER}', 'x', 'own.rare', 'second one')`);
    await bench.store.command('OPTIMIZE TABLE otel_traces FINAL');
    await sameAsMaps(one);
    expect((await bench.store.select<{ n: number }>('SELECT count() AS n FROM otel_traces'))[0]?.n).toBe(
      90_000,
    );
  }, 180_000);

  it('is added and filled by the statements of the columns', async () => {
    await insert('first');
    await looked();
    const [work] = await bench.store.select<{ n: number; all: number }>(
      "SELECT uniq(mutation_id) AS n, count() AS all FROM system.mutations WHERE match(command, 'MATERIALIZE COLUMN (Attribute|Rest)_')",
    );
    const columns = await bench.store.select<{ name: string }>(
      "SELECT name FROM system.columns WHERE database = 'candela' AND match(name, '^(Attribute|Rest)_') ORDER BY name",
    );
    expect(columns.map(({ name }) => name)).toContain('Attribute_own_2etier');
    expect(work).toEqual({ n: 1, all: columns.length });
    const [parts] = await bench.store.select<{ n: number }>(
      "SELECT uniqExact(column) AS n FROM system.parts_columns WHERE active AND table = 'otel_traces' AND match(column, '^(Attribute|Rest)_')",
    );
    expect(parts?.n).toBe(columns.length);
  }, 60_000);

  it('is read as it should be where it is not stored, as in days too old to be filled', async () => {
    await insert('first');
    const one = await looked({ maxFillBytes: 0 });
    await insert('second', 30_000);
    expect(await rests()).toHaveLength(1);
    expect(await mapsFor(one, ['own.rare'])).toEqual(await rests());
    await sameAsMaps(one);
    await bench.store.command('ALTER TABLE otel_traces MODIFY SETTING min_bytes_for_wide_part = 1000000000');
    await insert('third', 60_000);
    await sameAsMaps(one);
  }, 120_000);

  it('that is gone is read from the map, by all processes', async () => {
    await insert('first');
    const [one, other] = [await looked(), await looked()];
    const [rest = ''] = await rests();
    for (const process of [one, other]) expect(await mapsFor(process, ['own.rare'])).toEqual([rest]);
    await bench.store.command(`ALTER TABLE otel_traces ${dropped(rest)} SETTINGS mutations_sync = 1`);
    for (const process of [one, other]) await sameAsMaps(process, ['own.rare', HOSTILE]);
  }, 120_000);

  it('counts towards a column where it is slow, as a map does much sooner', async () => {
    await insert('first');
    const columnsAfter = async (tuning: Partial<ColumnTuning>) => {
      const one = await looked(tuning);
      await mapsFor(one, ['own.rare', 'own.text']);
      await settledIn(bench.store, one.keeper);
      const columns = await bench.store.select<{ name: string }>(
        "SELECT name FROM system.columns WHERE database = 'candela' AND match(name, '^Attribute_own_2e(rare|text)') ORDER BY name",
      );
      return columns.map(({ name }) => name);
    };
    await looked();
    expect(await columnsAfter({ slowMs: 0 })).toEqual([]);
    expect(await columnsAfter({ slowMs: 0, restSlowMs: 0 })).toEqual(['Attribute_own_2erare']);
  }, 120_000);

  it('is made by one process of many', async () => {
    await insert('first');
    const many = [1, 2, 3].map(() => platformProcess());
    await Promise.all(many.map(({ keeper }) => keeper.tend()));
    for (const one of many) await settledIn(bench.store, one.keeper);
    expect(await rests()).toHaveLength(1);
    for (const one of many) expect(await mapsFor(one, ['own.rare'])).toEqual(await rests());
  }, 120_000);

  it('is there and filled although the process ends after any of its statements', async () => {
    await insert('first');
    for (let passed = 0; passed < 9; passed++) {
      const before = platformProcess({}, passed);
      const outcome = await before.keeper.tend().catch((thrown: unknown) => thrown);
      const cut = outcome instanceof Error && outcome.message === CUT;
      await sameAsMaps(before, ['own.rare']);
      const after = await looked({ lookingSeconds: 0, lookSeconds: 1_000 });
      await settledIn(bench.store, after.keeper);
      const [rest = '', ...more] = await rests();
      expect(more).toEqual([]);
      const [stored] = await bench.store.select<{ n: number }>(
        "SELECT count() AS n FROM system.parts_columns WHERE active AND database = 'candela' AND column IN {columns:Array(String)}",
        { columns: Object.values(columnsOf({ column: rest })) },
      );
      expect(stored?.n).toBe(2);
      expect(await mapsFor(after, ['own.rare'])).toEqual([rest]);
      await sameAsMaps(after, ['own.rare', 'own.tier']);
      if (!cut) {
        // Two notes of the look, one of the columns, added, filled, one of that.
        expect(passed).toBe(6);
        return;
      }
      await bench.store.command(
        `ALTER TABLE otel_traces ${dropped(rest)}, DROP COLUMN IF EXISTS Attribute_own_2etier SETTINGS mutations_sync = 1`,
      );
      await bench.store.command('TRUNCATE TABLE attribute_use');
    }
    expect.unreachable('it never came to its end');
  }, 180_000);

  it('that grew too wide goes, and another comes; who knows of the first only is answered right', async () => {
    await insert('first');
    const stale = await looked();
    const [first = ''] = await rests();
    await insert(
      'second',
      30_000,
      `map('own.wide', toString(sipHash128(number, 2)) || repeat('z', 200))`,
      60_000,
    );
    await forgetLooks();
    await looked();
    // Made today.
    expect(await rests()).toEqual([first]);
    const before = await granulesOfTrace();
    expect(before).toMatch(/^Granules: [1-3]\/1\d$/);
    await forgetLooks();
    const next = await looked({ coolSeconds: 0, lookSeconds: 1_000 });
    await forgetLooks();
    await looked();
    const [second = '', ...more] = await rests();
    expect(more).toEqual([]);
    expect(second).toMatch(/^Rest_Attribute_/);
    expect(second).not.toBe(first);
    const keys = ['own.rare', 'own.twice', HOSTILE, 'own.text', WIDE_HOSTILE, 'own.wide'];
    await sameAsMaps(stale, keys);
    await settledIn(bench.store, next.keeper);
    await sameAsMaps(next, keys);
    expect(await mapsFor(next, ['own.rare'])).toEqual([second]);
    expect(await mapsFor(next, ['own.wide'])).toEqual(['SpanAttributes']);
    // Parts are what they were: what the engine writes anew when a map is dropped, it finds by no index.
    expect(await granulesOfTrace()).toBe(before);
  }, 120_000);

  it('is not made in a small table, of a narrow map, nor where columns are switched off', async () => {
    await insert('first');
    await looked({ lookRows: 30_001 });
    await looked({ restOf: 100_000 });
    await looked({ pool: 0, lookSeconds: 0 });
    expect(await rests()).toEqual([]);
  }, 60_000);

  it('is one of log records and of resources as well', async () => {
    await bench.store.command(
      `INSERT INTO otel_logs (ProjectId, Environment, Timestamp, ReceivedAt, RetentionDays, Body, LogAttributes, ResourceAttributes)
       SELECT 'default', 'production', now64(9) - number / 1000, now64(3), 30, 'line',
         map('own.trace', repeat('x', 300), if(number % 200 = 0, 'own.rare', 'own.usual'), toString(number % 5)),
         map('own.command', repeat('y', 200), if(number % 200 = 0, 'own.zone', 'own.usual'), toString(number % 3))
       FROM numbers(20000)`,
    );
    const one = await looked();
    expect((await rests('otel_logs')).map((name) => name.replace(/[^_]+$/, ''))).toEqual([
      'Rest_Attribute_',
      'Rest_Resource_',
    ]);
    const count = async ({ queries }: Pick<ReadingProcess, 'queries'>, field: string) =>
      (
        await queries.aggregate(context, {
          signal: 'logs',
          window: window(),
          filter: { field, op: 'exists' },
          groupBy: ['service'],
          measures: ['count'],
          bucketSeconds: undefined,
          limit: 5,
        })
      ).rows;
    one.asked.length = 0;
    for (const field of ['attributes.own.rare', 'resource.own.zone', 'resource.own.command']) {
      expect(await count(one, field)).toEqual(await count(fromMaps(bench.store), field));
    }
    expect(one.asked.map((sql) => /(\w+)[._]keys/.exec(sql)?.[1]?.replace(/[^_]+$/, '…'))).toEqual([
      'Rest_Attribute_…',
      'Rest_Resource_…',
      '…',
    ]);
  }, 60_000);

  it('is read when it is filled, from the map before', async () => {
    await insert('first');
    await bench.store.command('SYSTEM STOP MERGES otel_traces');
    const one = platformProcess();
    await one.keeper.tend();
    expect(await mapsFor(one, ['own.rare'])).toEqual(['SpanAttributes']);
    await bench.store.command('SYSTEM START MERGES otel_traces');
    await eventually(
      'it is read',
      async () => {
        await settledIn(bench.store, one.keeper);
        return !(await mapsFor(one, ['own.rare'])).includes('SpanAttributes');
      },
      30_000,
    );
  }, 60_000);
});
