/** Prompts and what is repeated, against small real servers. */
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import {
  AGAIN_AT_ONCE,
  CHAT,
  client,
  errorOf,
  failure,
  hangUp,
  json,
  PROMPT,
  prompt,
  KEY,
  type Reply,
  serve,
  silence,
} from './testing/servers.ts';

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
      messages: [],
      modelSettings: {},
      tools: [],
      stale: false,
      staleBecause: undefined,
      spanAttributes: {
        'gen_ai.prompt.name': 'greeting',
        'gen_ai.prompt.version': '1.2.0',
        'platform.prompt.id': PROMPT.promptId,
      },
    });
  });

  test('gives messages, settings, tools and response format of a chat prompt', async () => {
    const { url } = await serve(prompt(CHAT), prompt({ messages: [{ role: 'user' }] }));
    const asking = client(url, { promptCache: false });
    const chat = await asking.getPrompt({ name: 'chat', shouldCompile: true });
    expect(chat).toMatchObject(CHAT);
    expect(() => Object.assign(chat.messages[0] ?? {}, { content: 'x' })).toThrow(TypeError);
    expect(await errorOf(asking.getPrompt({ name: 'chat' }))).toMatchObject({
      code: 'unexpected_answer',
      message: expect.stringContaining('res.messages.content'),
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
