import type { Filter } from '@candela/contract';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { LOGS } from '../logs/log-fields.ts';
import { SPANS } from '../spans/span-fields.ts';
import { compileFilter } from './filter.ts';
import { Params } from './params.ts';
import type { Source } from './source.ts';
import { BASE_MS, indexing, openQueryBench, type QueryBench, span } from './testing.ts';

/** Keys and values that are written like each other, or like what the index makes of them. */
const KEYS = ['plain', 'a=b', "it's", 'back\\slash', "x','y", 'über', 'tab\t', 'empty', "r','r"];
const VALUES = ['1', 'b=c', "it's", "y','r", "y')", '\\', 'é😀', '', "a','b", 'Plain', 'plain'];

let bench: QueryBench;
beforeAll(async () => {
  bench = await openQueryBench({ textIndex: true });
  let own = 1;
  const put = async (): Promise<void> => {
    for (const [at, key] of KEYS.entries()) {
      const attributes = {
        [key]: VALUES[at % VALUES.length] ?? '',
        other: VALUES[(at * 3) % VALUES.length] ?? '',
      };
      const place = {
        resource: { [KEYS[(at * 2) % KEYS.length] ?? '']: VALUES[(at * 5) % VALUES.length] ?? '' },
      };
      await bench.put([span(own, own, own, { attributes })], place);
      await bench.putLogs(
        [{ timeUnixNano: `${BigInt(BASE_MS + own) * 1_000_000n}`, body: 'b', attributes }],
        place,
      );
      own += 1;
    }
  };
  await put();
  for (const table of ['otel_traces', 'otel_logs']) {
    await vi.waitUntil(async () => (await bench.store.snapshot?.())?.indexesItems(table) === true, 30_000);
    await bench.store.command(`OPTIMIZE TABLE ${table} FINAL`);
  }
  // Parts of which the first merge makes the index.
  await put();
}, 120_000);
afterAll(() => bench.close());

async function found(source: Source, filter: Filter, params: Params): Promise<string> {
  const sql = `SELECT toString(groupArray(toUnixTimestamp64Nano(Timestamp))) AS Found
    FROM (SELECT Timestamp FROM ${source.table} WHERE ${compileFilter(source, filter, params)} ORDER BY Timestamp)`;
  const [row] = await bench.store.select<{ Found: string }>(sql, params.values, {
    usesTextIndex: params.usesTextIndex,
  });
  return row?.Found ?? '';
}

it.each([
  ['spans', SPANS],
  ['logs', LOGS],
] as const)('%s: the index tells the rows that the maps tell', async (_, source) => {
  let some = 0;
  for (const from of ['attributes', 'resource']) {
    for (const key of [...KEYS, 'other', 'absent']) {
      const filters: Filter[] = VALUES.map((value) => ({ field: `${from}.${key}`, op: '=', value }));
      filters.push(
        { field: `${from}.${key}`, op: 'in', value: ['1', 'b=c', ''] },
        { field: `${from}.${key}`, op: '!=', value: 'b=c' },
      );
      for (const filter of filters) {
        const params = new Params({ store: indexing(source.table) });
        const told = await found(source, filter, params);
        expect([told, params.usesTextIndex], JSON.stringify(filter)).toEqual([
          await found(source, filter, new Params()),
          true,
        ]);
        if (told !== '[]') some += 1;
      }
    }
  }
  expect(some).toBeGreaterThan(50);
});

it('no map is read, and of parts with the index only the granules with such a row are', async () => {
  const params = new Params({ store: indexing('otel_traces') });
  const condition = compileFilter(SPANS, { field: 'attributes.absent', op: '=', value: 'x' }, params);
  expect(condition).not.toContain('.keys');
  await bench.store.command('OPTIMIZE TABLE otel_traces FINAL');
  const plan = await bench.store.select<{ explain: string }>(
    `EXPLAIN indexes = 1 SELECT count() FROM otel_traces WHERE ${condition}`,
    params.values,
  );
  expect(
    plan.map(({ explain }) => explain.trim()).filter((line) => line.startsWith('Granules: 0/')).length,
  ).toBeGreaterThan(0);
});
