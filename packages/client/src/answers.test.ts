/** Secrets, rules, and what is said of settings and answers that cannot be right; against small real servers. */
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import {
  CandelaError,
  checkBudget,
  type ClientOptions,
  createClient,
  evaluateRule,
  getPrompt,
  getSecrets,
} from './index.ts';
import {
  client,
  errorOf,
  failure,
  json,
  KEY,
  PROMPT,
  prompt,
  type Reply,
  serve,
  silence,
} from './testing/servers.ts';

describe('checkBudget', () => {
  const EXCEEDED = {
    budget: 'Users',
    scope: 'user',
    value: 'a b&c',
    percent: 110,
    limitUsd: 10,
    blocks: true,
  };

  test('asks about what is given, and says what is spent', async () => {
    const answer = { data: { allowed: false, exceeded: [{ ...EXCEEDED, since: 'x' }] } };
    const { url, seen } = await serve(json(200, answer));
    expect(await client(url).checkBudget({ user: 'a b&c', model: undefined, key: 'k 1' })).toEqual({
      allowed: false,
      exceeded: [EXCEEDED],
    });
    expect(seen[0]).toMatchObject({ method: 'GET', path: '/api/budget/check?user=a+b%26c&key=k+1' });
    expect(await checkBudget({ url, apiKey: KEY })).toMatchObject({ allowed: false });
    expect(seen[1]?.path).toBe('/api/budget/check');
  });

  test('an answer of something else is an error, never a yes', async () => {
    const { url } = await serve(json(200, { data: { allowed: 'yes', exceeded: [] } }));
    expect(await errorOf(client(url).checkBudget())).toMatchObject({ code: 'unexpected_answer' });
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
    expect(result.prompts.get('p-1')).toEqual({ ...PROMPT, messages: [], modelSettings: {}, tools: [] });
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
