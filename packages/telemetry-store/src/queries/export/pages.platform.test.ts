import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BASE_MS, contextOf, LIMITS, openQueryBench, type QueryBench, span } from '../core/testing.ts';
import { createExportQueries } from './index.ts';

const LARGE = 60;
const SMALL = 3_000;
let bench: QueryBench;

beforeAll(async () => {
  bench = await openQueryBench();
  const large = () => ({ 'gen_ai.prompt': randomBytes(400_000).toString('hex') });
  for (let at = 0; at < LARGE; at += 20) {
    const places = Array.from({ length: 20 }, (_, index) => at + index);
    await bench.put(places.map((place) => span(1, place + 1, SMALL + place, { attributes: large() })));
  }
  const small = Array.from({ length: SMALL }, (_, place) => span(2, 10_000 + place, place));
  await bench.put(small);
  await bench.put(
    small.map((one, place) => ({
      ...one,
      spanId: `e${place}`.padStart(16, '0'),
      startTimeUnixNano: BigInt(BASE_MS) * 1_000_000n,
    })),
  );
});
afterAll(() => bench.close());

it('an export of large rows takes few at a time, of small ones many, and misses none', async () => {
  const queries = createExportQueries(bench.store, { ...LIMITS, maxMemoryBytes: 80_000_000 });
  const window = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 60_000) * 1_000_000n };
  const sizes: number[] = [];
  const seen = new Set<unknown>();
  const input = { window, filter: undefined, limit: 1_000_000 };
  for await (const page of queries.rows(contextOf(), 'spans', input, new AbortController().signal)) {
    sizes.push(page.length);
    for (const { row } of page) seen.add(row['spanId']);
  }
  expect(seen.size).toBe(LARGE + 2 * SMALL);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(LARGE + 2 * SMALL);
  expect(Math.max(...sizes.slice(0, 3))).toBeLessThan(LARGE);
  expect(Math.max(...sizes)).toBeGreaterThan(1_000);
});
