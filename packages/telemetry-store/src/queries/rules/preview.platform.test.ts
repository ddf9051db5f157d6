import type { Condition, Rule } from '@candela/rules';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BASE_MS,
  contextOf,
  id,
  LIMITS,
  openQueryBench,
  type QueryBench,
  recordStatements,
  span,
} from '../core/testing.ts';
import { createRuleQueries } from './index.ts';

const MINUTE = 60_000;
const window = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 60 * MINUTE) * 1_000_000n };
let bench: QueryBench;

const is = (
  field: string,
  operator: Condition['operator'],
  value: string,
  dataType: Condition['dataType'] = 'string',
): Condition => ({
  field,
  operator,
  value,
  dataType,
});
const all = (...conditions: Condition[]): Rule => ({
  groupOperator: 'AND',
  groups: [{ operator: 'AND', conditions }],
});
const preview = (rule: Rule, project = 'default', environment?: string) =>
  createRuleQueries(bench.store, LIMITS).preview(contextOf(project, environment), { rule, window, limit: 5 });

beforeAll(async () => {
  bench = await openQueryBench();
  // 40 model calls, a minute apart: two models, every fourth fails, durations of 0 to 39 ms.
  await bench.put(
    Array.from({ length: 40 }, (_, n) => {
      const at = span(n + 1, n + 1, n * MINUTE);
      return {
        ...at,
        name: n % 2 === 0 ? 'chat' : 'embed',
        kind: 3,
        endTimeUnixNano: BigInt(BASE_MS + n * MINUTE + n) * 1_000_000n,
        ...(n % 4 === 0 ? { status: { code: 2, message: 'no quota' } } : {}),
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'openai',
          'gen_ai.request.model': n % 2 === 0 ? 'gpt-4o' : 'gpt-4o-mini',
          'gen_ai.usage.input_tokens': n,
          'user.tier': n < 10 ? 'free' : 'pro',
          'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"refund?"}]}]',
          Model: 'mine',
          // One of the attributes that have a column beside the map.
          'http.route': '/chat',
          streaming: n % 2 === 1,
        },
      };
    }),
    { resource: { 'host.name': 'web-1' } },
  );
  // The same facts in another convention, and in another environment and project.
  await bench.put(
    [
      span(101, 101, 50 * MINUTE, {
        attributes: {
          'openinference.span.kind': 'LLM',
          'llm.model_name': 'claude-x',
          'llm.token_count.prompt': 77,
        },
      }),
    ],
    { environment: 'staging', service: 'other' },
  );
  await bench.put([span(201, 201, 1_000, { attributes: { 'user.tier': 'free' } })], { project: 'foreign' });
});
afterAll(() => bench.close());

describe('the preview of a rule', () => {
  it('counts what matches, what each condition matches, and what each keeps out', async () => {
    const found = await preview(
      all(
        is('user.tier', 'equals', 'free'),
        is('model', 'equals', 'gpt-4o'),
        is('duration_ms', 'gte', '4', 'number'),
      ),
    );
    expect(found).toMatchObject({ total: 41, seen: 41, sampled: false, matched: 3, newestSince: null });
    expect(found.conditions).toEqual([
      [
        { matched: 10, excluded: 15 },
        { matched: 20, excluded: 3 },
        { matched: 37, excluded: 2 },
      ],
    ]);
    expect(found.newest.map(({ spanId }) => Number.parseInt(spanId, 16))).toEqual([9, 7, 5]);
    expect(found.newest[0]).toMatchObject({ name: 'chat', service: 'shop', model: 'gpt-4o', durationMs: 8 });
  });

  it('of groups, and without its only condition a rule lets everything in', async () => {
    const either: Rule = {
      groupOperator: 'OR',
      groups: [
        { operator: 'AND', conditions: [is('StatusCode', 'equals', 'Error')] },
        { operator: 'AND', conditions: [is('user.tier', 'equals', 'free'), is('name', 'equals', 'embed')] },
      ],
    };
    const found = await preview(either);
    expect(found.matched).toBe(15);
    expect(found.conditions).toEqual([
      [{ matched: 10, excluded: 0 }],
      [
        { matched: 10, excluded: 15 },
        { matched: 20, excluded: 2 },
      ],
    ]);
    const single = await preview(all(is('status', 'equals', 'error')));
    expect(single.conditions).toEqual([[{ matched: 10, excluded: 31 }]]);
    expect(await preview({ groupOperator: 'AND', groups: [] })).toMatchObject({
      seen: 41,
      matched: 0,
      newest: [],
    });
  });

  it('only counts when no spans are to be listed', async () => {
    const { store, statements } = recordStatements(bench.store);
    const rule = all(is('status', 'equals', 'error'));
    const found = await createRuleQueries(store, LIMITS).preview(contextOf(), { rule, window, limit: 0 });
    expect(found).toMatchObject({ matched: 10, newest: [], newestSince: null });
    expect(statements).toHaveLength(2);
  });

  it('sees the project and environment of who asks, nothing else', async () => {
    const rule = all(is('user.tier', 'equals', 'free'));
    expect(await preview(rule, 'foreign')).toMatchObject({ total: 1, matched: 1 });
    expect(await preview(rule, 'default', 'staging')).toMatchObject({ total: 1, matched: 0 });
    expect(await preview(rule, 'nobody')).toMatchObject({ total: 0, seen: 0, matched: 0, newest: [] });
  });

  it('takes a sample of a window of many spans, and says so', async () => {
    const many = 60_000;
    for (let start = 0; start < many; start += 10_000) {
      const spans = Array.from({ length: 10_000 }, (_, n) =>
        span(start + n + 1, start + n + 1, (start + n) * 59, { attributes: { third: (start + n) % 3 } }),
      );
      await bench.put(spans, { project: 'many' });
    }
    const found = await preview(all(is('third', 'equals', '0', 'number')), 'many');
    expect(found).toMatchObject({ total: many, sampled: true, newestSince: null });
    expect(found.seen).toBeGreaterThan(40_000);
    expect(found.seen).toBeLessThan(50_000);
    expect(found.matched / found.seen).toBeCloseTo(1 / 3, 2);
    expect(found.newest).toHaveLength(5);
  });

  it('binds every value and name; no text of the rule is in a statement', async () => {
    const { store, statements } = recordStatements(bench.store);
    const hostile = "x' OR 1=1 -- \\ {p0:String}";
    const found = await createRuleQueries(store, LIMITS).preview(contextOf(), {
      rule: all(
        is(hostile, 'not_equals', hostile),
        is('name', 'in', `${hostile},b`),
        is('name', 'regex', 'zzz'),
      ),
      window,
      limit: 5,
    });
    expect(found.matched).toBe(0);
    expect(statements.length).toBeGreaterThanOrEqual(3);
    for (const said of statements) {
      expect(said).not.toContain('OR 1=1');
      expect(said).not.toContain('zzz');
    }
    expect(statements.at(-1)).toMatch(/has\(\{p\d+:Array\(String\)\}, toString\(SpanName\)\)/);
  });
});

