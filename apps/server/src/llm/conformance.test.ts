import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModelProvider } from '@candela/contract';
import { CandelaError } from '@candela/kernel';
import {
  ABSENT_MODEL,
  CUT_MODEL,
  ENDLESS_MODEL,
  type FakeAi,
  FAILING_MODEL,
  SILENT_MODEL,
  startFakeAi,
  WRONG_KEY,
} from '@candela/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askModel, type LlmCall, type LlmEvent, LLM_LIMITS } from './ask.ts';
import { PROVIDERS } from './providers/index.ts';

/** A key that must be found nowhere but in the header of the call. */
const KEY = 'sk-canary-5b1f0c9e7d';
/** What an SDK would find in the environment; none may look. */
const ENVIRONMENT = [
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'MISTRAL_API_KEY',
  'AI_GATEWAY_API_KEY',
];

/** What differs between the vendors: the path behind their host, a model that reasons, how they count. */
const VENDORS: Readonly<
  Record<ModelProvider, { readonly base: string; readonly model: string; reasons: boolean }>
> = {
  openai: { base: '/v1', model: 'gpt-5', reasons: true },
  anthropic: { base: '/v1', model: 'claude-cache-write', reasons: false },
  google: { base: '/v1beta', model: 'gemini-2.5-pro', reasons: true },
  mistral: { base: '/v1', model: 'mistral-large-latest', reasons: false },
  'openai-compatible': { base: '/v1', model: 'o3', reasons: true },
};

let vendor: FakeAi;
beforeAll(async () => {
  vendor = await startFakeAi({ chunkDelayMs: 0 });
  for (const name of ENVIRONMENT) process.env[name] = 'http://from-the-environment.invalid';
});
afterAll(async () => {
  for (const name of ENVIRONMENT) delete process.env[name];
  await vendor.close();
});

const callOf = (provider: ModelProvider, more: { model?: string; apiKey?: string | null } = {}): LlmCall => ({
  target: {
    provider,
    model: more.model ?? VENDORS[provider].model,
    baseUrl: `${vendor.url}${VENDORS[provider].base}`,
    apiKey: more.apiKey === undefined ? KEY : more.apiKey,
  },
  messages: [{ role: 'user', text: 'hi' }],
  temperature: null,
  maxOutputTokens: 100,
});

const never = () => new AbortController().signal;

async function all(call: LlmCall, limits: Partial<typeof LLM_LIMITS> = {}, signal = never()) {
  const events: LlmEvent[] = [];
  let failure: unknown;
  try {
    for await (const event of askModel(call, signal, { ...LLM_LIMITS, ...limits })) events.push(event);
  } catch (thrown) {
    failure = thrown;
  }
  const text = events.map((event) => (event.kind === 'text' ? event.text : '')).join('');
  return { text, end: events.find((event) => event.kind === 'end'), failure };
}

/** A failure as who asked sees it; whatever of it could be logged holds no key. */
function said(failure: unknown): { code: string; message: string } {
  if (!(failure instanceof CandelaError)) throw new Error(`not translated: ${String(failure)}`);
  const everything = [failure.message, failure.stack, JSON.stringify(failure), String(failure.cause)].join();
  for (const key of [KEY, WRONG_KEY]) expect(everything).not.toContain(key);
  expect(failure.cause).toBeUndefined();
  return { code: failure.code, message: failure.message };
}

describe.each(Object.keys(PROVIDERS) as ModelProvider[])('%s', (provider) => {
  it('streams an answer with tokens by class, asked with the given key at the given address', async () => {
    const { text, end, failure } = await all(callOf(provider));
    expect(failure).toBeUndefined();
    expect(text).toBe('Hello Ada');
    const reasoning = VENDORS[provider].reasons ? 8 : 0;
    const cacheWrite = provider === 'anthropic' ? 16 : 0;
    expect(end).toMatchObject({
      finish: 'stop',
      usage: { input: 56 - cacheWrite, cacheRead: 64, cacheWrite, output: 30 - reasoning, reasoning },
    });
    const asked = vendor.requests.at(-1);
    expect(JSON.stringify(asked?.headers)).toContain(KEY);
    expect(JSON.stringify(asked?.headers)).not.toContain('from-the-environment');
    expect(JSON.stringify(asked?.body)).toMatch(/"(?:max_output_tokens|max_tokens|maxOutputTokens)":100/);
  });

  it('says what a refused key, an absent model and a rate limit are', async () => {
    const wrong = said((await all(callOf(provider, { apiKey: WRONG_KEY }))).failure);
    expect(wrong).toMatchObject({ code: 'refused', message: expect.stringMatching(/API key/) as string });
    const absent = said((await all(callOf(provider, { model: ABSENT_MODEL }))).failure);
    expect(absent).toMatchObject({
      code: 'refused',
      message: expect.stringMatching(/does not exist/) as string,
    });
    const asked = vendor.requests.length;
    const limited = said((await all(callOf(provider, { model: FAILING_MODEL }))).failure);
    expect(limited).toMatchObject({
      code: 'provider_failed',
      message: expect.stringMatching(/429/) as string,
    });
    // Nobody asked for a second call.
    expect(vendor.requests.length).toBe(asked + 1);
  });

  it('gives up on a model that does not answer', async () => {
    const { failure } = await all(callOf(provider, { model: SILENT_MODEL }), { timeoutMs: 300 });
    expect(said(failure)).toMatchObject({
      code: 'provider_failed',
      message: expect.stringMatching(/not done after 1 s/) as string,
    });
    await expect.poll(() => vendor.open, { timeout: 30_000 }).toBe(0);
  });

  it('says that an answer broke off, and keeps what came before', async () => {
    const { text, end, failure } = await all(callOf(provider, { model: CUT_MODEL }));
    expect([text, end]).toEqual(['Hello ', undefined]);
    expect(said(failure).code).toBe('provider_failed');
  });

  it('cuts an answer that does not end, in characters and in bytes', async () => {
    const cut = await all(callOf(provider, { model: ENDLESS_MODEL }), { answerChars: 1_000 });
    expect(cut.text).toHaveLength(1_000);
    expect(cut.end).toMatchObject({ finish: 'length', usage: null });
    const { failure } = await all(callOf(provider, { model: ENDLESS_MODEL }), { answerBytes: 100_000 });
    expect(said(failure)).toMatchObject({
      message: expect.stringMatching(/more than an answer may have/) as string,
    });
    await expect.poll(() => vendor.open, { timeout: 30_000 }).toBe(0);
  });

  it('ends the call when who asked is gone, before and during the answer', async () => {
    for (const model of [SILENT_MODEL, ENDLESS_MODEL]) {
      const gone = new AbortController();
      const asked = vendor.requests.length;
      const running = all(callOf(provider, { model }), { answerChars: 1e9, answerBytes: 1e12 }, gone.signal);
      await expect.poll(() => vendor.requests.length, { timeout: 30_000 }).toBe(asked + 1);
      gone.abort();
      expect((await running).failure).toBeUndefined();
      await expect.poll(() => vendor.open, { timeout: 30_000 }).toBe(0);
    }
    // Nobody takes the next part any more.
    for await (const event of askModel(callOf(provider, { model: ENDLESS_MODEL }), never())) {
      expect(event.kind).toBe('text');
      break;
    }
    await expect.poll(() => vendor.open, { timeout: 30_000 }).toBe(0);
  });
});

