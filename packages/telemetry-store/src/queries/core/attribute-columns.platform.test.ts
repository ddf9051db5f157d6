import type { Filter } from '@candela/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTelemetryQueries } from '../index.ts';
import {
  BASE_MS,
  contextOf,
  LIMITS,
  openQueryBench,
  type QueryBench,
  recordStatements,
  span,
} from './testing.ts';

const context = contextOf();
const window = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 3_600_000) * 1_000_000n };
const VALUES = ['/chat', '/chat/é', '', '500', '5e2', undefined];
let bench: QueryBench;

beforeAll(async () => {
  bench = await openQueryBench();
  // The same value under a key that has a column and under one that has none.
  await bench.put(
    Array.from({ length: 60 }, (_, n) => {
      const value = VALUES[n % VALUES.length];
      return span(n + 1, n + 1, n * 1_000, {
        attributes: { n, ...(value === undefined ? {} : { 'http.route': value, 'own.route': value }) },
      });
    }),
  );
});
afterAll(() => bench.close());

const askedOf = async (body: { groupBy?: string; filter?: Filter; bucketSeconds?: number }) => {
  const { store, statements } = recordStatements(bench.store);
  const { rows } = await createTelemetryQueries(store, LIMITS).aggregate(context, {
    window,
    filter: body.filter,
    groupBy: body.groupBy === undefined ? [] : [body.groupBy],
    measures: ['count', 'duration_p95'],
    bucketSeconds: body.bucketSeconds,
    limit: 20,
  });
  return { rows, statements: statements.join('\n') };
};

describe('an attribute with a column of its own', () => {
  it.each([undefined, 10])(
    'is grouped by as any other, from the column alone (buckets of %o s)',
    async (seconds) => {
      const width = seconds === undefined ? {} : { bucketSeconds: seconds };
      const own = await askedOf({ groupBy: 'attributes.http.route', ...width });
      const other = await askedOf({ groupBy: 'attributes.own.route', ...width });
      expect(own.rows).toEqual(other.rows);
      expect(own.rows.length).toBeGreaterThan(4);
      expect(own.statements).toContain('HttpRoute');
      expect(own.statements).not.toContain('SpanAttributes');
      expect(other.statements).toContain('SpanAttributes.values[indexOf(SpanAttributes.keys, ');
    },
  );

  const conditions: readonly (readonly [
    string,
    Omit<Extract<Filter, { field: string }>, 'field'>,
    number,
  ])[] = [
    ['equal', { op: '=', value: '/chat' }, 10],
    ['equal to the empty text', { op: '=', value: '' }, 10],
    ['not equal', { op: '!=', value: '/chat' }, 50],
    ['not the empty text', { op: '!=', value: '' }, 50],
    ['one of', { op: 'in', value: ['/chat', '500'] }, 20],
    ['one of, or empty', { op: 'in', value: ['/chat', ''] }, 20],
    ['none of', { op: 'not_in', value: ['/chat', ''] }, 40],
    ['there', { op: 'exists' }, 50],
    ['not there', { op: 'not_exists' }, 10],
    ['holding a text', { op: 'contains', value: 'CHAT' }, 20],
    ['a pattern', { op: 'regex', value: '^$' }, 10],
    ['above', { op: '>', value: 499 }, 20],
    ['between', { op: 'between', value: [500, 500] }, 20],
  ];
  it.each(conditions)('is filtered as any other: %s', async (_, condition, matching) => {
    const of = (field: string) => askedOf({ filter: { field, ...condition } });
    const own = await of('attributes.http.route');
    expect(own.rows[0]?.values[0]).toBe(matching);
    expect(own.rows).toEqual((await of('attributes.own.route')).rows);
    // The index over pairs is told of it all the same; that reads nothing.
    if (condition.op === '=' && condition.value !== '') {
      expect(own.statements).toContain('HttpRoute = {');
      expect(own.statements).not.toContain('SpanAttributes.keys');
    }
  });
});
