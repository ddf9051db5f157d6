import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Params } from './params.ts';
import { Scope, type Window } from './scope.ts';
import type { Source } from './source.ts';
import { contextOf, openQueryBench, type QueryBench } from './testing.ts';

/** A table whose every row is a granule of its own: what the primary key passes by shows. */
const PROBE: Source = {
  signal: 'spans',
  table: 'scope_probe',
  time: 'Timestamp',
  fields: {},
  mapOf() {
    throw new RangeError('no attributes');
  },
  pairs: new Map(),
};
/** Tenths of a second around 1970, an instant before and one after each. */
const INSTANTS = Array.from({ length: 600 }, (_, n) => BigInt(n - 200) * 100_000_000n + BigInt((n % 3) - 1));

let bench: QueryBench;
beforeAll(async () => {
  bench = await openQueryBench();
  await bench.store.command(
    `CREATE TABLE scope_probe (ProjectId String, Timestamp DateTime64(9), Ns Int64) ENGINE = MergeTree
     ORDER BY (ProjectId, Timestamp) SETTINGS index_granularity = 1`,
  );
  const rows = INSTANTS.map((ns) => `('default', fromUnixTimestamp64Nano(${ns}), ${ns})`);
  await bench.store.command(`INSERT INTO scope_probe VALUES ${rows.join(', ')}`);
});
afterAll(() => bench.close());

const found = async (windows: readonly Window[]): Promise<bigint[]> => {
  const scope = Scope.of(contextOf(), PROBE, new Params()).indexed(windows);
  const sql = `SELECT toString(Ns) AS At ${scope.from} ORDER BY Ns`;
  const rows = await bench.store.select<{ At: string }>(sql, scope.params.values);
  return rows.map(({ At }) => BigInt(At));
};

describe('windows told to the primary key', () => {
  it('lead to every row in them, and past most others', async () => {
    const instant = fc.bigInt({ min: -25_000_000_000n, max: 45_000_000_000n });
    const length = fc.oneof(
      fc.bigInt({ min: 1n, max: 3n }),
      fc.bigInt({ min: 1n, max: 2_000_000_000n }),
      fc.bigInt({ min: 4_900_000_000n, max: 12_000_000_000n }),
    );
    const window = fc.tuple(instant, length).map(([from, long]) => ({ from, to: from + long }));
    await fc.assert(
      fc.asyncProperty(fc.array(window, { minLength: 1, maxLength: 6 }), async (windows) => {
        const rows = await found(windows);
        const inside = INSTANTS.filter((at) => windows.some(({ from, to }) => at >= from && at < to));
        expect(rows).toEqual(expect.arrayContaining(inside));
        // The index knows where a granule begins and where the next one does: a second and a neighbour more each.
        const near = INSTANTS.filter((at) =>
          windows.some(({ from, to }) => at >= from - 1_200_000_000n && at < to + 1_200_000_000n),
        );
        expect(near).toEqual(expect.arrayContaining(rows));
      }),
      { numRuns: 150 },
    );
  });

  it('lead nowhere when there are none', async () => {
    expect(await found([])).toEqual([]);
  });
});
