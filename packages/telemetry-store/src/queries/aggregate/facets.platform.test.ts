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
import { createTelemetryQueries } from '../index.ts';
import type { FacetsInput } from './facets-input.ts';

const TIERS = ['gold', 'silver', 'gold', undefined, '', 'Gold'] as const;
/** Keys that mean something to SQL, to parameters or to the writing of statements. */
const HOSTILE = [
  "x'] = 'a' OR 1=1 --",
  '`tick`',
  '{p0:String}',
  'a b.c',
  '\\',
  '"quoted"',
  '__proto__',
  'größe',
  ')) UNION ALL SELECT 1',
];
const COUNT = 120;
const window = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 3_600_000) * 1_000_000n };
const context = contextOf();
let bench: QueryBench;

const attributesOf = (n: number) => {
  const tier = TIERS[n % TIERS.length];
  return {
    ...(tier === undefined ? {} : { 'customer.tier': tier, 'http.route': tier }),
    size: n % 3,
    ratio: 0.5,
    fresh: n % 2 === 0,
    long: n % 4 === 0 ? 'short' : 'x'.repeat(2_000),
    ...Object.fromEntries(HOSTILE.map((key) => [key, `of ${key}`])),
  };
};

beforeAll(async () => {
  bench = await openQueryBench();
  const spans = (project: string, change: (n: number) => Record<string, string | number | boolean>) =>
    bench.put(
      Array.from({ length: COUNT }, (_, n) =>
        span(n + 1, n + 1, n * 1_000, { name: `name ${n % 4}`, attributes: change(n) }),
      ),
      { project },
    );
  await spans('default', attributesOf);
  await spans('other', (n) => ({ 'customer.tier': 'secret', size: n }));
  await bench.putLogs(
    Array.from({ length: COUNT }, (_, n) => ({
      timeUnixNano: (BigInt(BASE_MS + n * 1_000) * 1_000_000n).toString(),
      body: 'of a customer',
      attributes: attributesOf(n),
    })),
  );
});
afterAll(() => bench.close());

const ask = async (input: Partial<FacetsInput> & { fields: string[] }, project?: string) => {
  const answer = await bench.queries.facets(project === undefined ? context : contextOf(project), {
    window,
    filter: undefined,
    limit: 12,
    ...input,
  });
  return answer.data;
};

