import { Writable } from 'node:stream';
import type { ModelConfig, TryDone, TryStart } from '@candela/contract';
import {
  CUT_MODEL,
  ENDLESS_MODEL,
  type FakeAi,
  SILENT_MODEL,
  startFakeAi,
  WRONG_KEY,
} from '@candela/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../log.ts';
import type { Answer, Browser } from '../identity/testing/browser.ts';
import { type Installation, openInstallation } from '../identity/testing/installation.ts';

/** Found in the header of a call to the vendor and nowhere else: no answer, log, metric or audit row. */
const KEY = 'sk-canary-d41f7c0b2a96';

let vendor: FakeAi;
let place: Installation;
let owner: Browser;
let member: Browser;
let viewer: Browser;
/** Everything that was answered and logged. */
const told: string[] = [];
let secret: string;
let prompt: string;
let apiKey: string;

const bodyOf = (more: object = {}) => ({
  name: crypto.randomUUID(),
  provider: 'openai-compatible',
  model: 'house-model',
  baseUrl: `${vendor.url}/v1`,
  secretId: secret,
  ...more,
});
async function add(more: object = {}, by = owner): Promise<Answer> {
  const answer = await by.call('POST', '/api/models', bodyOf(more));
  told.push(answer.text);
  return answer;
}
const modelOf = async (more: object = {}): Promise<ModelConfig> => (await add(more)).data as ModelConfig;

/** The events of a try, by name. */
async function tryIt(body: object, by: Browser = member, id = prompt, headers: Record<string, string> = {}) {
  const answer = await by.call('POST', `/api/prompt/${id}/try`, body, headers);
  told.push(answer.text);
  const events = [...answer.text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(
    ([, event = '', data = '']) => ({
      event,
      data: JSON.parse(data) as Record<string, unknown>,
    }),
  );
  const of = (name: string) => events.find(({ event }) => event === name)?.data;
  return {
    answer,
    start: of('start') as TryStart | undefined,
    text: events.map(({ event, data }) => (event === 'delta' ? String(data['text']) : '')).join(''),
    done: of('done') as TryDone | undefined,
    failure: of('failure'),
  };
}

beforeAll(async () => {
  vendor = await startFakeAi({ chunkDelayMs: 0 });
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      told.push(chunk.toString());
      done();
    },
  });
  place = await openInstallation({}, createLogger({ level: 'debug', format: 'json', stream }));
  owner = await place.own();
  member = (await place.join(owner, 'member')).browser;
  viewer = (await place.join(owner, 'viewer')).browser;
  secret = String((await owner.call('POST', '/api/vault', { key: 'MODEL_KEY', value: KEY })).data.id);
  const made = await member.call('POST', '/api/prompt', {
    name: 'greeting',
    prompt: 'Greet {{ name }} and {{other}}',
    publish: 'major',
  });
  prompt = String(made.data.id);
  apiKey = String(
    (await owner.call('POST', '/api/api-key', { name: 'tries', scopes: ['prompts'] })).data.apiKey,
  );
});
afterAll(async () => {
  await place.close();
  await vendor.close();
});

