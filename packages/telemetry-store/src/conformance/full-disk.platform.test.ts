import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '@candela/kernel';
import { expect, it } from 'vitest';
import { UnsureInsertError } from '../client/errors.ts';
import { openTelemetryStore } from '../client/open.ts';
import type { TelemetryStore } from '../client/types.ts';
import { scratchDir } from './harness.ts';
import { idTextBlock } from './native-block.ts';

const ROWS = 500;

function smallDisk(): string | undefined {
  const place = scratchDir();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', place], { stdio: 'pipe' });
    return place;
  } catch {
    rmSync(place, { recursive: true });
    process.stderr.write('SKIPPED: a full disk needs the right to mount a small tmpfs\n');
    return undefined;
  }
}

/** Inserts until it is told to stop, each block by its token until it is taken; the last one too. */
async function insertUntil(
  store: TelemetryStore,
  stop: { readonly now: boolean; unsure: number },
  stored: Set<number>,
  lane: number,
) {
  for (let n = lane; !stop.now; n += 100) {
    const rows = Array.from({ length: ROWS }, (_, at) => ({ id: n * ROWS + at, text: `text ${n} ${at}` }));
    while (!stored.has(n)) {
      const isStored = await store.insertNative('items', [idTextBlock(rows)], `token ${n}`).then(
        () => true,
        (thrown: unknown) => {
          if (thrown instanceof UnsureInsertError) stop.unsure += 1;
          return false;
        },
      );
      if (isStored) stored.add(n);
      else await sleep(20);
    }
  }
}

it('what a full disk cut off is not stored: every insert that passed is there once, after a start too', async () => {
  const place = smallDisk();
  if (place === undefined) return;
  const ballast = join(place, 'ballast');
  const open = () =>
    openTelemetryStore({ kind: 'embedded', dataDir: join(place, 'data'), logger: silentLogger });
  let store: TelemetryStore | undefined;
  try {
    mkdirSync(join(place, 'data'));
    store = await open();
    await store.command(
      'CREATE TABLE items (Id UInt64, Text String, INDEX words Text TYPE minmax) ENGINE = MergeTree ORDER BY Id SETTINGS non_replicated_deduplication_window = 1000',
    );
    const stop = { now: false, unsure: 0 };
    const stored = new Set<number>();
    const lanes = [1, 2, 3].map((lane) => insertUntil(store as TelemetryStore, stop, stored, lane));
    // Most often the engine sees in time that there is no room; until it did not a few times.
    const troubles = () => stop.unsure + (store?.health().restarts ?? 0);
    for (let round = 0; round < 150 && troubles() < 3; round += 1) {
      await sleep(20 + ((round * 37) % 150));
      spawnSync('sh', ['-c', `head -c 60000000 /dev/zero > ${ballast}`], { stdio: 'ignore' });
      await sleep(20);
      rmSync(ballast);
    }
    stop.now = true;
    await Promise.all(lanes);
    const count = async () => {
      const [row] = await (store as TelemetryStore).select<{ Rows: number; Ids: number }>(
        'SELECT count() AS Rows, uniqExact(Id) AS Ids FROM items',
      );
      return row;
    };
    const expected = { Rows: stored.size * ROWS, Ids: stored.size * ROWS };
    expect(troubles()).toBeGreaterThan(0);
    await expect.poll(count, { timeout: 30_000 }).toEqual(expected);
    await store.close();
    store = await open();
    expect(await count()).toEqual(expected);
    expect(store.health().damagedParts).toBe(0);
  } finally {
    await store?.close();
    execFileSync('umount', ['-l', place]);
    rmSync(place, { recursive: true });
  }
});