describe('the address of a model', () => {
  const at = (baseUrl: string): LlmCall => {
    const call = callOf('openai-compatible');
    return { ...call, target: { ...call.target, baseUrl } };
  };

  it.each(['http://169.254.169.254/v1', 'http://[::ffff:169.254.169.254]/v1', 'http://0xa9fea9fe/v1'])(
    '%s is refused when it is connected to',
    async (address) => {
      expect(said((await all(at(address))).failure)).toMatchObject({
        code: 'refused',
        message: expect.stringMatching(/may not lead to/) as string,
      });
    },
  );

  it('is not left by a redirect, which would take the key along', async () => {
    const server = createServer((_, response) => {
      response.writeHead(307, { location: `${vendor.url}/v1/chat/completions` }).end();
    });
    server.listen(0, '127.0.0.1');
    await expect.poll(() => server.listening).toBe(true);
    const { port } = server.address() as AddressInfo;
    const asked = vendor.requests.length;
    const { failure } = await all(at(`http://127.0.0.1:${port}/v1`));
    expect(said(failure).message).toMatch(/redirect/);
    expect(vendor.requests.length).toBe(asked);
    server.close();
  });

  it('says when nothing listens there', async () => {
    expect(said((await all(at('http://127.0.0.1:1/v1'))).failure)).toMatchObject({
      code: 'provider_failed',
      message: expect.stringMatching(/Nothing listens/) as string,
    });
  });

  it('needs no key where none is wanted', async () => {
    expect((await all(callOf('openai-compatible', { apiKey: null }))).text).toBe('Hello Ada');
  });
});

describe('the key of a model', () => {
  it('is taken without what was pasted around it', async () => {
    expect((await all(callOf('openai-compatible', { apiKey: `  ${KEY}\n` }))).text).toBe('Hello Ada');
    expect(vendor.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it.each([`${KEY}\n${KEY}`, `${KEY} and more`, `${KEY}ü`, ' \n'])('is refused as %j', async (apiKey) => {
    const asked = vendor.requests.length;
    const { code, message } = said((await all(callOf('anthropic', { apiKey }))).failure);
    expect([code, message]).toEqual(['refused', expect.stringMatching(/is no API key/)]);
    expect(vendor.requests.length).toBe(asked);
  });

  it('is left out of what a vendor says', async () => {
    const server = createServer((_, response) => {
      const message = `Bad value ${KEY} in\nthe request ${'x'.repeat(1_000)}`;
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { message } }));
    });
    server.listen(0, '127.0.0.1');
    await expect.poll(() => server.listening).toBe(true);
    const { port } = server.address() as AddressInfo;
    const call = callOf('openai-compatible');
    const target = { ...call.target, baseUrl: `http://127.0.0.1:${port}/v1` };
    const { message } = said((await all({ ...call, target })).failure);
    expect(message).toContain('It says: Bad value … in the request xxx');
    expect(message.length).toBeLessThan(400);
    server.close();
  });
});

it('a model of a known price has its cost, one that runs elsewhere has none', async () => {
  const priced = await all(callOf('openai', { model: 'gpt-4o' }));
  // 56 fresh at 2.5, 64 cached at 1.25 and 30 out at 10 USD a million.
  expect(priced.end).toMatchObject({ costUsd: 0.00052 });
  const own = await all(callOf('openai-compatible', { model: 'gpt-4o' }));
  expect(own.end).toMatchObject({ costUsd: null });
});
