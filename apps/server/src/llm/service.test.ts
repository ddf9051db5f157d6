import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelProvider } from '@candela/contract';
import { type RequestContext, silentLogger, systemClock } from '@candela/kernel';
import { type MetadataStore, openMetadataStore } from '@candela/metadata-store';
import { type FakeAi, startFakeAi } from '@candela/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { contextOf } from '../jobs/runner.ts';
import { createModelCalls, type ModelCalls } from './service.ts';

const dir = mkdtempSync(join(tmpdir(), 'candela-calls-'));
const KEY = 'sk-canary-0c5e';
const context: RequestContext = contextOf({ organisationId: 'o', projectId: 'p' });
const spans: string[] = [];
let metadata: MetadataStore;
let vendor: FakeAi;
let calls: ModelCalls;
const ids = new Map<string, string>();
const never = new AbortController().signal;

beforeAll(async () => {
  vendor = await startFakeAi({ chunkDelayMs: 0 });
  metadata = await openMetadataStore({ dataDir: dir, logger: silentLogger });
  for (const [provider, model] of [
    ['openai-compatible', 'm'],
    ['anthropic', 'claude-sonnet-4-5'],
  ] as const) {
    const settings = { temperature: null, maxOutputTokens: 100 };
    const row = { name: provider, provider, model, baseUrl: `${vendor.url}/v1`, allowInsecure: true };
    const made = await metadata.models.create(context, { ...row, secretId: 's', settings, by: null });
    ids.set(provider, made.id);
  }
  calls = createModelCalls({
    metadata,
    vault: { use: async () => KEY },
    ingest: {
      submit: async (_context, _signal, request) => {
        spans.push(JSON.stringify(request));
        return { rejected: 0, reasons: [] } as never;
      },
    },
    clock: systemClock,
    logger: silentLogger,
  });
});
afterAll(async () => {
  await vendor.close();
  await metadata.close();
  rmSync(dir, { recursive: true, force: true });
});

const usage = (feature: string) => metadata.llmUsage.list('p', { feature, limit: 10 });
const user = (text: string) => ({ role: 'user', text }) as const;

describe.each(['openai-compatible', 'anthropic'] as const satisfies readonly ModelProvider[])(
  '%s',
  (provider) => {
    const of = (feature: string, more: object = {}) => ({
      feature: `${feature}-${provider}`,
      modelId: ids.get(provider) ?? '',
      messages: [user('what is the weather?')],
      ...more,
    });
    const tools = [
      {
        name: 'weather',
        description: 'Weather of a city',
        schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    ];

    it('asks for a tool, is told its result, and answers', async () => {
      vendor.script({ toolCall: { name: 'weather', arguments: '{"city":"Oslo"}' } }, { text: 'It rains.' });
      const first = await calls.complete(context, of('tools', { tools, refId: 'chat 1' }), never);
      expect(first).toMatchObject({
        finish: 'tool_calls',
        toolCalls: [{ name: 'weather', input: { city: 'Oslo' } }],
      });
      const [asked] = first.toolCalls;
      if (asked === undefined) throw new Error('no call');
      const messages = [
        { role: 'system', text: 'Be brief.' },
        user('what is the weather?'),
        { role: 'assistant', text: '', toolCalls: [asked] },
        { role: 'tool', id: asked.id, name: asked.name, output: 'rain, 4 degrees' },
      ];
      const second = await calls.complete(context, of('tools', { tools, messages }), never);
      expect([second.text, second.finish]).toEqual(['It rains.', 'stop']);
      const sent = JSON.stringify(vendor.requests.at(-1)?.body);
      for (const part of ['rain, 4 degrees', asked.id, 'Be brief.']) expect(sent).toContain(part);
      await expect.poll(async () => (await usage(`tools-${provider}`)).length).toBe(2);
      expect((await usage(`tools-${provider}`)).at(-1)).toMatchObject({
        principal: 'system platform',
        refId: 'chat 1',
        status: 'ok',
        usage: { input: 56, cacheRead: 64, output: 30 },
      });
    });

    it('gives a value that fits the schema, after one repair, or says why there is none', async () => {
      const schema = z.object({ score: z.number().min(0).max(1) });
      const ask = (...texts: string[]) => {
        vendor.script(...texts.map((text) => ({ text })));
        return calls.completeStructured(context, { ...of('judge'), schema }, never);
      };
      expect(await ask('Sure! ```json\n{"score": 0.5}\n```')).toMatchObject({
        ok: true,
        calls: 1,
        value: { score: 0.5 },
      });
      expect(JSON.stringify(vendor.requests.at(-1)?.body)).toContain('JSON Schema');
      expect(await ask('{"score": 7}', '{"score": 1}')).toMatchObject({
        ok: true,
        calls: 2,
        value: { score: 1 },
      });
      expect(await ask('{"score": ', 'no')).toMatchObject({ ok: false, calls: 2 });
    });

    it('tries again only where it is told to and it may help, and notes each call', async () => {
      vendor.script({ status: 503 }, { text: 'ready' });
      const answer = await calls.complete(context, of('retry', { retries: 1 }), never);
      expect(answer.text).toBe('ready');
      vendor.script({ status: 500 });
      await expect(calls.complete(context, of('retry'), never)).rejects.toMatchObject({
        code: 'provider_failed',
      });
      vendor.script({ status: 401 });
      await expect(calls.complete(context, of('retry', { retries: 3 }), never)).rejects.toMatchObject({
        code: 'refused',
      });
      vendor.script({ text: 'first and then more words', cut: true });
      await expect(calls.complete(context, of('retry'), never)).rejects.toMatchObject({
        code: 'provider_failed',
      });
      await expect.poll(async () => (await usage(`retry-${provider}`)).length).toBe(5);
      const statuses = (await usage(`retry-${provider}`)).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual(['failed', 'failed', 'failed', 'failed', 'ok']);
    });

    it('leaves a span of its feature without what was said', async () => {
      const mark = crypto.randomUUID();
      vendor.script({ text: `answer ${mark}` });
      await calls.complete(
        context,
        of(`span-${mark.slice(0, 8)}`, { messages: [user(`question ${mark}`)] }),
        never,
      );
      const own = () => spans.filter((span) => span.includes(`span-${mark.slice(0, 8)}`));
      await expect.poll(() => own().length).toBe(1);
      expect(own()[0]).toContain('platform.feature');
      for (const text of [mark, KEY]) expect(own()[0]).not.toContain(text);
    });
  },
);

it('stops at the cap of a day', async () => {
  const call = {
    feature: 'capped',
    modelId: ids.get('anthropic') ?? '',
    messages: [user('hi')],
    dailyCapUsd: 0.0001,
  };
  expect((await calls.complete(context, call, never)).costUsd).toBeGreaterThan(0.0001);
  await expect.poll(async () => (await usage('capped')).length).toBe(1);
  await expect(calls.complete(context, call, never)).rejects.toMatchObject({ code: 'spend_cap' });
  expect((await calls.complete(context, { ...call, feature: 'other' }, never)).text).toBe('Hello Ada');
});
