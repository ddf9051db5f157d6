/** The client against small real servers: what it sends, repeats, holds and says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type ClientOptions,
  CandelaError,
  createClient,
  evaluateRule,
  getPrompt,
  getSecrets,
} from './index.ts';

const KEY = 'pk_test1234_0123456789abcdefghijABCDEFGHIJ0123456789abc';
const PROMPT = {
  promptId: '0b7ff0a1-6e0f-4c53-9b86-000000000001',
  versionId: '0b7ff0a1-6e0f-4c53-9b86-000000000002',
  name: 'greeting',
  version: '1.2.0',
  tags: ['chat'],
  metaProperties: { owner: 'docs' },
  prompt: 'Hello {{name}}',
  compiledPrompt: 'Hello Ada',
};

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

type Reply = (response: ServerResponse, seen: Seen) => void;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  delete process.env['PLATFORM_URL'];
  delete process.env['PLATFORM_API_KEY'];
  for (const close of closers.splice(0)) await close();
});

/** A server that gives its replies one after another, the last one for ever. */
async function serve(
  ...replies: Reply[]
): Promise<{ url: string; seen: Seen[]; close: () => Promise<void> }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const call = { method, path, headers, body: JSON.parse(text) as Record<string, unknown> };
      seen.push(call);
      replies[Math.min(seen.length, replies.length) - 1]?.(response, call);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let closed: Promise<void> | undefined;
  const close = async () =>
    (closed ??= new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
      server.closeAllConnections();
    }));
  closers.push(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, close };
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
const prompt = (over: Partial<typeof PROMPT> = {}, headers: Record<string, string> = {}): Reply =>
  json(200, { err: null, res: { ...PROMPT, ...over } }, headers);
const failure = (
  code: string,
  err: string,
  headers: Record<string, string> = {},
  res: unknown = null,
): Reply => json(200, { err, res }, { 'x-platform-error-code': code, 'x-request-id': 'req-7', ...headers });
const silence: Reply = () => undefined;
const hangUp: Reply = (response) => {
  response.socket?.destroy();
};
const AGAIN_AT_ONCE = { 'retry-after': '0' };

const client = (url: string, options: ClientOptions = {}) => createClient({ url, apiKey: KEY, ...options });

async function errorOf(promise: Promise<unknown>): Promise<CandelaError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CandelaError)) throw new Error(`no CandelaError but ${String(error)}`);
  expect(JSON.stringify([error.message, error.stack, error.cause, { ...error }])).not.toContain(KEY);
  return error;
}

