import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TelemetryStore } from '../client/types.ts';
import { eventually } from '../conformance/harness.ts';
import { contextOf, openQueryBench, type QueryBench, recordStatements } from '../queries/core/testing.ts';
import { LOOK_ROWS, lookAtMap } from './look.ts';
import { columnName } from './names.ts';
import { CUT, fromMaps, readingProcess, type ReadingProcess, settledIn, window } from './testing.ts';
import type { ColumnTuning } from './tuning.ts';

const HOSTILE = `it's "quoted" \`\${x}\` {p0:String}; --\n\\ é`;
const context = contextOf();

let bench: QueryBench;
beforeEach(async () => {
  bench = await openQueryBench();
});
afterEach(() => bench.close());

/** Spans of the last seconds, of a large project and a small one after it. */
const insert = (token: string, rows = 40_000) =>
  bench.store.command(
    `INSERT INTO otel_traces (ProjectId, Environment, Timestamp, ReceivedAt, RetentionDays, TraceId, SpanId, SpanName, ResourceAttributes, SpanAttributes)
     SELECT if(number % 20 = 0, 'small', 'default'), 'production', now64(9) - number / 1000, now64(3), 30, toString(number), toString(number), 'work',
       map('service.name', concat('shop ', toString(number % 2)), 'same.everywhere', 'x', 'own.zone', concat('z', toString(number % 3))),
       map('own.id', toString(cityHash64({token:String}) % 1000000 * 1000000 + number), 'own.session', if(number % 20 = 0, 'small', toString(intDiv(number, 50))), 'own.text', repeat('x', 1001),
         'own.tier', concat('tier ', toString(number % 3)), 'http.route', concat('/', toString(number % 2)), 'gen_ai.request.model', toString(number % 2),
         {hostile:String}, toString(number % 4), if(number % 200 = 0, 'own.rare', 'own.usual'), '1',
         if(number % 20 = 0, 'own.small', 'own.large'), 'here', concat('made up ', toString(number)), '1')
     FROM numbers({rows:UInt32})
     SETTINGS insert_deduplication_token = {token:String}, max_insert_threads = 1, min_insert_block_size_rows = 1000000`,
    { token, rows, hostile: HOSTILE },
  );

/** The keys of {@link insert} that are common, of few values, and in no column. */
const COMMON = ['own.tier', HOSTILE, 'own.usual', 'own.small', 'own.large'];

const lookingProcess = (tuning: Partial<ColumnTuning> = {}, passed?: number): ReadingProcess =>
  readingProcess(bench.store, { lookRows: 1_000, ...tuning }, passed);

const namesOf = (keys: readonly string[], map = 'SpanAttributes'): string[] =>
  keys.map((key) => columnName({ table: 'otel_traces', map, key }) ?? '');

const columns = async (): Promise<string[]> =>
  (
    await bench.store.select<{ name: string }>(
      `SELECT name FROM system.columns WHERE database = 'candela' AND match(name, '^(Attribute|Resource)_') ORDER BY name`,
    )
  ).map(({ name }) => name);

const EXPECTED = [...namesOf(COMMON), ...namesOf(['own.zone'], 'ResourceAttributes')].sort();

const noted = async (kind: string): Promise<number> =>
  (
    await bench.store.select<{ n: number }>(
      'SELECT count() AS n FROM attribute_use WHERE Kind = {kind:String}',
      { kind },
    )
  )[0]?.n ?? -1;

/** A question of a person that names no key, and one that does. */
const list = ({ queries }: Pick<ReadingProcess, 'queries'>) =>
  queries.searchSpans(context, {
    window: window(),
    filter: undefined,
    sort: '-start',
    limit: 1,
    cursor: undefined,
  });
const chart = async ({ queries }: Pick<ReadingProcess, 'queries'>, key: string, bucketSeconds?: number) =>
  (
    await queries.aggregate(context, {
      window: window(),
      filter: undefined,
      groupBy: [`attributes.${key}`],
      measures: ['count', 'duration_p95'],
      bucketSeconds,
      limit: 3,
    })
  ).rows;