describe('names of fields', () => {
  it.each<[name: string, seen: string | undefined]>([
    ['ServiceName', 'shop'],
    ['SpanName', 'embed'],
    ['SpanKind', 'Client'],
    ['StatusCode', 'Unset'],
    ['Duration', '5000000'],
    ['service', 'shop'],
    ['name', 'embed'],
    ['kind', 'client'],
    ['status', 'unset'],
    ['duration_ms', '5'],
    ['duration', '5'],
    ['model', 'gpt-4o-mini'],
    ['input_tokens', '5'],
    ['environment', 'production'],
    ['root', 'true'],
    // Keys are as they are sent: `Model` is no short name.
    ['Model', 'mine'],
    ['MODEL', undefined],
    ['streaming', 'true'],
    ['http.route', '/chat'],
    ['attributes.http.route', '/chat'],
    ['user.tier', 'free'],
    ['attributes.user.tier', 'free'],
    ['resource.user.tier', undefined],
    ['host.name', 'web-1'],
    ['resource.host.name', 'web-1'],
    ['attributes.host.name', undefined],
    ['service.name', 'shop'],
    ['gen_ai.request.model', 'gpt-4o-mini'],
    ['gen_ai.input.messages', '[{"role":"user","parts":[{"type":"text","content":"refund?"}]}]'],
    // Searched by words, and nothing to compare: an attribute of that name, which nobody sent.
    ['prompt', undefined],
    ['', undefined],
  ])('%s', async (name, seen) => {
    const queries = createRuleQueries(bench.store, LIMITS);
    const ids = { traceId: id(6, 32), spanId: id(6, 16) };
    const fields = await queries.spanFields(contextOf(), ids, [name]);
    expect(fields.get(name)).toBe(seen);
    // What a span shows for a field is what the preview compares.
    if (seen !== undefined) {
      const found = await preview(all(is(name, 'equals', seen), is('span_id', 'equals', id(6, 16))));
      expect(found.matched).toBe(1);
    }
  });

  it('of a convention stand for what another one says', async () => {
    const queries = createRuleQueries(bench.store, LIMITS);
    const ids = { traceId: id(101, 32), spanId: id(101, 16) };
    const fields = await queries.spanFields(contextOf(), ids, [
      'gen_ai.request.model',
      'gen_ai.usage.input_tokens',
    ]);
    expect([...fields]).toEqual([
      ['gen_ai.request.model', 'claude-x'],
      ['gen_ai.usage.input_tokens', '77'],
    ]);
    const found = await preview(all(is('gen_ai.usage.input_tokens', 'between', '70,80', 'number')));
    expect(found.newest.map(({ service }) => service)).toEqual(['other']);
  });

  it('of a span of another project are not read', async () => {
    const queries = createRuleQueries(bench.store, LIMITS);
    const ids = { traceId: id(6, 32), spanId: id(6, 16) };
    await expect(queries.spanFields(contextOf('foreign'), ids, ['name'])).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
