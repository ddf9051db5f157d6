import { globSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { scratchDir } from '../conformance/harness.ts';
import { idTextBlock } from '../conformance/native-block.ts';
import { AtRest, type AtRestParts } from './at-rest.ts';
import { openTelemetryStore } from './open.ts';
import type { TelemetryStore } from './types.ts';
import { newStoreIn } from '../testing/migrated.ts';

let dir: string;
let store: TelemetryStore;
let merged: string[];
let built: string[];
let resting: AtRest | undefined;
beforeAll(async () => {
  dir = scratchDir();
  store = await openTelemetryStore({ kind: 'embedded', dataDir: newStoreIn(dir), logger: silentLogger });
});
afterAll(async () => {
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});
beforeEach(async () => {
  merged = [];
  built = [];
  for (const table of ['items', 'others']) {
    await store.command(`DROP TABLE IF EXISTS ${table}`);
    await store.command(
      `CREATE TABLE ${table} (Id UInt64, Text String) ENGINE = MergeTree ORDER BY Id PARTITION BY Id % 2`,
    );
  }
});
afterEach(() => resting?.close());

let token = 0;
const insert = (table: string, id: number) =>
  store.insertNative(table, [idTextBlock([{ id, text: 'text' }])], `token ${token++}`);

/** How often the rows of each part were merged, and how many they are. */
const parts = async (table: string) =>
  (
    await store.select<{ Level: number; Rows: number }>(
      'SELECT level AS Level, rows AS Rows FROM system.parts WHERE active AND table = {table:String} ORDER BY Level, Rows',
      { table },
    )
  ).map(({ Level, Rows }) => [Level, Rows]);

const build: AtRestParts['build'] = (table, partition, indexes, signal) =>
  store.command(
    `ALTER TABLE ${table} ${indexes.map((name) => `MATERIALIZE INDEX ${name} IN PARTITION ID '${partition}'`).join(', ')} SETTINGS mutations_sync = 1`,
    {},
    { signal },
  );

function atRest(of: Partial<AtRestParts> = {}): AtRest {
  resting = new AtRest({
    select: (sql, signal) => store.select(sql, {}, { signal }),
    merge: async ({ TableName, PartitionId, Whole }, signal) => {
      merged.push(TableName);
      await store.command(
        `OPTIMIZE TABLE ${TableName} PARTITION ID '${PartitionId}'${Whole ? ' FINAL' : ''}`,
        {},
        { signal },
      );
    },
    deferred: ['idx_text'],
    build: async (table, partition, indexes, signal) => {
      built.push(`${table} ${partition} ${indexes.join()}`);
      await build(table, partition, indexes, signal);
    },
    logger: silentLogger,
    afterMs: 300,
    ...of,
  });
  return resting;
}

it('merges what the last inserts left, where a partition has several parts of them', async () => {
  for (const id of [1, 3, 5, 7, 2]) await insert('items', id);
  for (const id of [1, 3, 2]) await insert('others', id);
  atRest().inserted();
  await expect
    .poll(() => parts('items'), { timeout: 20_000 })
    .toEqual([
      [0, 1],
      [1, 4],
    ]);
  expect(merged).not.toContain('others');
  expect(await parts('others')).toEqual([
    [0, 1],
    [0, 1],
    [0, 1],
  ]);
});

it('merges several parts of a small table, also where each was merged before', async () => {
  for (const id of [1, 3]) await insert('others', id);
  await store.command('OPTIMIZE TABLE others');
  const copies = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () => store.command('ALTER TABLE items ATTACH PARTITION 1 FROM others')),
    );
  await copies(3);
  const own = atRest();
  own.inserted();
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(await parts('items')).toEqual([
    [1, 2],
    [1, 2],
    [1, 2],
  ]);
  await copies(1);
  own.inserted();
  await expect.poll(() => parts('items'), { timeout: 20_000 }).toEqual([[2, 8]]);
});

it('merges a larger table unless that would rewrite one part for the sake of few rows', async () => {
  /** Parts of so many rows, 100 bytes each, that were merged before. */
  const attach = async (rows: number, copies: number) => {
    await store.command('TRUNCATE TABLE others');
    for (const half of [0, 1])
      await store.command(
        `INSERT INTO others SELECT 2 * number + 1, randomString(100) FROM numbers(${rows * half}, ${rows}) SETTINGS max_block_size = 1000000`,
      );
    await store.command('OPTIMIZE TABLE others FINAL');
    for (let copy = 0; copy < copies; copy += 1)
      await store.command('ALTER TABLE items ATTACH PARTITION 1 FROM others');
  };
  await attach(500_000, 1);
  await attach(1_000, 4);
  const own = atRest();
  own.inserted();
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(merged).toEqual([]);
  await store.command('TRUNCATE TABLE items');
  await attach(200_000, 4);
  own.inserted();
  await expect.poll(() => parts('items'), { timeout: 20_000 }).toEqual([[2, 1_600_000]]);
}, 90_000);