describe('getPrompt', () => {
  test('sends what the route reads, and gives the prompt with attributes for a span', async () => {
    const { url, seen } = await serve(prompt());
    const result = await client(`${url}//`, {
      environment: 'staging',
      projectId: 'p-1',
      databaseConfigId: 'd-1',
      metaProperties: { applicationName: 'checkout', team: 'a' },
    }).getPrompt({
      name: 'greeting',
      version: '1.x',
      shouldCompile: true,
      variables: { name: 'Ada', n: 3 },
      metaProperties: { team: 'b' },
    });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: 'POST', path: '/api/prompt/get-compiled' });
    expect(seen[0]?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'content-type': 'text/plain;charset=UTF-8',
      'x-platform-environment': 'staging',
      'x-platform-project-id': 'p-1',
      'x-platform-database-config-id': 'd-1',
    });
    expect(seen[0]?.body).toEqual({
      name: 'greeting',
      version: '1.x',
      compile: true,
      variables: { name: 'Ada', n: 3 },
      metaProperties: { applicationName: 'checkout', team: 'b' },
      source: 'candela-typescript',
    });
    expect(result).toEqual({
      ...PROMPT,
      stale: false,
      staleBecause: undefined,
      spanAttributes: {
        'gen_ai.prompt.name': 'greeting',
        'gen_ai.prompt.version': '1.2.0',
        'platform.prompt.id': PROMPT.promptId,
      },
    });
  });

  test('asks once for what it holds, and callers cannot spoil it for each other', async () => {
    const { url, seen } = await serve(prompt());
    const held = client(url);
    const first = await held.getPrompt({ name: 'greeting' });
    expect(() => (first.tags as string[]).push('x')).toThrow(TypeError);
    expect(await held.getPrompt({ name: 'greeting' })).toEqual(first);
    expect(seen).toHaveLength(1);
    await held.getPrompt({ name: 'greeting', version: '1.2.0' });
    held.clearPromptCache();
    await held.getPrompt({ name: 'greeting' });
    expect(seen).toHaveLength(3);
  });

  test('asks with the ETag of its copy and keeps the copy on 304', async () => {
    const { url, seen } = await serve(
      prompt({}, { etag: '"v1"' }),
      (response) => response.writeHead(304, { etag: '"v1"' }).end(),
      prompt({ version: '1.3.0' }, { etag: '"v2"' }),
    );
    const asking = client(url, { promptCache: { ttlMs: 0 } });
    const versions = [];
    for (let i = 0; i < 3; i++) versions.push((await asking.getPrompt({ name: 'greeting' })).version);
    expect(versions).toEqual(['1.2.0', '1.2.0', '1.3.0']);
    expect(seen.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"v1"', '"v1"']);
  });

  test('gives an older copy, marked, while the platform cannot be asked', async () => {
    const { url, close } = await serve(prompt());
    const asking = client(url, { promptCache: { ttlMs: 0 } });
    expect((await asking.getPrompt({ name: 'greeting' })).stale).toBe(false);
    await close();
    const stale = await asking.getPrompt({ name: 'greeting' });
    expect(stale).toMatchObject({ compiledPrompt: 'Hello Ada', stale: true });
    expect(stale.staleBecause).toMatchObject({ code: 'unreachable' });
    const never = client(url, { promptCache: { ttlMs: 0, staleMs: 0 }, retries: 0 });
    expect((await errorOf(never.getPrompt({ name: 'greeting' }))).code).toBe('unreachable');
  });

  test('a decision of the platform holds at once: a deleted prompt is not given from a copy', async () => {
    const { url } = await serve(
      prompt(),
      failure('not_found', 'The prompt "greeting" was not found.'),
      failure('overloaded', 'Busy.', AGAIN_AT_ONCE),
    );
    const asking = client(url, { promptCache: { ttlMs: 0 }, retries: 0 });
    await asking.getPrompt({ name: 'greeting' });
    expect(await errorOf(asking.getPrompt({ name: 'greeting' }))).toMatchObject({ code: 'not_found' });
    expect(await errorOf(asking.getPrompt({ name: 'greeting' }))).toMatchObject({ code: 'overloaded' });
  });

  test('equal calls at the same time share one request; who aborts leaves it to the others', async () => {
    const waiting: (() => void)[] = [];
    const { url, seen } = await serve((response, call) => {
      waiting.push(() => {
        prompt()(response, call);
      });
    });
    const shared = client(url);
    const gone = new AbortController();
    const calls = [
      shared.getPrompt({ name: 'greeting' }),
      shared.getPrompt({ name: 'greeting', signal: gone.signal }),
      shared.getPrompt({ name: 'greeting', signal: new AbortController().signal }),
    ];
    const aborted = expect(calls[1]).rejects.toThrow('enough');
    await expect.poll(() => waiting.length, { timeout: 20_000 }).toBe(1);
    gone.abort(new Error('enough'));
    await aborted;
    waiting[0]?.();
    expect((await calls[0])?.name).toBe('greeting');
    expect((await calls[2])?.name).toBe('greeting');
    expect(seen).toHaveLength(1);
  });

  test('a request that nobody waits for any more is ended', async () => {
    const gone = new AbortController();
    let ended = false;
    const { url } = await serve((response) => {
      response.on('close', () => (ended = true));
      gone.abort(new Error('stop'));
    });
    await expect(client(url).getPrompt({ name: 'greeting', signal: gone.signal })).rejects.toThrow('stop');
    await expect.poll(() => ended, { timeout: 20_000 }).toBe(true);
  });
});

