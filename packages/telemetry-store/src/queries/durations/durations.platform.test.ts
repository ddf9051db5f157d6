import { parseFilterOrFail } from '@candela/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BASE_MS,
  contextOf,
  LIMITS,
  openQueryBench,
  type QueryBench,
  recordStatements,
  span,
} from '../core/testing.ts';
import { createDurationQueries } from './index.ts';

let bench: QueryBench;
const window = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 3_600_000) * 1_000_000n };
const NANOS = [0n, 500n, 1_000_000n, 1_100_000n, 2_000_000_000n, 3_000_000_000n];

beforeAll(async () => {
  bench = await openQueryBench();
  const spans = NANOS.map((nanos, index) => {
    const made = span(1 + index, 1 + index, index < 4 ? 0 : 60_000, { name: index < 2 ? 'tiny' : 'other' });
    return { ...made, endTimeUnixNano: BigInt(String(made.startTimeUnixNano)) + nanos };
  });
  await bench.put(spans);
  await bench.put(spans, { project: 'foreign' });
});
afterAll(() => bench.close());

describe('durations', () => {
  it('are counted by time and by half doublings, of one project', async () => {
    const { store, statements } = recordStatements(bench.store);
    const queries = createDurationQueries(store, LIMITS);
    const { cells, running } = await queries.durations(contextOf(), {
      window,
      filter: undefined,
      bucketSeconds: 60,
    });
    expect(running).toBe(0);
    expect(cells.reduce((sum, cell) => sum + cell.count, 0)).toBe(NANOS.length);
    for (const nanos of NANOS) {
      const ms = Number(nanos) / 1e6;
      expect(cells.some((cell) => ms >= cell.lowMs * 0.999 && ms < cell.highMs * 1.001)).toBe(true);
    }
    // Both below a microsecond are one cell, and begin at nothing.
    expect(cells[0]).toMatchObject({ startMs: BASE_MS, lowMs: 0, count: 2 });
    expect(new Set(cells.map((cell) => cell.startMs))).toEqual(new Set([BASE_MS, BASE_MS + 60_000]));
    expect(statements[0]?.replaceAll(/\s+/g, ' ')).toMatch(
      /FROM otel_traces WHERE ProjectId = \{p0:String\} AND \(Timestamp >= .* AND Timestamp < .*\) GROUP BY T, D ORDER BY T, D$/,
    );
    expect(statements[0]).not.toMatch(/Attributes/);
  });

  it('follow the filter and refuse more buckets than a chart has', async () => {
    const queries = createDurationQueries(bench.store, LIMITS);
    const filter = parseFilterOrFail('name:tiny', 'spans');
    const { cells } = await queries.durations(contextOf(), { window, filter, bucketSeconds: 60 });
    expect(cells).toHaveLength(1);
    await expect(
      queries.durations(contextOf(), { window, filter: undefined, bucketSeconds: 1 }),
    ).rejects.toThrow('At most 200');
    expect(await queries.durations(contextOf('nobody'), { window, filter, bucketSeconds: 60 })).toEqual({
      cells: [],
      running: 0,
      sample: null,
    });
  });
});