describe('keys that many rows have', () => {
  it('get columns before anybody asks for them: few values, in no column yet, not the same everywhere', async () => {
    await insert('first');
    const one = lookingProcess({ lookAfterMs: 10 });
    await list(one);
    await eventually('they have columns', async () => (await noted('looked')) === 1, 30_000);
    expect(await columns()).toEqual(EXPECTED);
    await settledIn(bench.store, one.keeper);
    one.asked.length = 0;
    for (const key of COMMON) expect(await chart(one, key)).toEqual(await chart(fromMaps(bench.store), key));
    expect(one.asked.join()).not.toContain('SpanAttributes');
    expect(await noted('looking')).toBe(1);
  }, 60_000);

  it('get plain columns where many values come back all over the table, and none where they do not', async () => {
    await bench.store.command(
      `INSERT INTO otel_traces (ProjectId, Environment, Timestamp, ReceivedAt, RetentionDays, TraceId, SpanId, SpanName, SpanAttributes)
       SELECT 'default', 'production', now64(9) - number / 10000, now64(3), 30, toString(number), toString(number), 'work',
         map('own.address', IPv4NumToString(toUInt32(cityHash64(number) % 20000)), 'own.id', toString(number), 'own.session', toString(intDiv(number, 5)))
       FROM numbers(200000)
       SETTINGS max_insert_threads = 1, min_insert_block_size_rows = 1000000`,
    );
    const one = lookingProcess();
    await one.keeper.tend();
    expect(await columns()).toEqual(namesOf(['own.address']));
    await settledIn(bench.store, one.keeper);
    one.asked.length = 0;
    expect(await chart(one, 'own.address')).toEqual(await chart(fromMaps(bench.store), 'own.address'));
    expect(one.asked.join()).not.toContain('SpanAttributes');
    const [column] = await bench.store.select<{ type: string }>(
      `SELECT type FROM system.columns WHERE database = 'candela' AND name = {name:String}`,
      { name: namesOf(['own.address'])[0] },
    );
    expect(column?.type).toBe('String');
  }, 60_000);

  it('are the same over time from the map, from their columns, and when these have gone meanwhile', async () => {
    await insert('first');
    const one = lookingProcess();
    const readsMap = async () => {
      one.asked.length = 0;
      expect(await chart(one, 'own.tier', 60)).toEqual(await chart(fromMaps(bench.store), 'own.tier', 60));
      return one.asked.map((sql) => sql.includes('SpanAttributes'));
    };
    expect(await readsMap()).toEqual([true]);
    await settledIn(bench.store, one.keeper);
    expect(await readsMap()).toEqual([false]);
    // Its column goes after the columns were learned: the statement runs over the map, perhaps once more.
    await one.keeper.tend();
    const [column = ''] = namesOf(['own.tier']);
    await bench.store.command(`ALTER TABLE otel_traces DROP COLUMN ${column} SETTINGS mutations_sync = 1`);
    expect((await readsMap()).at(-1)).toBe(true);
    expect(await readsMap()).toEqual([true]);
  }, 60_000);

  it.each([
    ['a table of fewer rows than that', { lookRows: 40_001 }],
    ['a store whose columns are switched off', { pool: 0 }],
  ] as const)('are not looked for in %s', async (_what, tuning) => {
    await insert('first');
    const one = lookingProcess({ ...tuning, lookAfterMs: 10 });
    await list(one);
    await one.keeper.tend();
    await new Promise((next) => setTimeout(next, 500));
    await one.keeper.close();
    expect(await columns()).toEqual([]);
    expect(await noted('looking')).toBe(0);
  });

  it('are not looked for without reads', async () => {
    await insert('first');
    const one = lookingProcess({ lookAfterMs: 10 });
    await new Promise((next) => setTimeout(next, 500));
    await one.keeper.close();
    expect(await noted('looking')).toBe(0);
  });

  it('are looked for in granules all over the parts, and no more of these than there is time for', async () => {
    // Eight parts of four granules, of two projects, each with keys of its own.
    await bench.store.command('SYSTEM STOP MERGES otel_traces');
    for (let part = 0; part < 8; part++) {
      await bench.store.command(
        `INSERT INTO otel_traces (ProjectId, Timestamp, ReceivedAt, RetentionDays, SpanAttributes)
         SELECT if(number % 2 = 0, 'a', 'b'), now64(9), now64(3), 30, map(concat('part ', {part:String}), 'x', if(number % 2 = 0, 'of a', 'of b'), 'x')
         FROM numbers(32768) SETTINGS max_insert_threads = 1, min_insert_block_size_rows = 1000000`,
        { part: String(part) },
      );
    }
    const rowsOf = async (rows: number, bytes: number, all: boolean) => {
      const { sql, params } = lookAtMap('otel_traces', 'SpanAttributes', { rows, bytes, all });
      const seen = await bench.store.select<{ Key: string; Rows: number }>(sql, params);
      return new Map(seen.map(({ Key, Rows }) => [Key, Number(Rows)]));
    };
    expect((await rowsOf(1_000, 0, true)).get('')).toBe((8 * 32_768) / 4);
    for (const [rows, bytes, all] of [
      [LOOK_ROWS * 4 * 4, 0, true],
      [LOOK_ROWS * 4 * 4, 0, false],
      [0, 4 * 2 ** 30, true],
    ] as const) {
      const fourth = await rowsOf(rows, bytes, all);
      // One granule of each part.
      expect(fourth.get('')).toBe((8 * 8_192) / 4);
      expect([...fourth.keys()].filter((key) => key.startsWith('part'))).toHaveLength(8);
      for (const key of ['of a', 'of b']) expect(fourth.get(key)).toBeGreaterThan(0);
    }
  }, 60_000);

  it('are not tried again and again in a store that may not be changed', async () => {
    await insert('first');
    const store: TelemetryStore = {
      ...recordStatements(bench.store).store,
      command: async (sql, ...asks) => {
        if (sql.startsWith('ALTER')) throw new Error('not allowed');
        await bench.store.command(sql, ...asks);
      },
    };
    const one = readingProcess(store, { lookRows: 1_000 });
    await expect(one.keeper.tend()).rejects.toThrow('not allowed');
    await one.keeper.tend();
    expect(await noted('looking')).toBe(1);
    expect(await noted('looked')).toBe(1);
  }, 60_000);

  it('are looked for by one process of many, and anew when that is hours ago', async () => {
    await insert('first');
    const many = [1, 2, 3].map(() => lookingProcess());
    await Promise.all(many.map(({ keeper }) => keeper.tend()));
    await settledIn(bench.store, lookingProcess().keeper);
    expect(await noted('looked')).toBe(1);
    // And a narrow copy of the rest.
    expect(await noted('common')).toBe(EXPECTED.length + 1);
    expect(await columns()).toEqual(EXPECTED);
    await lookingProcess({ lookSeconds: 0, lookingSeconds: 0 }).keeper.tend();
    expect(await noted('looked')).toBe(2);
    expect(await columns()).toEqual(EXPECTED);
  }, 60_000);

  it('get their columns although the process ends after any of its statements', async () => {
    await insert('first');
    for (let passed = 0; passed < 8; passed++) {
      const before = lookingProcess({}, passed);
      const outcome = await before.keeper.tend().catch((thrown: unknown) => thrown);
      const cut = outcome instanceof Error && outcome.message === CUT;
      const after = lookingProcess({ lookingSeconds: 0 });
      await settledIn(bench.store, after.keeper);
      await settledIn(bench.store, after.keeper);
      expect(await columns()).toEqual(EXPECTED);
      const [filled] = await bench.store.select<{ n: number }>(
        "SELECT count() AS n FROM system.parts_columns WHERE active AND database = 'candela' AND table = 'otel_traces' AND match(column, '^(Attribute|Resource)_')",
      );
      expect(filled?.n).toBe(EXPECTED.length);
      if (!cut) {
        expect(passed).toBe(6);
        return;
      }
      const drops = EXPECTED.map((name) => `DROP COLUMN ${name}`).join(', ');
      await bench.store.command(`ALTER TABLE otel_traces ${drops} SETTINGS mutations_sync = 1`);
      await bench.store.command('TRUNCATE TABLE attribute_use');
    }
    expect.unreachable('it never came to its end');
  }, 120_000);

  it('give way to those that are asked for, and never push one of these out', async () => {
    await insert('first');
    const one = lookingProcess({ pool: 2 });
    for (let turn = 0; turn < 6; turn++) await chart(one, 'own.rare');
    await settledIn(bench.store, one.keeper);
    const [asked = ''] = namesOf(['own.rare']);
    // One half of the pool is one.
    expect(await columns()).toEqual([asked, ...namesOf([HOSTILE])].sort());
    for (let turn = 0; turn < 6; turn++) await chart(one, 'own.tier');
    for (let turn = 0; turn < 3; turn++) await settledIn(bench.store, one.keeper);
    expect(await columns()).toEqual([asked, ...namesOf(['own.tier'])].sort());
    // A later look finds no room.
    await bench.store.command(
      "ALTER TABLE attribute_use DELETE WHERE Kind = 'looked' SETTINGS mutations_sync = 1",
    );
    const later = lookingProcess({ pool: 2, lookingSeconds: 0 });
    await later.keeper.tend();
    expect(await columns()).toEqual([asked, ...namesOf(['own.tier'])].sort());
  }, 60_000);

  it('are found among a million keys of somebody who wants to be in the way', async () => {
    await bench.store.command(
      `INSERT INTO otel_traces (ProjectId, Timestamp, ReceivedAt, RetentionDays, SpanName, SpanAttributes)
       SELECT 'default', now64(9) - number / 1000, now64(3), 30, 'work', mapFromArrays(
         arrayConcat(['own.tier'], arrayMap(n -> concat('made up ', toString(number), ' ', toString(n)), range(25))),
         arrayConcat([toString(number % 3)], arrayMap(n -> '1', range(25))))
       FROM numbers(40000) SETTINGS max_insert_threads = 1`,
    );
    const one = lookingProcess();
    await one.keeper.tend();
    expect(await columns()).toEqual(namesOf(['own.tier']));
    expect(await noted('looked')).toBe(1);
    expect((await bench.store.select<{ n: number }>('SELECT count() AS n FROM attribute_use'))[0]?.n).toBe(4);
  }, 60_000);
});