describe('repeating', () => {
  test.each([
    ['429', json(429, { err: 'Too many requests.' }, AGAIN_AT_ONCE)],
    ['503', json(503, { err: 'Busy.' }, AGAIN_AT_ONCE)],
    ['502 of a proxy', (response: ServerResponse) => response.writeHead(502).end('<html>bad gateway</html>')],
    ['200 that carries rate_limited', failure('rate_limited', 'Too many requests.', AGAIN_AT_ONCE)],
    ['200 that carries metadata_unavailable', failure('metadata_unavailable', 'Later.', AGAIN_AT_ONCE)],
    ['broken connection', hangUp],
  ] as [string, Reply][])('asks again after a %s', async (_what, reply) => {
    const { url, seen } = await serve(reply, reply, prompt());
    expect((await client(url).getPrompt({ name: 'greeting' })).name).toBe('greeting');
    expect(seen).toHaveLength(3);
  });

  test('gives up after the retries it was given, and says when to come again', async () => {
    const { url, seen } = await serve(
      failure('rate_limited', 'Too many requests. Try again in 0 s.', AGAIN_AT_ONCE),
    );
    const error = await errorOf(client(url, { retries: 2 }).getSecrets());
    expect(error).toMatchObject({
      code: 'rate_limited',
      retryable: true,
      retryAfterSeconds: 0,
      requestId: 'req-7',
    });
    expect(seen).toHaveLength(3);
  });

  test('does not wait for longer than the whole call may take', async () => {
    const { url, seen } = await serve(json(503, { err: 'Away for an hour.' }, { 'retry-after': '3600' }));
    const error = await errorOf(client(url).getSecrets());
    expect(error).toMatchObject({
      code: 'overloaded',
      message: 'Away for an hour.',
      retryAfterSeconds: 3600,
    });
    expect(seen).toHaveLength(1);
  });

  test.each([
    ['unknown_credential', 'The API key is not known or was revoked.'],
    ['not_found', 'The prompt was not found.'],
  ])('a refusal is not repeated: %s', async (code, sentence) => {
    const { url, seen } = await serve(failure(code, sentence));
    expect(await errorOf(client(url).getPrompt({ name: 'x' }))).toMatchObject({
      code,
      message: sentence,
      status: 200,
      requestId: 'req-7',
      retryable: false,
    });
    expect(seen).toHaveLength(1);
  });

  test('an attempt that is not answered ends in time', async () => {
    const { url, seen } = await serve(silence, prompt());
    expect((await client(url, { timeoutMs: 500 }).getPrompt({ name: 'greeting' })).name).toBe('greeting');
    expect(seen.length).toBeGreaterThan(1);
    const silent = await serve(silence);
    const error = await errorOf(client(silent.url, { timeoutMs: 50, retries: 1 }).getSecrets());
    expect(error).toMatchObject({ code: 'timeout', retryable: true });
  });

  test('an aborted signal ends the wait between two attempts', async () => {
    const gone = new AbortController();
    const { url, seen } = await serve((response, call) => {
      json(503, { err: 'Later.' }, { 'retry-after': '20' })(response, call);
      setTimeout(() => {
        gone.abort();
      }, 100);
    });
    await expect(client(url).getSecrets({ signal: gone.signal })).rejects.toThrow(/aborted/);
    expect(seen).toHaveLength(1);
  });
});

describe('getSecrets', () => {
  const SECRETS = { OPENAI_API_KEY: 'sk-"quoted"\\n\n\u00e9', CLIENT_TEST_OTHER: 'b' };

  test('gives names and values; nothing is put into the environment unasked', async () => {
    const { url, seen } = await serve(json(200, { err: {}, res: SECRETS }));
    expect(await client(url).getSecrets({ key: 'OPENAI_API_KEY', tags: ['llm'] })).toEqual(SECRETS);
    expect(seen[0]).toMatchObject({
      path: '/api/vault/get-secrets',
      body: { key: 'OPENAI_API_KEY', tags: ['llm'], metaProperties: {}, source: 'candela-typescript' },
    });
    expect(process.env['CLIENT_TEST_OTHER']).toBeUndefined();
  });

  test('puts all of them into the environment, or none', async () => {
    const { url } = await serve(
      json(200, { err: null, res: { CLIENT_TEST_A: 'a', CLIENT_TEST_B: 'b' } }),
      json(200, { err: null, res: { CLIENT_TEST_A: 'changed', 'NOT A NAME=': 'x' } }),
    );
    try {
      await client(url).getSecrets({ shouldSetEnv: true });
      expect([process.env['CLIENT_TEST_A'], process.env['CLIENT_TEST_B']]).toEqual(['a', 'b']);
      const error = await errorOf(client(url).getSecrets({ shouldSetEnv: true }));
      expect(error.message).toContain('"NOT A NAME="');
      expect(process.env['CLIENT_TEST_A']).toBe('a');
    } finally {
      delete process.env['CLIENT_TEST_A'];
      delete process.env['CLIENT_TEST_B'];
    }
  });

  test('a failure with an empty object is a failure', async () => {
    const { url } = await serve(
      failure('unknown_credential', 'The API key is not known or was revoked.', {}, {}),
    );
    expect(await errorOf(client(url).getSecrets({ shouldSetEnv: true }))).toMatchObject({
      code: 'unknown_credential',
    });
  });

  test('is not held', async () => {
    const { url, seen } = await serve(
      json(200, { err: null, res: { A: '1' } }),
      json(200, { err: null, res: { A: '2' } }),
    );
    const asking = client(url);
    expect([await asking.getSecrets(), await asking.getSecrets()]).toEqual([{ A: '1' }, { A: '2' }]);
    expect(seen).toHaveLength(2);
  });
});