it('waits for the end of the stream, and leaves off when rows come again', async () => {
  for (const table of ['items', 'others']) for (const id of [1, 3, 5]) await insert(table, id);
  const own = atRest({
    merge: async ({ TableName }) => {
      merged.push(TableName);
      own.inserted();
    },
  });
  const until = Date.now() + 900;
  while (Date.now() < until) {
    own.inserted();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(merged).toEqual([]);
  await expect.poll(() => merged, { timeout: 20_000 }).toEqual(['items']);
  await own.close();
  expect(merged).toEqual(['items']);
});

it('looks again when rows came while it merged', async () => {
  for (const id of [1, 3, 5]) await insert('items', id);
  let release = () => {};
  const own = atRest({
    merge: ({ TableName }, signal) => {
      merged.push(TableName);
      return new Promise((resolve, reject) => {
        release = resolve;
        signal.addEventListener('abort', () => reject(new Error('left')));
      });
    },
  });
  own.inserted();
  await expect.poll(() => merged, { timeout: 20_000 }).toEqual(['items']);
  for (const id of [1, 3, 5]) await insert('others', id);
  own.inserted();
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(merged).toEqual(['items']);
  release();
  await expect.poll(() => merged.length, { timeout: 20_000 }).toBeGreaterThan(1);
});

it('ends when the store does, and says what went wrong', async () => {
  for (const id of [1, 3, 5]) await insert('items', id);
  const said: unknown[] = [];
  const logger = { ...silentLogger, warn: (...what: unknown[]) => said.push(what) };
  const waiting = atRest({
    logger,
    merge: (_untidy, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('left')))),
  });
  waiting.inserted();
  await new Promise((resolve) => setTimeout(resolve, 700));
  await waiting.close();
  waiting.inserted();
  expect(said).toEqual([]);
  const failing = atRest({ logger, merge: () => Promise.reject(new Error('no room')) });
  failing.inserted();
  await expect.poll(() => said, { timeout: 20_000 }).toHaveLength(1);
});

it('leaves it to the engine to merge days to which nothing came for hours, while others get rows', async () => {
  const own = scratchDir();
  const open = () => openTelemetryStore({ kind: 'embedded', dataDir: own, logger: silentLogger });
  const days = async (of: TelemetryStore) =>
    (
      await of.select<{ Day: string; Parts: number }>(
        "SELECT partition AS Day, count() AS Parts FROM system.parts WHERE active AND table = 'days' GROUP BY Day ORDER BY Day",
      )
    ).map(({ Day, Parts }) => [Day, Parts]);
  const first = await open();
  await first.command(
    'CREATE TABLE days (Day Date, Text String) ENGINE = MergeTree ORDER BY tuple() PARTITION BY Day',
  );
  // Of parts of a few megabytes the engine waits for the eighth for days.
  for (const day of ['2026-11-19', '2026-11-19', '2026-11-20', '2026-11-20'])
    await first.command(`INSERT INTO days SELECT '${day}', randomString(100) FROM numbers(200000)`);
  expect(await days(first)).toEqual([
    ['2026-11-19', 2],
    ['2026-11-20', 2],
  ]);
  await first.close();
  const old = Date.now() / 1_000 - 7 * 3_600;
  const parts = globSync(join(own, '**', '20261119_*'));
  expect(parts).toHaveLength(2);
  for (const part of parts) utimesSync(part, old, old);
  const second = await open();
  await expect
    .poll(() => days(second), { timeout: 60_000, interval: 500 })
    .toEqual([
      ['2026-11-19', 1],
      ['2026-11-20', 2],
    ]);
  await second.close();
  rmSync(own, { recursive: true, force: true });
}, 90_000);

it('is what an embedded store does on its own', async () => {
  for (const id of [1, 3, 5]) await insert('items', id);
  await expect.poll(() => parts('items'), { timeout: 60_000, interval: 500 }).toEqual([[1, 3]]);
}, 90_000);

it('builds the indexes of parts that are too few to be merged, once', async () => {
  await store.command('ALTER TABLE items ADD INDEX idx_text Text TYPE tokenbf_v1(1024, 1, 0) GRANULARITY 1');
  const fill = (from: number, rows: number) =>
    store.command(
      `INSERT INTO items SELECT 2 * number + ${from}, 'text' FROM numbers(${rows}) SETTINGS exclude_materialize_skip_indexes_on_insert = 'idx_text'`,
    );
  const indexed = async () =>
    (
      await store.select<{ Rows: number; Has: number }>(
        "SELECT rows AS Rows, secondary_indices_compressed_bytes > 0 AS Has FROM system.parts WHERE active AND table = 'items' ORDER BY Rows",
      )
    ).map(({ Rows, Has }) => [Rows, Has]);
  await fill(0, 9_000);
  await fill(1, 100);
  expect(await indexed()).toEqual([
    [100, 0],
    [9_000, 0],
  ]);
  const own = atRest();
  own.inserted();
  await expect.poll(indexed, { timeout: 20_000 }).toEqual([
    [100, 0],
    [9_000, 1],
  ]);
  expect(merged).toEqual([]);
  own.inserted();
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(built).toEqual(['items 0 idx_text']);
  await fill(0, 10);
  own.inserted();
  await expect.poll(() => built.length, { timeout: 20_000 }).toBe(2);
});