describe('configured models', () => {
  it('are added by admins, seen by everybody, and changed by one at a time', async () => {
    const model = await modelOf({ name: 'House model', baseUrl: `${vendor.url}/v1/` });
    expect(model).toMatchObject({
      baseUrl: `${vendor.url}/v1`,
      secretId: secret,
      temperature: null,
      maxOutputTokens: 1_024,
      version: 1,
      createdBy: 'owner@example.com',
    });
    for (const browser of [member, viewer]) {
      const listed = await browser.call('GET', '/api/models');
      expect((listed.data as ModelConfig[]).find(({ id }) => id === model.id)).toEqual(model);
      expect((await add({}, browser)).status).toBe(403);
    }
    const { id, createdAt: _, createdBy: __, updatedAt: ___, updatedBy: ____, ...settings } = model;
    const change = { ...settings, temperature: 0.5 };
    expect((await owner.call('PUT', `/api/models/${id}`, change)).data).toMatchObject({
      version: 2,
      temperature: 0.5,
    });
    const late = await owner.call('PUT', `/api/models/${id}`, change);
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('Read it again')]);
    expect((await add({ name: 'HOUSE MODEL' })).status).toBe(409);
    expect((await owner.call('DELETE', `/api/models/${id}`)).status).toBe(200);
    expect((await owner.call('DELETE', `/api/models/${id}`)).status).toBe(404);
  });

  it('are made once by a call that is sent twice', async () => {
    const body = bodyOf();
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const first = await owner.call('POST', '/api/models', body, headers);
    expect((await owner.call('POST', '/api/models', body, headers)).data).toEqual(first.data);
  });

  it.each([
    ['no address', { baseUrl: 'ollama' }, /no http or https URL/],
    ['an address with a password', { baseUrl: 'http://me:pw@127.0.0.1/v1' }, /no user and password/],
    ['an address with a query', { baseUrl: 'http://127.0.0.1/v1?key=1' }, /ends with its path/],
    ["a cloud's metadata service", { baseUrl: 'http://169.254.169.254/v1' }, /may not lead to/],
    ['plain http to elsewhere', { baseUrl: 'http://models.example.com/v1' }, /can be read on the way/],
    ['a server without an address', { baseUrl: null }, /needs its base URL/],
    ['a vendor without a key', { provider: 'openai', baseUrl: null, secretId: null }, /holds the API key/],
  ])('are refused with %s', async (_, more, sentence) => {
    const answer = await add(more);
    expect([answer.status, answer.code]).toEqual([422, 'refused']);
    expect(answer.text).toMatch(sentence);
  });

  it('know the secrets of their place only, and plain http where it is meant', async () => {
    expect((await add({ secretId: crypto.randomUUID() })).status).toBe(404);
    expect((await add({ baseUrl: 'http://models.example.com/v1', allowInsecure: true })).status).toBe(201);
    const other = await owner.call('POST', '/api/projects', { name: 'Other' });
    const headers = { 'x-platform-project-id': String(other.data.id) };
    expect((await owner.call('POST', '/api/models', bodyOf(), headers)).status).toBe(404);
    const own = await owner.call('POST', '/api/models', bodyOf({ secretId: null }), headers);
    expect(own.status).toBe(201);
    expect((await owner.call('POST', `/api/models/${own.data.id}/check`)).status).toBe(404);
    const { data } = await owner.call('GET', '/api/models');
    expect((data as ModelConfig[]).map(({ id }) => id)).not.toContain(own.data.id);
  });
});

describe('a check', () => {
  const check = async (more: object) => {
    const { id } = await modelOf(more);
    const answer = await owner.call('POST', `/api/models/${id}/check`);
    told.push(answer.text);
    return { id, answer };
  };

  it('says that the model answers, with the key of the vault', async () => {
    const { id, answer } = await check({});
    expect(answer.data).toMatchObject({ ok: true, detail: expect.stringContaining('ready') as string });
    expect(vendor.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect((await member.call('POST', `/api/models/${id}/check`)).status).toBe(403);
    const { data } = await owner.call('GET', `/api/audit?objectId=${secret}&action=secret.use`);
    const [used] = data as { details: { purpose: string } }[];
    expect(used?.details.purpose).toContain(id);
  });

  it('says what is wrong', async () => {
    const wrong = await owner.call('POST', '/api/vault', { key: 'WRONG', value: WRONG_KEY });
    const refused = await check({ secretId: String(wrong.data.id) });
    expect(refused.answer.data).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/refused the API key/) as string,
    });
    await owner.call('DELETE', `/api/vault/${wrong.data.id}`);
    const gone = await owner.call('POST', `/api/models/${refused.id}/check`);
    expect(gone.data).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/not in the vault/) as string,
    });
    const nobody = await check({ baseUrl: 'http://127.0.0.1:1/v1' });
    expect(nobody.answer.data).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/Nothing listens/) as string,
    });
  });
});

