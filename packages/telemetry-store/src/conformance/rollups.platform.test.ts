import { globSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '@candela/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMBEDDED_DATABASE, openTelemetryStore } from '../client/open.ts';
import type { TelemetryStore } from '../client/types.ts';
import { backfill } from '../migrations/backfill.ts';
import { ROLLUPS, rollupsOf } from '../rollups/index.ts';
import { joinOf, keysOf, type Rollup, selectOf } from '../rollups/rollup.ts';
import { TABLES } from '../schema/tables.ts';
import { newStoreIn } from '../testing/migrated.ts';
import { eventually, scratchDir, startEngine } from './harness.ts';
import { randomRows } from './random-rows.ts';

const SOURCES = TABLES.filter(({ name }) => rollupsOf(name).length > 0);

let generator: Awaited<ReturnType<typeof startEngine>>;
let generatorDir: string;
beforeAll(async () => {
  generatorDir = scratchDir();
  generator = await startEngine(generatorDir);
});
afterAll(async () => {
  await generator.stop();
  rmSync(generatorDir, { recursive: true, force: true });
});

const openIn = (dataDir: string): Promise<TelemetryStore> =>
  openTelemetryStore({ kind: 'embedded', dataDir, logger: silentLogger, timing: { backOffMinMs: 50 } });

/** Rows of a rollup that its sources do not have or that it lacks. */
async function differences(store: TelemetryStore, rollup: Rollup): Promise<unknown[]> {
  const keys = keysOf(rollup).join(', ');
  const figures = rollup.columns
    .filter((column) => joinOf(column) !== undefined)
    .map((column) => {
      const join = joinOf(column) ?? '';
      const joined = `${join}(${column.name})`;
      // An alias of the column's own name would be taken for the column inside the next function.
      return `toString(${join === 'groupUniqArrayArray' ? `arraySort(${joined})` : joined}) AS J${column.name}`;
    })
    .join(', ');
  const columns = rollup.columns.map(({ name }) => name).join(', ');
  const raw = Object.keys(rollup.sources)
    .map((source) => `SELECT ${columns} FROM (${selectOf(rollup, source, source)})`)
    .join(' UNION ALL ');
  const stored = `SELECT ${keys}, ${figures} FROM ${rollup.name} GROUP BY ${keys}`;
  const wanted = `SELECT ${keys}, ${figures} FROM (${raw}) GROUP BY ${keys}`;
  return store.select(`SELECT 'missing' AS What, * FROM (${wanted} EXCEPT ${stored})
    UNION ALL SELECT 'too much' AS What, * FROM (${stored} EXCEPT ${wanted}) LIMIT 3`);
}

const countOf = async (store: TelemetryStore, table: string): Promise<number> =>
  (await store.select<{ n: number }>(`SELECT count() AS n FROM ${table}`))[0]?.n ?? -1;

describe('rollups', () => {
  let store: TelemetryStore;
  let dir: string;
  beforeAll(async () => {
    dir = newStoreIn(scratchDir());
    store = await openIn(dir);
    for (const source of SOURCES) {
      for (let n = 0; n < 4; n += 1) {
        const parts = [
          await randomRows(generator.client, source, 300, n * 2 + 1),
          await randomRows(generator.client, source, 200, n * 2 + 2),
        ];
        await store.insertNative(source.name, parts, `t${n}`);
        if (n % 2 === 0) await store.insertNative(source.name, parts, `t${n}`);
      }
    }
  });
  afterAll(async () => {
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it.each(ROLLUPS)('$name has exactly the declared columns', async (rollup) => {
    const described = await store.select<{ name: string; type: string; default_type: string }>(
      `DESCRIBE TABLE ${rollup.name}`,
    );
    // What the table works out by itself is no business of the rollup.
    const rows = described.filter((row) => row.default_type !== 'MATERIALIZED');
    expect(rows.map(({ name, type }) => ({ name, type }))).toEqual(rollup.columns);
  });

  it.each(ROLLUPS)(
    '$name has its keys as the sorting key, so that only equal rows are joined',
    async (rollup) => {
      const [row] = await store.select<{ sorting: string; partition: string }>(
        `SELECT sorting_key AS sorting, partition_key AS partition FROM system.tables WHERE database = currentDatabase() AND name = {name:String}`,
        { name: rollup.name },
      );
      // What is worked out from a key tells no rows apart that the key does not.
      const sorted = row?.sorting.replaceAll(/intDiv\(toUInt32\((\w+)\), \d+\)/g, '$1') ?? '';
      const grouped = `${sorted}, ${row?.partition.replaceAll(/[()]/g, '') ?? ''}`.split(', ');
      expect(row?.sorting.split(', ')).toEqual(
        expect.arrayContaining([...keysOf(rollup)].filter((key) => !row?.partition.includes(key))),
      );
      expect(new Set(grouped)).toEqual(new Set(keysOf(rollup)));
    },
  );

  it.each(ROLLUPS)('$name equals its select over all rows, repeated inserts included', async (rollup) => {
    expect(await countOf(store, rollup.name)).toBeGreaterThan(0);
    expect(await differences(store, rollup)).toEqual([]);
    await store.command(`OPTIMIZE TABLE ${rollup.name} FINAL`);
    expect(await differences(store, rollup)).toEqual([]);
  });

  it('are filled from what was there before them, also when that was cut off', {
    timeout: 60_000,
  }, async () => {
    await store.close();
    const engine = await startEngine(dir);
    try {
      for (const rollup of ROLLUPS) {
        const table = `${EMBEDDED_DATABASE}.${rollup.name}`;
        // As if a first try had been cut off: some rows are there.
        await engine.client.command({
          query: `ALTER TABLE ${table} DELETE WHERE rand() % 2 = 0 SETTINGS mutations_sync = 2`,
        });
        await backfill(
          engine.client,
          { database: EMBEDDED_DATABASE, cluster: undefined, storage: 'embedded' },
          rollup.name,
        );
      }
    } finally {
      await engine.stop();
    }
    store = await openIn(dir);
    for (const rollup of ROLLUPS) expect(await differences(store, rollup), rollup.name).toEqual([]);
  });

  it.each(SOURCES)('rows of $name with any values at all are taken', async (source) => {
    for (let seed = 1; seed <= 4; seed += 1) {
      const part = await randomRows(generator.client, source, 200, seed * 1_000, true);
      await store.insertNative(source.name, [part], `hostile-${seed}`);
    }
  });
});

describe('rollups of rows that have nothing in common', () => {
  it.each([
    ['span_counts', 'otel_traces', 'Spans'],
    ['log_counts', 'otel_logs', 'Records'],
    ['metric_series', 'otel_metrics_gauge', 'Points'],
  ])('%s is never longer than %s and counts every row', async (rollup, table, figure) => {
    const source = SOURCES.find(({ name }) => name === table);
    if (source === undefined) throw new Error(`${table} has no rollups`);
    const dir = newStoreIn(scratchDir());
    const store = await openIn(dir);
    try {
      for (let n = 1; n <= 3; n += 1) {
        // Names, services and attributes of any value: hardly two rows group.
        const part = await randomRows(generator.client, source, 3_000, n, true);
        await store.insertNative(table, [part], `apart-${n}`);
      }
      const rows = await countOf(store, table);
      expect(rows).toBe(9_000);
      const groups = await countOf(store, rollup);
      expect(groups).toBeGreaterThan(rows / 2);
      expect(groups).toBeLessThanOrEqual(rows);
      const [sum] = await store.select<{ n: number }>(`SELECT sum(${figure}) AS n FROM ${rollup}`);
      expect(sum?.n).toBe(rows);
    } finally {
      await store.close();
      rmSync(dir, { recursive: true, force: true });
    }
  });
});

/** Tries until the engine lives long enough. */
async function insertWhole(store: TelemetryStore, table: string, part: Uint8Array, token: string) {
  for (;;) {
    try {
      await store.insertNative(table, [part], token);
      return;
    } catch {
      await sleep(50);
    }
  }
}

/** All tables at once: one engine and one blow for all of them, where each on its own would need as many. */
describe('rollups and a killed engine', () => {
  const KILLS = 8;

  it('hold every row exactly once after kills', { timeout: 240_000 }, async () => {
    const dir = newStoreIn(scratchDir());
    const store = await openIn(dir);
    try {
      let killed = 0;
      const inserted = SOURCES.map(() => 0);
      const killer = (async () => {
        while (killed < KILLS) {
          await eventually('ready', () => store.health().state === 'ready');
          await sleep(20 + Math.random() * 180);
          const { pid } = store.health();
          if (pid === undefined) continue;
          process.kill(pid, 'SIGKILL');
          killed += 1;
          await sleep(100);
        }
      })();
      await Promise.all(
        SOURCES.map(async (source, index) => {
          // Until the last blow fell, so that each of them meets inserts of every table.
          for (let n = 0; n < 10 || killed < KILLS; n += 1) {
            const part = await randomRows(generator.client, source, 100, n + 1);
            await insertWhole(store, source.name, part, `kill-${n}`);
            inserted[index] = n + 1;
          }
        }),
      );
      await killer;
      await eventually('ready', () => store.health().state === 'ready');
      for (const [index, source] of SOURCES.entries()) {
        expect(await countOf(store, source.name), source.name).toBe((inserted[index] ?? 0) * 100);
      }
      for (const rollup of ROLLUPS) expect(await differences(store, rollup), rollup.name).toEqual([]);
    } finally {
      await store.close();
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it('cut off between token and part are filled by the repeat', async () => {
    const dir = newStoreIn(scratchDir());
    const parts = await Promise.all(SOURCES.map((source) => randomRows(generator.client, source, 200, 7)));
    const insertAll = async (store: TelemetryStore): Promise<void> => {
      for (const [index, source] of SOURCES.entries()) {
        await store.insertNative(source.name, [parts[index] ?? new Uint8Array()], 'cut');
      }
    };
    const first = await openIn(dir);
    await first.command('SYSTEM STOP MERGES');
    await insertAll(first);
    const stored = await first.select<{ name: string; path: string }>(
      'SELECT table AS name, any(path) AS path FROM system.parts WHERE active AND database = currentDatabase() GROUP BY name',
    );
    await first.close();
    for (const { name } of ROLLUPS) {
      const path = stored.find((part) => part.name === name)?.path ?? '';
      // The engine notes the token first and renames the part into place after it: as if killed in between.
      const [tableDir] = globSync(join(dir, 'engine/store/store/*', dirname(path).split('/').at(-1) ?? ''));
      rmSync(join(tableDir ?? '', path.split('/').at(-2) ?? ''), { recursive: true });
    }
    const again = await openIn(dir);
    try {
      for (const rollup of ROLLUPS) expect(await differences(again, rollup), rollup.name).not.toEqual([]);
      await insertAll(again);
      await insertAll(again);
      for (const rollup of ROLLUPS) expect(await differences(again, rollup), rollup.name).toEqual([]);
    } finally {
      await again.close();
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
