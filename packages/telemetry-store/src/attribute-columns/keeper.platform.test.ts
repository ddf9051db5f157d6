import type { Filter } from '@candela/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../conformance/harness.ts';
import {
  BASE_MS,
  contextOf,
  openQueryBench,
  type QueryBench,
  span as spanAt,
} from '../queries/core/testing.ts';
import type { AttributeColumns } from './keeper.ts';
import { columnName } from './names.ts';
import type { ColumnTuning } from './tuning.ts';
import {
  chartsBy,
  CUT,
  fromMaps,
  type ReadingProcess,
  readingProcess,
  settledIn,
  window,
} from './testing.ts';

const HOSTILE = `it's "quoted" \`\${x}\` {p0:String}; --\n\\ é`;
const FEW = ['own.tier', 'own.route', HOSTILE];
const context = contextOf();
const span = (key: string) => ({ table: 'otel_traces', map: 'SpanAttributes', key });

let bench: QueryBench;
beforeEach(async () => {
  bench = await openQueryBench();
});
afterEach(() => bench.close());

/** Spans of the last seconds: few values under some keys, ids under one and, on few of them, another, and every tenth without any. */
const insert = (token: string, from: number, rows = 20_000) =>
  bench.store.command(
    `INSERT INTO otel_traces (ProjectId, Environment, Timestamp, ReceivedAt, RetentionDays, TraceId, SpanId, SpanName, SpanAttributes)
     SELECT 'default', 'production', now64(9) - number / 1000, now64(3), 30, toString(number), toString(number), 'work',
       if(number % 10 = 0, map(), map('other', toString(number), 'own.id', toString(number), 'own.user', toString(number % 2000),
         if(number % 25 = 3, 'own.rare', 'own.usual'), toString(number),
         {first:String}, concat('tier ', toString(number % 3)), {second:String}, if(number % 7 = 0, '', concat('/r/', toString(number % 5))),
         {third:String}, toString(number % 4)))
     FROM numbers({from:UInt32}, {rows:UInt32})
     SETTINGS insert_deduplication_token = {token:String}, max_insert_threads = 1, min_insert_block_size_rows = 1000000`,
    { token, from, rows, first: FEW[0], second: FEW[1], third: FEW[2] },
  );

const platformProcess = (tuning?: Partial<ColumnTuning>, passed?: number): ReadingProcess =>
  readingProcess(bench.store, tuning, passed);

/** What a key is compared with. */
const conditions = (field: string): Filter[] => [
  { field, op: '=', value: '/r/3' },
  { field, op: '=', value: '' },
  { field, op: '!=', value: 'tier 1' },
  { field, op: 'in', value: ['tier 1', '2'] },
  { field, op: 'exists' },
  { field, op: '>', value: 2 },
];

/** Everything that reads a key, as a list of figures. */
async function answers({ queries }: Pick<ReadingProcess, 'queries'>, keys: readonly string[], of = window()) {
  const found: unknown[] = [];
  for (const key of keys) found.push(...(await chartsBy(queries, { key, conditions, window: of })));
  return found;
}

/** One question for each key. */
async function ask({ queries }: ReadingProcess, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await queries.aggregate(context, {
      window: window(),
      filter: undefined,
      groupBy: [`attributes.${key}`],
      measures: ['count'],
      bucketSeconds: undefined,
      limit: 5,
    });
  }
}

async function sameAsMaps(one: ReadingProcess, keys: readonly string[]): Promise<void> {
  const of = window();
  expect(await answers(one, keys, of)).toEqual(await answers(fromMaps(bench.store), keys, of));
}

const columns = async (): Promise<string[]> =>
  (
    await bench.store.select<{ name: string }>(
      `SELECT name FROM system.columns WHERE database = 'candela' AND table = 'otel_traces' AND name LIKE 'Attribute\\_%' ORDER BY name`,
    )
  ).map(({ name }) => name);

/** Parts of the spans that lack one of the columns. */
const partsWithout = async (): Promise<number> =>
  (
    await bench.store.select<{ n: number }>(
      `SELECT countIf(has < ${FEW.length}) AS n FROM (
         SELECT name, countIf(startsWith(column, 'Attribute_')) AS has FROM system.parts_columns
         WHERE active AND database = 'candela' AND table = 'otel_traces' GROUP BY name)`,
    )
  )[0]?.n ?? -1;