describe('evaluateRule', () => {
  const CONTEXT = {
    id: 'c-1',
    name: 'Refunds',
    description: '',
    content: 'Be kind.',
    tags: ['support'],
    meta_properties: { a: 1 },
    status: 'ACTIVE',
    created_by: 'ada@example.com',
    created_at: '2026-01-02T03:04:05.000Z',
    updated_at: '2026-01-02T03:04:05.000Z',
  };

  test('sends snake_case and gives camelCase', async () => {
    const { url, seen } = await serve(
      json(200, {
        matchingRuleIds: ['r-1'],
        entities: [{ rule_id: 'r-1', entity_type: 'context', entity_id: 'c-1' }],
        entity_data: { 'context:c-1': CONTEXT, 'context:gone': null, 'prompt:p-1': PROMPT },
      }),
    );
    const result = await client(url).evaluateRule({
      entityType: 'context',
      fields: { model: 'gpt-4o', cost: 0.5, stream: true },
      includeEntityData: true,
      entityInputs: { variables: { a: 'b' }, version: '1.x', shouldCompile: false },
    });
    expect(seen[0]).toMatchObject({
      path: '/api/rule-engine/evaluate',
      headers: { 'content-type': 'application/json' },
      body: {
        entity_type: 'context',
        fields: { model: 'gpt-4o', cost: 0.5, stream: true },
        include_entity_data: true,
        entity_inputs: { variables: { a: 'b' }, version: '1.x', shouldCompile: false },
      },
    });
    expect(result.matchingRuleIds).toEqual(['r-1']);
    expect(result.entities).toEqual([{ ruleId: 'r-1', entityType: 'context', entityId: 'c-1' }]);
    expect(result.contexts.get('c-1')).toMatchObject({
      content: 'Be kind.',
      metaProperties: { a: 1 },
      createdBy: 'ada@example.com',
    });
    expect(result.contexts.get('gone')).toBeNull();
    expect(result.contexts.has('never')).toBe(false);
    expect(result.prompts.get('p-1')).toEqual(PROMPT);
  });

  test('data that was not asked for is empty, and a refusal reads as the platform says it', async () => {
    const sentence = 'entity_type is required and must be one of context, prompt, evaluation.';
    const { url } = await serve(
      json(200, { matchingRuleIds: [], entities: [] }),
      json(400, { err: sentence }, { 'x-platform-error-code': 'bad_request' }),
    );
    const asking = client(url);
    const result = await asking.evaluateRule({ entityType: 'evaluation', fields: { a: 1 } });
    expect([result.contexts.size, result.prompts.size]).toEqual([0, 0]);
    expect(await errorOf(asking.evaluateRule({ entityType: 'context', fields: { a: 2 } }))).toMatchObject({
      code: 'bad_request',
      status: 400,
      message: sentence,
    });
  });
});

