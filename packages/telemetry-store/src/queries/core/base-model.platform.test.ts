/** One identity of a model: calls that failed under the name asked for, and those that a build answered. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BASE_MS, contextOf, openQueryBench, type QueryBench, span } from './testing.ts';

let bench: QueryBench;
/** Requested, answered ('' where the call failed), the one name. */
const CALLS: readonly (readonly [string, string, string])[] = [
  ['gpt-4o', 'gpt-4o-2024-08-06', 'gpt-4o'],
  ['gpt-4o', '', 'gpt-4o'],
  ['openai/gpt-4o', '', 'gpt-4o'],
  ['gpt-4o-mini', 'gpt-4o-mini-2024-07-18', 'gpt-4o-mini'],
  ['gpt-4', 'gpt-4-0613', 'gpt-4'],
  ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', '', 'claude-sonnet-4-5'],
  [
    'arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
    '',
    'claude-sonnet-4-5',
  ],
  ['claude-sonnet-4-5@20250929', '', 'claude-sonnet-4-5'],
  ['models/gemini-2.0-flash-001', '', 'gemini-2.0-flash'],
  ['mistral-large-latest', 'mistral-large-2411', 'mistral-large'],
  ['Llama-3.3-70B-Instruct', '', 'llama-3.3-70b-instruct'],
  ['ft:gpt-4o-mini-2024-07-18:acme::abc', '', 'ft:gpt-4o-mini-2024-07-18:acme::abc'],
];

beforeAll(async () => {
  bench = await openQueryBench();
  await bench.put(
    CALLS.map(([requested, answered], index) =>
      span(index + 1, index + 100, index, {
        ...(answered === '' ? { status: { code: 2, message: 'limit' } } : {}),
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.request.model': requested,
          ...(answered === '' ? {} : { 'gen_ai.response.model': answered }),
        },
      }),
    ),
  );
});
afterAll(async () => {
  await bench.close();
});

const ask = (window: { from: bigint; to: bigint }, q: object | undefined) =>
  bench.queries.aggregate(contextOf(), {
    signal: 'spans',
    window,
    filter: q as never,
    groupBy: ['base_model'],
    measures: ['count', 'error_rate'],
    bucketSeconds: undefined,
    comparePrevious: false,
    limit: 50,
  } as never);

it.each([
  ['the rollup', BigInt(BASE_MS) * 1_000_000n, undefined],
  ['rows', BigInt(BASE_MS - 7) * 1_000_000n, { field: 'duration_ms', op: '>', value: 0 }],
] as const)('counts calls of a model together, by %s', async (source, from, filter) => {
  const { rows, source: used } = await ask({ from, to: from + 600_000_000_000n }, filter);
  expect(used).toBe(source === 'rows' ? 'rows' : 'rollup');
  const wanted = new Map<string, { calls: number; failed: number }>();
  for (const [, answered, name] of CALLS) {
    const { calls, failed } = wanted.get(name) ?? { calls: 0, failed: 0 };
    wanted.set(name, { calls: calls + 1, failed: failed + Number(answered === '') });
  }
  expect(new Map(rows.map(({ group, values }) => [group[0], values]))).toEqual(
    new Map([...wanted].map(([name, { calls, failed }]) => [name, [calls, failed / calls]])),
  );
});
