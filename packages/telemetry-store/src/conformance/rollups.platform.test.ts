import { globSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '@candela/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMBEDDED_DATABASE, openTelemetryStore } from '../client/store.ts';
import type { TelemetryStore } from '../client/types.ts';
import { backfill } from '../migrations/backfill.ts';
import { ROLLUPS, rollupsOf } from '../rollups/index.ts';
import { joinOf, keysOf, type Rollup, selectOf } from '../rollups/rollup.ts';
import { TABLES } from '../schema/tables.ts';
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
    dir = scratchDir();
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
    const rows = await store.select<{ name: string; type: string }>(`DESCRIBE TABLE ${rollup.name}`);
    expect(rows.map(({ name, type }) => ({ name, type }))).toEqual(rollup.columns);
  });

  it.each(ROLLUPS)(
    '$name has its keys as the sorting key, so that only equal rows are joined',
    async (rollup) => {
      const [row] = await store.select<{ sorting: string; partition: string }>(
        `SELECT sorting_key AS sorting, partition_key AS partition FROM system.tables WHERE database = currentDatabase() AND name = {name:String}`,
        { name: rollup.name },
      );
      const grouped = `${row?.sorting ?? ''}, ${row?.partition.replaceAll(/[()]/g, '') ?? ''}`.split(', ');
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

describe('rollups and a killed engine', () => {
  it.each(SOURCES)(
    'rollups of $name hold every row exactly once after kills',
    { timeout: 120_000 },
    async (source) => {
      const dir = scratchDir();
      const store = await openIn(dir);
      try {
        const parts = await Promise.all(
          Array.from({ length: 30 }, (_, n) => randomRows(generator.client, source, 100, n + 1)),
        );
        let done = false;
        const killer = (async () => {
          for (let round = 0; !done && round < 8; round += 1) {
            await eventually('ready', () => store.health().state === 'ready');
            await sleep(20 + Math.random() * 180);
            const { pid } = store.health();
            if (!done && pid !== undefined) process.kill(pid, 'SIGKILL');
            await sleep(100);
          }
        })();
        for (const [n, part] of parts.entries()) {
          for (;;) {
            try {
              await store.insertNative(source.name, [part], `kill-${n}`);
              break;
            } catch {
              await sleep(50);
            }
          }
        }
        done = true;
        await killer;
        await eventually('ready', () => store.health().state === 'ready');
        expect(await countOf(store, source.name)).toBe(3_000);
        for (const rollup of rollupsOf(source.name)) expect(await differences(store, rollup)).toEqual([]);
      } finally {
        await store.close();
        rmSync(dir, { recursive: true, force: true });
      }
    },
  );

  it.each(ROLLUPS)('$name cut off between token and part is filled by the repeat', async (rollup) => {
    const dir = scratchDir();
    const [sourceName = ''] = Object.keys(rollup.sources);
    const source = TABLES.find(({ name }) => name === sourceName);
    if (source === undefined) throw new Error(`${sourceName} is no table`);
    const part = await randomRows(generator.client, source, 200, 7);
    const first = await openIn(dir);
    await first.command(`SYSTEM STOP MERGES ${rollup.name}`);
    await first.insertNative(source.name, [part], 'cut');
    const [stored] = await first.select<{ path: string }>(
      `SELECT path FROM system.parts WHERE active AND database = currentDatabase() AND table = {name:String} LIMIT 1`,
      { name: rollup.name },
    );
    await first.close();
    // The engine notes the token first and renames the part into place after it: as if killed in between.
    const [tableDir] = globSync(
      join(
        dir,
        'engine/store/store/*',
        dirname(stored?.path ?? '')
          .split('/')
          .at(-1) ?? '',
      ),
    );
    rmSync(join(tableDir ?? '', stored?.path.split('/').at(-2) ?? ''), { recursive: true });
    const again = await openIn(dir);
    try {
      expect(await differences(again, rollup)).not.toEqual([]);
      await again.insertNative(source.name, [part], 'cut');
      await again.insertNative(source.name, [part], 'cut');
      expect(await differences(again, rollup)).toEqual([]);
    } finally {
      await again.close();
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