const DICTIONARY = 'LowCardinality(String)';

/** The types of the columns of keys; undefined for one without. */
const types = (keys: readonly string[]): Promise<(string | undefined)[]> =>
  Promise.all(
    keys.map(async (key) => {
      const found = await bench.store.select<{ type: string }>(
        "SELECT type FROM system.columns WHERE database = 'candela' AND table = 'otel_traces' AND name = {name:String}",
        { name: columnName(span(key)) ?? '' },
      );
      return found[0]?.type;
    }),
  );

const namesOf = (keys: readonly string[]): string[] => keys.map((key) => columnName(span(key)) ?? '').sort();

/** Nothing is done in the background. */
const isIdle = async (): Promise<boolean> =>
  (await bench.store.select<{ n: number }>('SELECT count() AS n FROM system.mutations WHERE NOT is_done'))[0]
    ?.n === 0;

const settled = (keeper: AttributeColumns) => settledIn(bench.store, keeper);

describe('keys that are asked for', () => {
  it('get columns that answer as the map does, those of few values only, and keep inserts known', async () => {
    await insert('first', 0);
    const one = platformProcess({ maxValues: 1_000 });
    const keys = [...FEW, 'own.id', 'own.rare', 'own.user', 'nobody has it', 'http.route'];
    await sameAsMaps(one, keys);
    expect(one.asked.join()).toContain('SpanAttributes.values');
    await one.keeper.tend();
    // Whatever of it is filled by now.
    await sameAsMaps(one, keys);
    for (let turn = 0; turn < 2; turn++) await settled(one.keeper);
    expect(await columns()).toEqual(namesOf([...FEW, 'own.rare', 'own.user']));
    expect(await types(['own.tier', 'own.user', 'own.rare'])).toEqual([DICTIONARY, 'String', 'String']);
    one.asked.length = 0;
    await sameAsMaps(one, keys);
    for (const name of namesOf(FEW)) expect(one.asked.join()).toContain(`toString(${name})`);
    const equal = one.asked.find((sql) => sql.includes('Attribute_own_2eroute = {'));
    expect(equal).not.toContain('has(SpanAttributes.keys');
    await insert('first', 0);
    await insert('second', 20_000);
    expect((await bench.store.select<{ n: number }>('SELECT count() AS n FROM otel_traces'))[0]?.n).toBe(
      40_000,
    );
    await sameAsMaps(one, FEW);
    expect(await partsWithout()).toBe(0);
  }, 120_000);

  it('have one by themselves soon after they were asked for once, and wait for no other change', async () => {
    await insert('first', 0);
    const soon = { minScore: 3, pauseSeconds: 600, coolSeconds: 86_400, soonMs: 20, soonPauseMs: 20 };
    const one = platformProcess(soon);
    for (const keys of [['own.tier'], ['own.tier', 'own.route']]) {
      await ask(one, keys.slice(-1));
      await eventually(
        'it has a column',
        async () => (await columns()).length === keys.length && (await isIdle()),
        30_000,
      );
    }
    // Known after a while, as fillings end without a word.
    await eventually(
      'they are read from their columns',
      async () => {
        one.asked.length = 0;
        await ask(one, ['own.tier', 'own.route']);
        return !one.asked.join().includes('SpanAttributes');
      },
      30_000,
    );
    await sameAsMaps(one, FEW);
    await one.keeper.close();
  }, 120_000);

  it('have one after as many questions as its filling costs, and so many an hour', async () => {
    await insert('first', 0);
    const bounds = { minScore: 3, pauseSeconds: 600, coolSeconds: 86_400, hourly: 2 };
    const large = platformProcess({ ...bounds, fillBytesAnAsk: 1 });
    for (const expected of [0, 0, 1]) {
      await ask(large, ['own.tier']);
      await settled(large.keeper);
      expect(await columns()).toHaveLength(expected);
    }
    const small = platformProcess(bounds);
    await ask(small, ['own.route', HOSTILE, 'own.user']);
    for (let turn = 0; turn < 3; turn++) await settled(small.keeper);
    expect(await columns()).toHaveLength(2);
  }, 120_000);

  it('have none without a dictionary beyond the room for those', async () => {
    // Only of such parts the engine tells what a column takes.
    await bench.store.command('ALTER TABLE otel_traces MODIFY SETTING min_bytes_for_wide_part = 1');
    await insert('first', 0);
    // Nearly four bytes a row; another takes as much again.
    const one = platformProcess({ maxValues: 4, plainBytes: 6 });
    await ask(one, ['own.route', 'own.tier']);
    for (let turn = 0; turn < 2; turn++) await settled(one.keeper);
    expect(await types(['own.route', 'own.tier'])).toEqual(['String', DICTIONARY]);
    await ask(one, ['own.user']);
    for (let turn = 0; turn < 2; turn++) await settled(one.keeper);
    expect(await types(['own.user'])).toEqual([undefined]);
  }, 120_000);

  it('get them although their process ends after any of its statements', async () => {
    await insert('first', 0);
    for (let passed = 0; passed < 8; passed++) {
      const before = platformProcess({}, passed);
      await ask(before, FEW);
      const outcome = await before.keeper.tend().catch((thrown: unknown) => thrown);
      const cut = outcome instanceof Error && outcome.message === CUT;
      const after = platformProcess();
      await ask(after, FEW);
      for (let turn = 0; turn < 2; turn++) await settled(after.keeper);
      expect(await columns()).toEqual(namesOf(FEW));
      expect(await partsWithout()).toBe(0);
      await sameAsMaps(after, FEW);
      if (!cut) {
        // One statement for all columns, one that fills them, and three notes.
        expect(passed).toBe(5);
        return;
      }
      for (const name of namesOf(FEW)) {
        await bench.store.command(`ALTER TABLE otel_traces DROP COLUMN ${name} SETTINGS mutations_sync = 1`);
      }
      await bench.store.command('TRUNCATE TABLE attribute_use');
    }
    expect.unreachable('it never came to its end');
  }, 180_000);

  it.each([20, 120])(
    'get them although the engine is killed %i ms into it',
    async (afterMs) => {
      await insert('compact', 0);
      await bench.store.command('ALTER TABLE otel_traces MODIFY SETTING min_bytes_for_wide_part = 1');
      await insert('wide', 20_000, 60_000);
      const before = platformProcess();
      await ask(before, FEW);
      const outcome = before.keeper.tend().catch((thrown: unknown) => thrown);
      await new Promise((next) => setTimeout(next, afterMs));
      const { pid } = bench.store.health();
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
      await outcome;
      await eventually(
        'the engine is back',
        async () => bench.store.health().restarts > 0 && bench.store.health().state === 'ready',
        60_000,
      );
      // A process that knows nothing of before.
      const after = platformProcess();
      await sameAsMaps(after, FEW);
      await eventually(
        'all have columns, on every part',
        async () => {
          await settled(after.keeper);
          await answers(after, FEW);
          return (await columns()).length === FEW.length && (await partsWithout()) === 0;
        },
        60_000,
      );
      await sameAsMaps(after, FEW);
      await insert('wide', 20_000, 60_000);
      expect((await bench.store.select<{ n: number }>('SELECT count() AS n FROM otel_traces'))[0]?.n).toBe(
        80_000,
      );
    },
    180_000,
  );

  it('of one process are known to the others, and one that is gone is read from the map', async () => {
    await insert('first', 0);
    const [one, other] = [platformProcess({ pool: 1 }), platformProcess({ pool: 1 })];
    await ask(one, ['own.tier']);
    await one.keeper.tend();
    await settled(one.keeper);
    await other.keeper.tend();
    await sameAsMaps(other, ['own.tier']);
    expect(other.asked.join()).toContain('toString(Attribute_own_2etier)');
    // Nobody asks for it any more: it goes for another one.
    await ask(one, ['own.route']);
    await bench.store.command(
      "ALTER TABLE attribute_use DELETE WHERE Key = 'own.tier' AND Kind = 'asked' SETTINGS mutations_sync = 1",
    );
    await one.keeper.tend();
    await settled(one.keeper);
    expect(await columns()).toEqual(['Attribute_own_2eroute']);
    await sameAsMaps(other, ['own.tier']);
    await settled(other.keeper);
    await sameAsMaps(other, FEW);
    expect(other.asked.join()).toMatch(/toString\(Attribute_own_2e(?:route|tier)\)/);
  }, 120_000);

  it('by somebody who tries a thousand names change nothing, and there are never more than the pool allows', async () => {
    await insert('first', 0);
    const one = platformProcess({ pool: 2, minScore: 1 });
    for (let n = 0; n < 1_000; n++) {
      await one.keeper.counting([span(`made up ${n}`)], () => bench.store.select('SELECT 1'));
    }
    for (let turn = 0; turn < 3; turn++) await settled(one.keeper);
    expect(await columns()).toEqual([]);
    await ask(one, FEW);
    for (let turn = 0; turn < 4; turn++) await settled(one.keeper);
    expect((await columns()).length).toBeLessThanOrEqual(2);
    await sameAsMaps(one, FEW);
    const [noted] = await bench.store.select<{ n: number }>(
      "SELECT uniq(Key) AS n FROM attribute_use WHERE startsWith(Key, 'made up')",
    );
    expect(noted?.n).toBeLessThanOrEqual(64 + 4);
  }, 120_000);

  it('of resources and of log records get them as well', async () => {
    const resource = { resource: { 'own.zone': 'a' } };
    const nanos = BigInt(Date.now()) * 1_000_000n;
    const logs = Array.from({ length: 40 }, (_, n) => ({
      timeUnixNano: nanos,
      body: `line ${n}`,
      attributes: { 'own.tier': `tier ${n % 3}` },
    }));
    await bench.putLogs(logs, resource);
    await bench.put([spanAt(1, 1, Date.now() - BASE_MS)], resource);
    const one = platformProcess();
    const asked = async (from: Pick<ReadingProcess, 'queries'>) => {
      const found = [];
      for (const [signal, field] of [
        ['logs', 'attributes.own.tier'],
        ['logs', 'resource.own.zone'],
        ['spans', 'resource.own.zone'],
      ] as const) {
        const input = { window: window(), filter: undefined, groupBy: [field], measures: ['count'] as const };
        found.push(
          await from.queries.aggregate(context, { ...input, signal, bucketSeconds: undefined, limit: 5 }),
        );
      }
      return found;
    };
    await asked(one);
    await one.keeper.tend();
    await settled(one.keeper);
    const columnsMade = await bench.store.select<{ made: string }>(
      "SELECT concat(table, ' ', c.name) AS made FROM system.columns AS c WHERE database = 'candela' AND match(c.name, '^(Attribute|Resource)_') ORDER BY made",
    );
    expect(columnsMade.map(({ made }) => made)).toEqual([
      'otel_logs Attribute_own_2etier',
      'otel_logs Resource_own_2ezone',
      'otel_traces Resource_own_2ezone',
    ]);
    one.asked.length = 0;
    const now = await asked(one);
    expect(one.asked.join()).not.toMatch(/(?:Log|Resource)Attributes/);
    expect(now.map(({ rows }) => rows)).toEqual((await asked(fromMaps(bench.store))).map(({ rows }) => rows));
  }, 120_000);

  it('have no dictionary any more when their values became many', async () => {
    await insert('first', 0);
    const one = platformProcess();
    await ask(one, ['own.route', 'own.tier']);
    await one.keeper.tend();
    await settled(one.keeper);
    expect(await types(['own.route', 'own.tier'])).toEqual([DICTIONARY, DICTIONARY]);
    // Three values of one, five of the other, which is more than four times as many as may be.
    const strict = platformProcess({ maxValues: 1, recheckRounds: 1 });
    await eventually(
      'the larger one is a column without a dictionary',
      async () => {
        await settled(strict.keeper);
        return (await types(['own.route']))[0] === 'String';
      },
      60_000,
    );
    expect(await types(['own.tier'])).toEqual([DICTIONARY]);
    await sameAsMaps(one, FEW);
    await sameAsMaps(strict, FEW);
  }, 120_000);

  it('keep to the newest days when there is more stored than may be filled', async () => {
    await insert('first', 0);
    const one = platformProcess({ maxFillBytes: 0 });
    await ask(one, ['own.tier']);
    await one.keeper.tend();
    await settled(one.keeper);
    await insert('second', 20_000);
    await sameAsMaps(one, ['own.tier']);
    expect(one.asked.join()).toContain('toString(Attribute_own_2etier)');
  }, 120_000);
});