/** What the rows say, counted here. */
function recounted(key: keyof ReturnType<typeof attributesOf>, where: (n: number) => boolean = () => true) {
  const counts = new Map<string, number>();
  for (let n = 0; n < COUNT; n += 1) {
    const value = String(attributesOf(n)[key] ?? '');
    if (where(n) && value !== '') counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

describe.each(['spans', 'logs'] as const)('attributes of %s', (signal) => {
  it.each(['customer.tier', 'size', 'ratio', 'fresh'] as const)('count as facets: %s', async (key) => {
    const field = `attributes.${key}`;
    const [found] = await ask({ signal, fields: [field] });
    expect(found).toEqual({ field, values: recounted(key), more: false });
  });

  it('are counted together, with a filter and with fields of the rollup', async () => {
    const fields = ['attributes.customer.tier', 'service', 'attributes.size'];
    const filter = parseFilterOrFail('attributes.fresh:true', signal);
    const found = await ask({ signal, fields, filter });
    const isFresh = (n: number) => n % 2 === 0;
    expect(found.map(({ field }) => field)).toEqual(fields);
    expect(found[0]?.values).toEqual(recounted('customer.tier', isFresh));
    expect(found[2]?.values).toEqual(recounted('size', isFresh));
    const alone = await ask({ signal, fields: [fields[0] ?? ''], filter });
    expect(alone[0]).toEqual(found[0]);
  });

  it('take a search and a limit', async () => {
    const fields = ['attributes.customer.tier'];
    const [first] = await ask({ signal, fields, search: 'OLD', limit: 1 });
    expect(first).toMatchObject({ values: [{ value: 'gold', count: COUNT / 3 }], more: true });
  });

  it('leave out values that are too long to be chosen', async () => {
    const [found] = await ask({ signal, fields: ['attributes.long'] });
    expect(found?.values).toEqual([{ value: 'short', count: COUNT / 4 }]);
  });

  it.each(HOSTILE)('are bound, never written into a statement: %s', async (key) => {
    const field = `attributes.${key}`;
    const { store, statements } = recordStatements(bench.store);
    const { data } = await createTelemetryQueries(store, LIMITS).facets(context, {
      signal,
      window,
      filter: undefined,
      fields: [field],
      limit: 12,
    });
    expect(data).toEqual([{ field, values: [{ value: `of ${key}`, count: COUNT }], more: false }]);
    if (key !== '\\' && key !== '{p0:String}') expect(statements.join('\n')).not.toContain(key);
  });
});

describe('facets', () => {
  it('are those of the project that asks', async () => {
    const fields = ['attributes.customer.tier'];
    const [other] = await ask({ fields }, 'other');
    expect(other?.values).toEqual([{ value: 'secret', count: COUNT }]);
    expect(JSON.stringify(await ask({ fields }))).not.toContain('secret');
    expect((await ask({ fields }, 'nobody'))[0]?.values).toEqual([]);
  });

  it('come from the column of an attribute that has one, and tell of keys that have none', async () => {
    const asked: { sql: string; keys: readonly string[] }[] = [];
    const store = {
      ...bench.store,
      select: <T>(...[sql, params, options]: Parameters<typeof bench.store.select>) => {
        asked.push({ sql, keys: (options?.attributes ?? []).map(({ key }) => key) });
        return bench.store.select<T>(sql, params, options);
      },
    };
    const queries = createTelemetryQueries(store, LIMITS);
    const of = async (field: string) =>
      (await queries.facets(context, { window, filter: undefined, fields: [field], limit: 12 })).data;
    const [own] = await of('attributes.http.route');
    const [other] = await of('attributes.customer.tier');
    expect(own?.values).toEqual(other?.values);
    expect(asked[0]?.sql).not.toContain('SpanAttributes');
    expect(asked.map(({ keys }) => keys)).toEqual([[], ['customer.tier']]);
  });

  it('take other names of a field, and answer by the name that was asked', async () => {
    const [short, long, shouted] = await ask({ fields: ['env', 'environment', 'Environment'] });
    expect([short?.field, long?.field, shouted?.field]).toEqual(['env', 'environment', 'Environment']);
    expect(short?.values).toEqual([{ value: 'production', count: COUNT }]);
    expect([long?.values, shouted?.values]).toEqual([short?.values, short?.values]);
  });

  it.each([
    ['spans', 'servce', /There is no field "servce"\. Did you mean "service"/],
    ['spans', 'customer.tier', /Did you mean "attributes\.customer\.tier"/],
    ['spans', 'attributes.', /Behind "attributes\." a key is missing/],
    ['logs', 'name', /The field "name" does not exist on logs/],
    ['exceptions', 'attributes.size', /Exceptions are not searched by "attributes"/],
    ['spans', 'prompt', /"prompt" is searched by words: it has no values to count/],
    ['logs', 'body', /"body" is searched by words/],
    ['exceptions', 'message', /"message" is searched by words/],
    ['spans', 'cost', /"cost" is a number/],
    ['logs', 'body_size', /"body_size" is a number/],
    ['spans', 'attributes.gen_ai.input.messages', /holds messages: it has no values to count/],
    ['logs', 'attributes.gen_ai.output.messages', /holds messages/],
  ] as const)('of %s refuse %s', async (signal, field, message) => {
    await expect(ask({ signal, fields: ['service', field] })).rejects.toThrow(message);
  });

  it('count no more than a few attributes at once', async () => {
    const fields = Array.from({ length: 11 }, (_, n) => `attributes.k${n}`);
    await expect(ask({ fields })).rejects.toThrow(/At most 10 attributes can be counted at once, not 11/);
    expect(await ask({ fields: fields.slice(1) })).toHaveLength(10);
  });
});
