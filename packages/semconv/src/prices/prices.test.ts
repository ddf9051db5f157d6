import { describe, expect, test } from 'vitest';
import { caseSpans, spanOf } from '../conventions/fixtures/load.ts';
import { normaliseSpan } from '../normalise.ts';
import type { TokenUsage } from '../types.ts';
import { PRICE_LIST } from './list.ts';
import { modelNameCandidates } from './model-name.ts';
import { type PricedFacts, priceUsage } from './price-usage.ts';

const usage = { input: 1_000_000, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };
const idOf = (model: string, provider = '', responseModel = ''): string | undefined =>
  priceUsage({ provider, requestModel: model, responseModel, operation: 'chat', usage })?.priceId;

describe('the price list', () => {
  const entries = PRICE_LIST.providers.flatMap((provider) =>
    provider.models.map((entry) => ({ provider, entry })),
  );

  test('has at least 90 models of at least 14 providers', () => {
    expect(entries.length).toBeGreaterThanOrEqual(90);
    expect(PRICE_LIST.providers.length).toBeGreaterThanOrEqual(14);
    expect(entries.filter(({ entry }) => entry.verified !== false).length).toBeGreaterThanOrEqual(90);
  });

  test('every provider has a source and a date, every rate is a plausible number', () => {
    for (const provider of PRICE_LIST.providers) {
      expect(provider.source).toMatch(/^https:\/\//);
      expect(provider.asOf).toMatch(/^20\d{2}-\d{2}-\d{2}$/);
    }
    for (const { provider, entry } of entries) {
      for (const rates of [entry, ...(entry.longPrompt === undefined ? [] : [entry.longPrompt])]) {
        for (const rate of [rates.input, rates.output, rates.cacheRead, rates.cacheWrite, rates.reasoning]) {
          if (rate === undefined) continue;
          expect(rate, `${provider.provider}/${entry.model}`).toBeGreaterThanOrEqual(0);
          expect(rate, `${provider.provider}/${entry.model}`).toBeLessThanOrEqual(1000);
        }
        expect(rates.cacheRead ?? 0, entry.model).toBeLessThanOrEqual(rates.input);
      }
    }
  });

  test('no name stands for two models of one provider', () => {
    for (const provider of PRICE_LIST.providers) {
      const current = provider.models.filter(({ validTo }) => validTo === undefined);
      const names = current.flatMap((entry) => [entry.model, ...(entry.aliases ?? [])]);
      expect(
        names.filter((name, index) => names.indexOf(name) !== index),
        provider.provider,
      ).toEqual([]);
    }
  });

  test('every listed model finds itself', () => {
    for (const { provider, entry } of entries) {
      expect(idOf(entry.model, provider.provider)).toBe(`${provider.provider}/${entry.model}`);
    }
  });
});

describe('matching', () => {
  test.each([
    ['gpt-4o-2024-08-06', 'openai/gpt-4o'],
    ['gpt-4o-2024-05-13', 'openai/gpt-4o-2024-05-13'],
    ['gpt-4o-mini-2024-07-18', 'openai/gpt-4o-mini'],
    ['openai/gpt-4o-mini', 'openai/gpt-4o-mini'],
    ['GPT-4O-Mini', 'openai/gpt-4o-mini'],
    ['gpt-4-0613', 'openai/gpt-4'],
    ['claude-sonnet-4-5-20250929', 'anthropic/claude-sonnet-4-5'],
    ['claude-3-5-haiku-latest', 'anthropic/claude-3-5-haiku'],
    ['anthropic.claude-sonnet-4-5-20250929-v1:0', 'anthropic/claude-sonnet-4-5'],
    ['us.anthropic.claude-opus-4-5-20251101-v1:0', 'anthropic/claude-opus-4-5'],
    ['global.anthropic.claude-haiku-4-5-20251001-v1:0', 'anthropic/claude-haiku-4-5'],
    [
      'arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-6',
      'anthropic/claude-sonnet-4-6',
    ],
    ['claude-sonnet-5@20260601', 'anthropic/claude-sonnet-5'],
    ['models/gemini-2.5-flash', 'google/gemini-2.5-flash'],
    ['gemini-2.0-flash-001', 'google/gemini-2.0-flash'],
    ['us.amazon.nova-pro-v1:0', 'aws.bedrock/nova-pro'],
    ['amazon.titan-embed-text-v2:0', 'aws.bedrock/titan-embed-text-v2'],
    ['accounts/fireworks/models/glm-5p1', undefined],
    ['command-r-08-2024', 'cohere/command-r'],
    ['mistral-large-2411', 'mistral/mistral-large-2411'],
    ['text-embedding-3-small', 'openai/text-embedding-3-small'],
  ])('%s is %s', (model, id) => {
    expect(idOf(model)).toBe(id);
  });

  test.each([
    ['gpt-4o-minima'],
    ['gpt-4o-audio-preview'],
    ['gpt'],
    ['gpt-4o-'],
    ['claude'],
    ['my-gpt-4o'],
    ['gpt-4o-2024-08-06-ft'],
    [''],
  ])('%s has no price', (model) => {
    expect(idOf(model)).toBeUndefined();
  });

  test('a host has its own rates, and an open model elsewhere has none', () => {
    expect(idOf('openai/gpt-oss-120b', 'groq')).toBe('groq/gpt-oss-120b');
    expect(idOf('accounts/fireworks/models/glm-5p1', 'fireworks')).toBe('fireworks/glm-5p1');
    expect(idOf('gpt-oss-120b', 'ollama')).toBeUndefined();
    expect(idOf('gpt-4o', 'azure')).toBe('openai/gpt-4o');
    expect(idOf('deepseek-v4-pro', 'fireworks')).toBe('fireworks/deepseek-v4-pro');
    expect(idOf('deepseek-v4-pro', 'vllm')).toBeUndefined();
  });

  test('the model that answered is asked first', () => {
    expect(idOf('auto', 'openai', 'gpt-4o-mini-2024-07-18')).toBe('openai/gpt-4o-mini');
    expect(idOf('gpt-4o-mini', 'azure', 'my-deployment')).toBe('openai/gpt-4o-mini');
  });

  test('candidates are bounded for hostile names', () => {
    expect(modelNameCandidates('a/'.repeat(50_000)).length).toBeLessThan(100);
  });
});

describe('cases', () => {
  test.each([
    ['cache-1h-ttl', 0.01],
    ['service-tier-flex', 0.00225],
    ['bedrock-regional-premium', 0.0198],
    ['unknown-host-priced-as-maker', 0.0027],
    ['vertex-claude-at-default', 0.024],
    ['genkit', 0.000_093_72],
    ['mlflow-spans', 0.000_036],
    ['langsmith-usage-metadata', 0.000_031_2],
    ['openrouter-cost-unknown-model', undefined],
  ])('%s costs %s', (name, cost) => {
    const facts = normaliseSpan(caseSpans(name)[0] ?? spanOf({}));
    expect(facts && priceUsage(facts, Date.parse('2026-11-27'))?.costUsd).toBe(cost);
  });
});

describe('what a price depends on', () => {
  const call = (more: Partial<PricedFacts>) =>
    priceUsage({
      provider: 'openai',
      requestModel: 'gpt-5-nano',
      responseModel: '',
      operation: 'chat',
      usage: { ...usage, details: {} },
      ...more,
    });

  test('the service tier: half for flex and batch; unknown where the list has none', () => {
    expect(call({})?.costUsd).toBe(0.05);
    expect(call({ serviceTier: 'flex' })?.costUsd).toBe(0.025);
    expect(call({ serviceTier: 'batch' })?.costUsd).toBe(0.025);
    expect(call({ serviceTier: 'priority' })).toBeUndefined();
    expect(call({ serviceTier: 'scale' })?.costUsd).toBe(0.05);
    const claude = { provider: 'anthropic', requestModel: 'claude-opus-5' };
    expect(call({ ...claude, serviceTier: 'batch' })?.costUsd).toBe(2.5);
  });

  test('the day of the call', () => {
    const sol = (day: string) =>
      priceUsage(
        {
          provider: 'openai',
          requestModel: 'gpt-5.6-sol',
          responseModel: '',
          operation: 'chat',
          usage: { ...usage, input: 100_000 },
        },
        Date.parse(day),
      );
    expect(sol('2026-08-20T23:59:59Z')).toMatchObject({ costUsd: 0.5 });
    expect(sol('2026-08-21')).toMatchObject({ costUsd: 0.4, priceDate: '2026-08-21' });
  });

  test('the hour of the day', () => {
    const at = (time: string) =>
      priceUsage(
        {
          provider: 'deepseek',
          requestModel: 'deepseek-v4-pro',
          responseModel: '',
          operation: 'chat',
          usage,
        },
        Date.parse(time),
      )?.costUsd;
    // 2026-11-27 is a Friday.
    expect(at('2026-11-27T00:59:00Z')).toBe(0.66);
    expect(at('2026-11-27T01:00:00Z')).toBe(1.32);
    expect(at('2026-11-27T10:00:00Z')).toBe(0.66);
    expect(at('2026-11-28T02:00:00Z')).toBe(0.66);
  });

  test('the region that a profile binds a call to, from the models on that have a premium', () => {
    const small = { ...usage, input: 100_000 };
    const bedrock = (model: string) =>
      call({ provider: 'aws.bedrock', requestModel: model, usage: small })?.costUsd;
    expect(bedrock('global.anthropic.claude-sonnet-4-5-20250929-v1:0')).toBe(0.3);
    expect(bedrock('eu.anthropic.claude-sonnet-4-5-20250929-v1:0')).toBe(0.33);
    expect(bedrock('us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0')).toBe(0.36);
    expect(bedrock('us.anthropic.claude-sonnet-4-20250514-v1:0')).toBe(0.3);
    expect(
      bedrock('arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0'),
    ).toBe(0.33);
    // The answer names the model only.
    expect(
      call({
        provider: 'aws.bedrock',
        requestModel: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
        responseModel: 'claude-sonnet-4-5-20250929',
        usage: small,
      })?.costUsd,
    ).toBe(0.33);
  });

  test('one-hour writes, sound, pictures and searches at rates of their own', () => {
    const cost = (more: Partial<TokenUsage>, model = 'claude-opus-5', provider = 'anthropic') =>
      call({
        provider,
        requestModel: model,
        usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, ...more },
      })?.costUsd;
    expect(cost({ cacheWrite: 2000, details: { cacheWrite1h: 1000 } })).toBe(0.016_25);
    expect(cost({ details: { webSearches: 3 } })).toBe(0.03);
    expect(cost({ input: 2000, details: { inputAudio: 1000 } }, 'gemini-2.5-flash', 'google')).toBe(0.0013);
  });

  test('an unknown host has no price, nor has a model that others run too at a vendor that does not make it', () => {
    for (const provider of ['acme-gateway', 'sambanova', 'openrouter'])
      expect(call({ provider, requestModel: 'moonshotai/Kimi-K2.5' })).toBeUndefined();
    expect(call({ provider: 'acme-gateway', requestModel: 'gpt-4o' })).toBeUndefined();
    expect(call({ provider: 'openai', requestModel: 'kimi-k2.5' })).toBeUndefined();
    expect(call({ provider: 'openrouter', requestModel: 'anthropic/claude-opus-5' })?.priceId).toBe(
      'anthropic/claude-opus-5',
    );
    expect(call({ provider: 'openai', requestModel: 'gemini-2.5-flash' })?.priceId).toBe(
      'google/gemini-2.5-flash',
    );
  });

  test('a fine-tuned model has its own price or none', () => {
    expect(call({ requestModel: 'ft:gpt-4o-mini-2024-07-18:acme::abc' })?.costUsd).toBe(0.3);
    expect(call({ requestModel: 'ft:gpt-5-nano:acme::abc' })).toBeUndefined();
  });
});

