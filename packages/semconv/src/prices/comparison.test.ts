/**
 * Prices of another public list beside ours. It is a hint and no source: where the two differ, ours stays as its row says,
 * and the difference has a name here. A new one, and one that is gone, fail.
 */
import { expect, test } from 'vitest';
import type { TokenUsage } from '../types.ts';
import comparison from './fixtures/comparison.json' with { type: 'json' };
import { type PricedFacts, priceUsage } from './price-usage.ts';

type Rates = Partial<Record<keyof TokenUsage, number>>;
const ROWS = comparison.rows as unknown as readonly (readonly [
  provider: string,
  name: string,
  rates: Rates,
])[];
const NONE: TokenUsage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };
/** A Wednesday at noon and at two, UTC. */
const NOON = Date.UTC(2026, 10, 25, 12);
const PEAK = Date.UTC(2026, 10, 25, 2);

/** What the other list writes before a name, which its client takes away. */
const ROUTE =
  /^(?:azure|bedrock_mantle|bedrock|fireworks_ai|together_ai|groq|deepinfra|vertex_ai|dashscope|mistral|deepseek|xai|zai|perplexity)\//;

function rateOf(provider: string, name: string, kind: keyof TokenUsage, atMs = NOON): number | undefined {
  const facts: PricedFacts = {
    provider,
    requestModel: name.replace(ROUTE, ''),
    responseModel: '',
    operation: 'chat',
    // Few: long prompts cost more.
    usage: { ...NONE, [kind]: 1_000 },
  };
  const costUsd = priceUsage(facts, atMs)?.costUsd;
  return costUsd === undefined ? undefined : costUsd * 1_000;
}

/** Figures of the other list are rounded. */
const near = (a: number, b: number): boolean => Math.abs(a - b) <= 0.006 * b;

const DIFFERENCES: readonly {
  readonly why: string;
  readonly of: RegExp;
  readonly kind?: keyof TokenUsage;
}[] = [
  {
    why: 'a data zone of Azure stands in no name that Azure answers with: ours is the price of global deployments',
    of: /^azure azure\/(?:us|eu|apac|us-gov)\//,
  },
  {
    why: "the other list has a dearer rate than OpenAI's own, which our list takes for Azure",
    of: /^azure azure\/(?:gpt-4-turbo|text-embedding-)/,
  },
  {
    why: 'our list has no rate of cached input, so the full one holds',
    of: /^azure azure\/gpt-5\.\d-pro/,
    kind: 'cacheRead',
  },
  { why: 'our list has no rate of cached input, so the full one holds', of: /^mistral /, kind: 'cacheRead' },
  {
    why: 'the name stands for another version there',
    of: /^mistral mistral\/(?:mistral-medium-3$|magistral-|open-mistral-nemo)/,
  },
  {
    why: 'the rate of cached input is that of the page on its day',
    of: /^xai xai\/grok-4\.5|^perplexity perplexity\/xai\//,
    kind: 'cacheRead',
  },
  {
    why: "the other list has a rate of the host; ours is the maker's",
    of: /^google vertex_ai\/(?:gemini-2\.0-flash|claude-3-5-haiku)|^perplexity perplexity\/(?:openai\/gpt-5\.3-codex|google\/gemini-3\.6-flash)/,
  },
  {
    why: 'the name stands for the newest model since',
    of: /^deepseek (?:deepseek\/)?deepseek-(?:chat|reasoner)$/,
  },
  {
    why: 'our list has no rate of cached input, so the full one holds',
    of: /^zhipu zai\/glm-5v-turbo/,
    kind: 'cacheRead',
  },
  {
    why: 'the other list has the rate of another API of the same maker',
    of: /^perplexity perplexity\/perplexity\/sonar/,
  },
  { why: 'two public lists agree on ours, not seen on the page', of: /^alibaba dashscope\/qwen3\.8-/ },
  {
    why: 'our list has no premium of regions for these rows',
    of: /^aws\.bedrock (?:(?:apac|eu|us|jp)\.amazon\.nova-|bedrock\/us-gov-|anthropic\.claude-3-7-sonnet-20240620)/,
  },
  {
    why: 'the address of Bedrock, with its premium, stands in no name of a model',
    of: /^aws\.bedrock bedrock_mantle\//,
  },
  {
    why: 'the rates are those of the page on its day',
    of: /^fireworks fireworks_ai\/.*deepseek-v4-|^together together_ai\/meta-llama\/Llama-3\.3-70B/,
  },
];

test('each difference from the other list has a name, and each name a difference', () => {
  const used = new Set<string>();
  const nameless: string[] = [];
  for (const [provider, name, rates] of ROWS) {
    for (const [kind, theirs] of Object.entries(rates) as [keyof TokenUsage, number][]) {
      const ours = rateOf(provider, name, kind);
      // An unknown price is no wrong one.
      if (ours === undefined || near(ours, theirs)) continue;
      // The other list has the dear hours as the price.
      if (near(rateOf(provider, name, kind, PEAK) ?? 0, theirs)) continue;
      const found = DIFFERENCES.find(
        (one) => (one.kind ?? kind) === kind && one.of.test(`${provider} ${name}`),
      );
      if (found === undefined) nameless.push(`${provider} ${name} ${kind}: ${ours}, not ${theirs}`);
      else used.add(found.of.source);
    }
  }
  expect(nameless).toEqual([]);
  expect(DIFFERENCES.filter(({ of }) => !used.has(of.source))).toEqual([]);
});

test.each([
  ['openai', 'gpt-5.6-sol', { input: 4, output: 20, cacheRead: 0.4 }],
  ['openai', 'gpt-5.6-terra', { cacheWrite: 2.5 }],
  ['openai', 'gpt-3.5-turbo-1106', { input: 1, output: 2 }],
  ['groq', 'groq/openai/gpt-oss-120b', { cacheRead: 0.075 }],
  ['deepinfra', 'deepinfra/moonshotai/Kimi-K2.5', { input: 0.45, output: 2.25, cacheRead: 0.07 }],
  [
    'aws.bedrock',
    'eu.anthropic.claude-opus-4-7',
    { input: 5.5, output: 27.5, cacheRead: 0.55, cacheWrite: 6.875 },
  ],
] satisfies [string, string, Rates][])('%s %s, which was wrong once', (provider, name, rates) => {
  const ours = Object.fromEntries(
    Object.keys(rates).map((kind) => [kind, rateOf(provider, name, kind as keyof TokenUsage)]),
  );
  for (const [kind, rate] of Object.entries(rates)) expect(ours[kind], kind).toBeCloseTo(rate, 9);
});