describe('trying a prompt', () => {
  it('streams what a version says with values put in, and what it took', async () => {
    const { id } = await modelOf({ provider: 'openai', model: 'gpt-4o' });
    const tried = await tryIt({ modelId: id, variables: { name: 'Ada', more: 1 } });
    expect(tried.answer.headers.get('content-type')).toMatch(/text\/event-stream/);
    expect(tried.start).toEqual({
      version: '1.0.0',
      compiledPrompt: 'Greet Ada and {{other}}',
      missing: ['other'],
      unused: ['more'],
    });
    expect(tried.text).toBe('You said: Greet Ada and {{other}}');
    expect(tried.done).toMatchObject({
      finish: 'stop',
      usage: { input: 56, cacheRead: 64, cacheWrite: 0, output: 30, reasoning: 0 },
      costUsd: 0.00052,
      firstTokenMs: expect.any(Number) as number,
      durationMs: expect.any(Number) as number,
    });
    const requestId = tried.answer.headers.get('x-request-id');
    const { data } = await owner.call('GET', `/api/audit?objectId=${prompt}&action=prompt.try`);
    expect((data as { requestId: string }[]).map((row) => row.requestId)).toContain(requestId);
  });

  it('leaves a span with what it took, without what was said', async () => {
    const { id } = await modelOf({ provider: 'openai', model: 'gpt-4o', temperature: 0.5 });
    await tryIt({ modelId: id, variables: { name: 'a-name-of-nobody' } });
    await tryIt({
      modelId: (await modelOf({ model: CUT_MODEL })).id,
      variables: { name: 'a-name-of-nobody' },
    });
    const find = async (model: string) => {
      const q = `attributes.platform.feature:prompt-try model:${model} prompt_version:1.0.0`;
      const { data } = await owner.call('POST', '/api/telemetry/spans/search', { from: '-1h', q });
      return (data as { traceId: string; spanId: string }[])[0];
    };
    for (const [model, expected] of [
      ['gpt-4o', { status: 'unset', inputTokens: 120, outputTokens: 30, costUsd: 0.00052 }],
      [CUT_MODEL, { status: 'error', errorType: 'provider_failed' }],
    ] as const) {
      await expect.poll(() => find(model), { timeout: 60_000, interval: 250 }).toBeDefined();
      const row = await find(model);
      const span = await owner.call('GET', `/api/telemetry/traces/${row?.traceId}/spans/${row?.spanId}`);
      expect(span.data).toMatchObject({ service: 'candela', ...expected });
      expect(span.text).not.toContain('a-name-of-nobody');
      told.push(span.text);
    }
  });

  it('takes a draft, a text that is not saved, and a key with the scope', async () => {
    const { id } = await modelOf({ maxOutputTokens: 100 });
    const missing = await tryIt({ modelId: id, version: 'draft' });
    expect([missing.answer.status, missing.answer.text]).toEqual([404, expect.stringContaining('A draft')]);
    await member.call('PUT', `/api/prompt/${prompt}/draft`, { prompt: 'Draft {{name}}' });
    const draft = await tryIt({ modelId: id, version: 'draft', variables: { name: 'Bo' } });
    expect(draft.start).toMatchObject({ version: null, compiledPrompt: 'Draft Bo' });
    const headers = { authorization: `Bearer ${apiKey}` };
    const text = await tryIt(
      { modelId: id, text: 'hi', maxOutputTokens: 7 },
      place.browser(),
      prompt,
      headers,
    );
    expect([text.text, text.done?.finish, text.done?.costUsd]).toEqual(['Hello Ada', 'stop', null]);
    expect(vendor.requests.at(-1)?.body['max_tokens']).toBe(7);
    await tryIt({ modelId: id, text: 'hi', maxOutputTokens: 30_000 });
    expect(vendor.requests.at(-1)?.body['max_tokens']).toBe(100);
  });

  it('is refused before it costs anything', async () => {
    const { id } = await modelOf();
    const asked = vendor.requests.length;
    for (const [body, status, by, of] of [
      [{ modelId: id }, 403, viewer, prompt],
      [{ modelId: crypto.randomUUID() }, 404, member, prompt],
      [{ modelId: id }, 404, member, crypto.randomUUID()],
      [{ modelId: id, text: 'hi' }, 404, member, crypto.randomUUID()],
      [{ modelId: id, version: '9.9.9' }, 404, member, prompt],
      [{ modelId: id, version: '1.0.0', text: 'hi' }, 400, member, prompt],
      [{ modelId: id, text: '{{a}}{{a}}', variables: { a: 'x'.repeat(1_000_000) } }, 422, member, prompt],
    ] as const) {
      const { answer } = await tryIt(body, by, of);
      expect([JSON.stringify(body).slice(0, 80), answer.status]).toEqual([
        JSON.stringify(body).slice(0, 80),
        status,
      ]);
    }
    expect(vendor.requests.length).toBe(asked);
  });

  it('says in the stream why it ends early', async () => {
    const cut = await tryIt({ modelId: (await modelOf({ model: CUT_MODEL })).id });
    expect([cut.text, cut.done]).toEqual(['You ', undefined]);
    expect(cut.failure).toMatchObject({ code: 'provider_failed', err: expect.any(String) as string });
    const wrong = await owner.call('POST', '/api/vault', { key: 'WRONG_TOO', value: WRONG_KEY });
    const refused = await tryIt({ modelId: (await modelOf({ secretId: String(wrong.data.id) })).id });
    expect(refused.failure).toMatchObject({
      code: 'refused',
      err: expect.stringMatching(/API key/) as string,
    });
  });

  it('ends with whoever asked, and four at a time are enough for one', async () => {
    const silent = await modelOf({ model: SILENT_MODEL });
    const endless = await modelOf({ model: ENDLESS_MODEL });
    const open = ({ id }: ModelConfig) => {
      const leaving = new AbortController();
      const headers = { authorization: `Bearer ${apiKey}` };
      const body = JSON.stringify({ modelId: id });
      const answer = fetch(`${place.platform.http}/api/prompt/${prompt}/try`, {
        method: 'POST',
        headers,
        body,
        signal: leaving.signal,
      });
      answer.catch(() => undefined);
      return { answer, leaving };
    };
    const running = [silent, silent, silent, endless].map(open);
    await expect.poll(() => vendor.open, { timeout: 30_000 }).toBe(4);
    const fifth = await tryIt({ modelId: silent.id }, place.browser(), prompt, {
      authorization: `Bearer ${apiKey}`,
    });
    expect([fifth.answer.status, fifth.answer.code]).toEqual([429, 'too_many_calls']);
    // Of somebody else it is the first.
    expect((await tryIt({ modelId: (await modelOf()).id })).done).toBeDefined();
    for (const { leaving } of running) leaving.abort();
    await expect.poll(() => vendor.open, { timeout: 30_000 }).toBe(0);
    const { id } = await modelOf();
    await expect
      .poll(
        async () =>
          (await tryIt({ modelId: id }, place.browser(), prompt, { authorization: `Bearer ${apiKey}` }))
            .answer.status,
        { timeout: 30_000 },
      )
      .toBe(200);
  });
});

it('no key of a vendor is in an answer, a log line, a metric or the audit log', async () => {
  for (const path of ['/api/audit?limit=500', '/api/models', '/api/vault']) {
    told.push((await owner.call('GET', path)).text);
  }
  expect(told.length).toBeGreaterThan(30);
  const everything = told.join('\n');
  for (const key of [KEY, WRONG_KEY]) expect(everything).not.toContain(key);
});