describe('cost', () => {
  test('every token class at its own rate', () => {
    const cost = priceUsage({
      provider: 'anthropic',
      requestModel: 'claude-opus-4-5',
      responseModel: '',
      operation: 'chat',
      usage: { input: 1000, cacheRead: 2000, cacheWrite: 400, output: 100, reasoning: 60 },
    });
    expect(cost?.costUsd).toBeCloseTo((1000 * 5 + 2000 * 0.5 + 400 * 6.25 + 160 * 25) / 1e6, 12);
  });

  test('the recorded call costs the same whoever reports it', () => {
    const recorded = { input: 56, cacheRead: 64, cacheWrite: 0, output: 30, reasoning: 0 };
    const cost = priceUsage({
      provider: 'openai',
      requestModel: 'gpt-4o-mini',
      responseModel: '',
      operation: 'chat',
      usage: recorded,
    });
    expect(cost).toMatchObject({ costUsd: 0.0000312, priceId: 'openai/gpt-4o-mini' });
  });

  test('a prompt above the threshold pays the long rate for all of it', () => {
    const at = (input: number, cacheRead: number): number | undefined =>
      priceUsage({
        provider: 'google',
        requestModel: 'gemini-2.5-pro',
        responseModel: '',
        operation: 'chat',
        usage: { input, cacheRead, cacheWrite: 0, output: 0, reasoning: 0 },
      })?.costUsd;
    expect(at(200_000, 0)).toBeCloseTo(0.25, 9);
    expect(at(200_000, 1)).toBeCloseTo(0.50000025, 9);
  });

  test('no usage, no cost; unknown model, no cost', () => {
    expect(
      priceUsage({
        provider: 'openai',
        requestModel: 'gpt-4o',
        responseModel: '',
        operation: 'chat',
        usage: undefined,
      }),
    ).toBeUndefined();
    expect(
      priceUsage({ provider: '', requestModel: 'nobody', responseModel: '', operation: 'chat', usage }),
    ).toBeUndefined();
  });
});