describe('what is wrong is said', () => {
  test('settings, before anything is sent', async () => {
    const of = (options: ClientOptions) => {
      try {
        createClient(options);
        return 'nothing';
      } catch (error) {
        if (!(error instanceof CandelaError)) throw error;
        expect(error.code).toBe('configuration');
        return error.message;
      }
    };
    const url = 'http://localhost:3000';
    expect(of({ apiKey: KEY })).toContain('PLATFORM_URL');
    expect(of({ url })).toContain('PLATFORM_API_KEY');
    expect(of({ url, apiKey: `${KEY}\nx` })).toContain('line breaks');
    expect(of({ url, apiKey: `${KEY}\nx` })).not.toContain(KEY);
    expect(of({ url: 'http://me:secret@localhost', apiKey: KEY })).not.toContain('secret');
    expect(of({ url: 'localhost:3000', apiKey: KEY })).toContain('http://');
    expect(of({ url: 'here', apiKey: KEY })).toContain('not a URL');
    expect(of({ url, apiKey: KEY, retries: -1 })).toContain('retries');
    expect(of({ url, apiKey: KEY, timeoutMs: Number.NaN })).toContain('timeoutMs');
    expect(of({ url, apiKey: KEY, environment: 'a\r\nb: c' })).toContain('environment');
    const asking = createClient({ url, apiKey: KEY });
    expect((await errorOf(asking.getPrompt({}))).message).toContain('`name` or `promptId`');
    expect((await errorOf(asking.evaluateRule({ entityType: 'context', fields: {} }))).message).toContain(
      'fields',
    );
  });

  test('the environment of the process is the default; arguments win', async () => {
    const { url, seen } = await serve(json(200, { err: null, res: {} }));
    process.env['PLATFORM_URL'] = url;
    process.env['PLATFORM_API_KEY'] = KEY;
    await getSecrets();
    await getSecrets({ apiKey: 'pk_other', environment: 'staging' });
    process.env['PLATFORM_URL'] = 'http://127.0.0.1:9';
    await getSecrets({ url });
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(
      [KEY, 'pk_other', KEY].map((key) => `Bearer ${key}`),
    );
    expect(seen[1]?.headers['x-platform-environment']).toBe('staging');
  });

  test('calls without a client hold prompts by place', async () => {
    const { url, seen } = await serve(prompt());
    const target = { url, apiKey: KEY };
    await getPrompt({ ...target, name: 'greeting' });
    await getPrompt({ ...target, name: 'greeting' });
    await getPrompt({ ...target, name: 'greeting', environment: 'staging' });
    await getPrompt({ ...target, apiKey: 'pk_other', name: 'greeting' });
    expect(seen).toHaveLength(3);
    const rule = { ...target, entityType: 'context', fields: { a: 1 } } as const;
    expect((await errorOf(evaluateRule(rule))).code).toBe('unexpected_answer');
  });

  test('a server that is not there', async () => {
    const { url, close } = await serve(silence);
    await close();
    const error = await errorOf(client(url, { retries: 0 }).getSecrets());
    expect(error).toMatchObject({ code: 'unreachable', status: null });
    expect(error.message).toBe(
      `${url} cannot be reached (ECONNREFUSED). See that the address is right and the platform is running.`,
    );
  });

  test.each([
    [
      'a web page',
      (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    ],
    [
      'a redirect',
      (response: ServerResponse) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
    ],
    ['304 that was not asked for', (response: ServerResponse) => response.writeHead(304).end()],
    ['no prompt', json(200, { err: null, res: null })],
    ['a prompt without its text', json(200, { err: null, res: { ...PROMPT, compiledPrompt: 5 } })],
    ['a list', json(200, [])],
  ] as [string, Reply][])('an answer of something else: %s', async (_what, reply) => {
    const { url, seen } = await serve(reply);
    expect(await errorOf(client(url).getPrompt({ name: 'greeting' }))).toMatchObject({
      code: 'unexpected_answer',
    });
    expect(seen).toHaveLength(1);
  });

  test('an answer without end is cut off', async () => {
    const { url } = await serve((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const megabyte = Buffer.alloc(1024 * 1024, 32);
      const more = () => {
        while (!response.destroyed && response.write(megabyte));
        response.once('drain', more);
      };
      more();
    });
    expect((await errorOf(client(url, { retries: 0 }).getSecrets())).message).toContain('larger than');
  });

  test('a key that something else repeats is not passed on', async () => {
    const { url } = await serve(json(401, { err: `The token ${KEY} is bad` }));
    expect(await errorOf(client(url).getSecrets())).toMatchObject({
      code: 'failed',
      status: 401,
      message: 'The token [API key] is bad',
    });
  });
});
