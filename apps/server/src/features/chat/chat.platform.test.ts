import { type FakeAi, startFakeAi, WRONG_KEY } from '@candela/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from '../identity/testing/browser.ts';
import { type Installation, openInstallation } from '../identity/testing/installation.ts';
import { ask, configure, decide, textIn, toolsIn } from './testing/ask.ts';

let place: Installation;
let owner: Browser;
let member: Browser;
let ai: FakeAi;
/** A machine under load takes its time. */
const SOON = { timeout: 30_000, interval: 50 };
const TRACE = 'c'.repeat(32);

beforeAll(async () => {
  ai = await startFakeAi({ chunkDelayMs: 1 });
  place = await openInstallation();
  owner = await place.own();
  member = (await place.join(owner, 'member')).browser;
  const made = await owner.call('POST', '/api/api-key', { name: 'sender', scopes: ['ingest'] });
  const now = BigInt(Date.now()) * 1_000_000n;
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const spans = Array.from({ length: 12 }, (_, n) => ({
    traceId: TRACE,
    spanId: n.toString(16).padStart(16, 'a'),
    name: `step ${n}`,
    kind: 1,
    startTimeUnixNano: String(now - 60_000_000_000n),
    endTimeUnixNano: String(now - 59_000_000_000n),
    attributes: [text('http.route', n % 2 === 0 ? '/chat' : '/search')],
  }));
  const sent = await fetch(`${place.platform.otlpHttp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${String(made.data.apiKey)}` },
    body: JSON.stringify({
      resourceSpans: [{ resource: { attributes: [text('service.name', 'shop')] }, scopeSpans: [{ spans }] }],
    }),
  });
  expect(sent.status).toBe(200);
});
afterAll(async () => {
  await place.close();
  await ai.close();
});

const call = (name: string, input: object) => ({ toolCall: { name, arguments: JSON.stringify(input) } });
const lastRequest = () => JSON.stringify(ai.requests.at(-1)?.body);
const toolNames = () =>
  ((ai.requests.at(-1)?.body['tools'] ?? []) as { function: { name: string } }[]).map(
    ({ function: { name } }) => name,
  );

describe('settings', () => {
  it('name what is missing, and are for admins', async () => {
    const chat = await owner.call('POST', '/api/chat/conversation', {});
    const unset = await owner.call('POST', '/api/chat/message', {
      conversationId: chat.data.id,
      content: 'hi',
    });
    expect([unset.status, unset.code]).toEqual([422, 'assistant_unset']);
    const partly = await owner.call('PUT', '/api/chat/config', { provider: 'openai' });
    expect([partly.status, partly.text]).toEqual([422, expect.stringMatching(/Missing: model, vaultId/)]);
    expect((await member.call('PUT', '/api/chat/config', { provider: 'openai' })).status).toBe(403);
    await configure(owner, `${ai.url}/v1`);
    const { data } = await owner.call('GET', '/api/chat/config');
    expect(data).toMatchObject({ provider: 'openai-compatible', vaultId: null });
  });
});

describe('an answer', () => {
  it('runs a statement, shows rows and chart, and reads an error back to the model', async () => {
    ai.script(
      call('run_sql', { query: 'SELECT Colour, count() AS n FROM otel_traces GROUP BY Colour' }),
      call('run_sql', {
        query:
          "SELECT SpanAttributes['http.route'] AS route, count() AS n FROM otel_traces GROUP BY route ORDER BY route",
      }),
      { text: 'Both routes were called six times.' },
    );
    const { answer, conversationId } = await ask(owner, 'How often was each route called?');
    expect(answer).toMatchObject({ status: 'done', err: null });
    const [failed, done] = toolsIn(answer);
    expect(failed).toMatchObject({ state: 'failed', detail: expect.stringContaining('Colour') });
    expect(done).toMatchObject({
      state: 'done',
      chart: { type: 'bar', x: 'route', y: ['n'] },
      result: {
        rows: [
          ['/chat', '6'],
          ['/search', '6'],
        ],
      },
    });
    expect(textIn(answer)).toBe('Both routes were called six times.');
    expect(answer.usage?.calls).toBe(3);
    expect(lastRequest()).toContain('<data-');
    const { data } = await owner.call('GET', `/api/chat/conversation/${conversationId}`);
    expect(data.title).toBe('How often was each route called?');
    expect(data.thread.map(({ status }: { status: string }) => status)).toEqual(['done', 'done']);
    expect(data.thread[1]).toEqual(answer);
    // The next question has the statement and its rows in its history.
    ai.script({ text: 'Yes.' });
    await ask(owner, 'Sure?', { conversationId });
    expect(lastRequest()).toContain("SpanAttributes['http.route']");
    expect(lastRequest()).toContain('/search');
  });

  it('of a model without tools has its fenced statement run; two statements are refused', async () => {
    ai.script({
      text: "Try:\n```sql\nSELECT count() AS spans FROM otel_traces WHERE ServiceName = 'shop'\n```\nor\n```sql\nSELECT 1; SELECT 2\n```",
    });
    const { answer } = await ask(owner, 'How many spans?');
    expect(toolsIn(answer)).toMatchObject([
      { state: 'done', chart: { type: 'stat' }, result: { rows: [['12']] } },
      { state: 'failed' },
    ]);
  });

  it('of a failing provider is a sentence; what had arrived is kept', async () => {
    for (const [status, words] of [
      [401, /key/i],
      [429, /rate limit/],
      [503, /failed \(503\)/],
    ] as const) {
      ai.script({ status });
      const { answer } = await ask(owner, 'hi');
      expect(answer).toMatchObject({ status: 'failed', err: expect.stringMatching(words) });
    }
    ai.script({ text: 'Half of this is lost', cut: true });
    const { answer } = await ask(owner, 'hi');
    expect(answer.status).toBe('failed');
    expect(textIn(answer)).toMatch(/^Half/);
  });

  it('ends after its steps, and asks the last time without tools', async () => {
    const again = call('run_sql', { query: 'SELECT 1 AS one' });
    ai.script(again, again, again, again, again, again, again, { text: 'Enough.' });
    const { answer } = await ask(owner, 'loop');
    expect(answer.usage?.calls).toBe(8);
    expect(ai.requests.at(-1)?.body['tools']).toBeUndefined();
    expect(textIn(answer)).toBe('Enough.');
  });

  it('replaces a question and what follows', async () => {
    const first = await ask(owner, 'one');
    await ask(owner, 'two', { conversationId: first.conversationId });
    await ask(owner, 'uno', { conversationId: first.conversationId, replaces: first.question.id });
    const { data } = await owner.call('GET', `/api/chat/conversation/${first.conversationId}`);
    expect(data.thread.map((message: Parameters<typeof textIn>[0]) => textIn(message).slice(0, 13))).toEqual([
      'uno',
      'You said: uno',
    ]);
    const foreign = { conversationId: first.conversationId, content: 'x', replaces: 'nobody' };
    expect((await owner.call('POST', '/api/chat/message', foreign)).status).toBe(404);
  });

  it('holds no key that was typed', async () => {
    const { answer, question } = await ask(
      owner,
      'my key is sk-proj-abcdefghijklmnopqrstuvwx0123456789ABCDEF ok?',
    );
    expect(textIn(question)).toContain('[REDACTED');
    expect(JSON.stringify(answer) + lastRequest()).not.toContain('abcdefghijklmnopqrstuvwx');
  });
});

describe('a run', () => {
  it('goes on when its client leaves, is followed, stopped, and reaches the vendor', async () => {
    const slow = await startFakeAi({
      chunkDelayMs: 50,
      respond: () => ({ text: 'Hello again '.repeat(2_000) }),
    });
    const model = await owner.call('POST', '/api/models', {
      name: 'slow',
      provider: 'openai-compatible',
      model: 'gpt-4o-mini',
      baseUrl: `${slow.url}/v1`,
    });
    await owner.call('PUT', '/api/chat/config', { modelId: model.data.id });
    const { data: chat } = await owner.call('POST', '/api/chat/conversation', {});
    const left = new AbortController();
    const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, origin: place.platform.http, 'sec-fetch-site': 'same-origin' };
    const response = await fetch(`${place.platform.http}/api/chat/message`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ conversationId: chat.id, content: 'hi' }),
      signal: left.signal,
    });
    const reader = response.body?.getReader();
    await reader?.read();
    left.abort();
    await expect
      .poll(async () => (await owner.call('GET', `/api/chat/conversation/${chat.id}`)).text, SOON)
      .toContain('Hello');
    const there = await owner.call('GET', `/api/chat/conversation/${chat.id}`);
    const running = there.data.thread[1];
    expect(running.status).toBe('running');
    // A second question waits, and nobody else follows or stops it.
    const second = await owner.call('POST', '/api/chat/message', { conversationId: chat.id, content: 'two' });
    expect([second.status, second.code]).toEqual([409, 'conflict']);
    for (const [method, path] of [
      ['GET', `/api/chat/conversation/${chat.id}`],
      ['DELETE', `/api/chat/conversation/${chat.id}`],
      ['GET', `/api/chat/message/${running.id}/stream`],
      ['POST', `/api/chat/message/${running.id}/stop`],
    ] as const) {
      expect([path, (await member.call(method, path)).status]).toEqual([path, 404]);
    }
    const following = owner.call('GET', `/api/chat/message/${running.id}/stream`);
    expect((await owner.call('POST', `/api/chat/message/${running.id}/stop`)).data.stopped).toBe(true);
    await expect.poll(() => slow.open, SOON).toBe(0);
    expect((await following).text).toMatch(/event: message[\s\S]*event: done/);
    const after = await owner.call('GET', `/api/chat/conversation/${chat.id}`);
    expect(after.data.thread[1].status).toBe('stopped');
    expect(textIn(after.data.thread[1])).toContain('Hello');
    await slow.close();
    await configure(owner, `${ai.url}/v1`);
  });
});

describe('cards', () => {
  const context = (name: string) => call('create', { kind: 'context', fields: { name, content: 'be kind' } });
  const contexts = async () => (await owner.call('GET', '/api/context')).text;

  it('are not needed for what the message asks to create, before anything was read', async () => {
    ai.script(context('plain'), { text: 'Done.' });
    const { answer } = await ask(owner, 'Create a context "plain" that says: be kind');
    expect(toolsIn(answer)).toMatchObject([{ state: 'done', detail: 'Created the context "plain".' }]);
    expect(await contexts()).toContain('"plain"');
  });

  it('are needed once the conversation has read telemetry; done once, by their owner alone', async () => {
    ai.script(call('search', { signal: 'spans' }), context('tainted'), { text: 'Created.' });
    const { answer, conversationId } = await ask(owner, 'Create a context "tainted"');
    const card = toolsIn(answer)[1]?.approval;
    expect(toolsIn(answer)[1]?.state).toBe('waiting');
    expect(await contexts()).not.toContain('"tainted"');
    const path = `/api/chat/approval/${card?.id}`;
    expect((await member.call('POST', path, { decision: 'approve' })).status).toBe(404);
    const events = await decide(owner, String(card?.id), { decision: 'approve' });
    expect(events.at(0)).toMatchObject({ event: 'message', data: { id: answer.id } });
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { status: 'done' } });
    expect(await contexts()).toContain('"tainted"');
    const twice = await owner.call('POST', path, { decision: 'approve' });
    expect([twice.status, twice.code]).toEqual([409, 'conflict']);
    expect(lastRequest()).toContain('Created the context');
    const { data } = await owner.call('GET', `/api/chat/conversation/${conversationId}`);
    expect(data.thread).toHaveLength(3);
  });

  it('of deletions always; denied, nothing is done; expired, nothing can be', async () => {
    const made = await owner.call('POST', '/api/context', { name: 'stays', content: 'x' });
    const remove = call('delete', { kind: 'context', id: made.data.id });
    ai.script(remove, { text: 'Fine.' });
    const first = await ask(owner, 'Delete the context "stays"');
    await decide(owner, String(toolsIn(first.answer)[0]?.approval?.id), { decision: 'deny' });
    expect(lastRequest()).toContain('The person denied this');
    ai.script(remove);
    const second = await ask(owner, 'Delete the context "stays"');
    place.clock.shift = 16 * 60_000;
    const late = await owner.call('POST', `/api/chat/approval/${toolsIn(second.answer)[0]?.approval?.id}`, {
      decision: 'approve',
    });
    place.clock.shift = 0;
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('expired')]);
    expect(await contexts()).toContain('"stays"');
  });

  it('take the value of a secret, which no vendor sees', async () => {
    ai.script(
      call('create', { kind: 'secret', fields: { key: 'stripe live key', value: 'from the model' } }),
      { text: 'Saved.' },
    );
    const { answer } = await ask(owner, 'Create a secret for stripe');
    const card = toolsIn(answer)[0]?.approval;
    expect(card).toMatchObject({ wantsValue: true, title: 'Create the secret "STRIPE_LIVE_KEY"' });
    const without = await owner.call('POST', `/api/chat/approval/${card?.id}`, { decision: 'approve' });
    expect(without.status).toBe(422);
    await decide(owner, String(card?.id), { decision: 'approve', value: 'canary-value-1' });
    expect((await owner.call('GET', '/api/vault')).text).toContain('STRIPE_LIVE_KEY');
    expect(JSON.stringify(ai.requests)).not.toContain('canary-value-1');
    expect((await owner.call('GET', '/api/chat/conversation')).text).not.toContain('canary-value-1');
  });

  it('do what the person may do and no more', async () => {
    const body = { kind: 'model', fields: { name: 'm', provider: 'openai', model: 'x', secretId: 'y' } };
    ai.script(call('create', body), { text: 'No.' });
    const { answer } = await ask(member, 'Create a model m');
    expect(toolsIn(answer)).toMatchObject([
      { state: 'failed', detail: expect.stringMatching(/role "admin"/) },
    ]);
  });
});

describe('versions of prompts', () => {
  it('are written only when the newest message asks for it, and then by card', async () => {
    const made = await owner.call('POST', '/api/prompt', { name: 'greeting', prompt: 'Hello {{name}}' });
    const write = call('write_prompt_version', { id: made.data.id, prompt: 'Hi {{name}}' });
    ai.script(write, { text: 'I cannot.' });
    const review = await ask(owner, 'Review the prompt greeting');
    expect(toolNames()).not.toContain('write_prompt_version');
    expect(toolsIn(review.answer)).toMatchObject([{ state: 'failed' }]);
    ai.script(write, { text: 'Published.' });
    const publish = await ask(owner, 'Publish it as a new version', {
      conversationId: review.conversationId,
    });
    const [card] = toolsIn(publish.answer);
    expect(card?.state).toBe('waiting');
    await decide(owner, String(card?.approval?.id), { decision: 'approve' });
    const { data } = await owner.call('GET', `/api/prompt/${made.data.id}`);
    expect(data.latestVersion).toBe('0.1.0');
  });
});

describe('widgets', () => {
  it('are saved with their statement and run on a board', async () => {
    const saved = await owner.call('POST', '/api/chat/message/save-widget', {
      title: 'Spans',
      type: 'stat',
      query: "SELECT count() AS spans FROM otel_traces WHERE ServiceName = 'shop'",
    });
    expect(saved.status).toBe(201);
    const { boardId } = saved.data;
    const more = { title: 'Two', type: 'table', query: 'SELECT 2 AS two', boardId };
    expect((await owner.call('POST', '/api/chat/message/save-widget', more)).status).toBe(201);
    const { text } = await owner.call('POST', `/api/boards/${boardId}/data`, {});
    expect(text).toMatch(/"rows":\[\[12\]\]/);
    expect(text).toMatch(/"rows":\[\[2\]\]/);
    const bad = { title: 'x', type: 'table', query: 'SELECT * FROM system.tables' };
    const refused = await owner.call('POST', '/api/chat/message/save-widget', bad);
    expect([refused.status, refused.code]).toEqual([422, 'sql_refused']);
    const key = await owner.call('POST', '/api/api-key', { name: 'a key', scopes: ['telemetry'] });
    const asKey = await place.browser().call(
      'POST',
      '/api/panels/query',
      {
        panel: { query: { kind: 'sql', query: 'SELECT 1 AS one' }, visual: { type: 'table' } },
      },
      { authorization: `Bearer ${String(key.data.apiKey)}` },
    );
    expect(asKey.status).toBe(403);
  });

  it('of a drafted dashboard can be imported', async () => {
    ai.script(
      call('make_board', {
        title: 'Traffic',
        widgets: [
          { title: 'Spans', type: 'stat', query: 'SELECT count() AS spans FROM otel_traces' },
          {
            title: 'Routes',
            type: 'bar',
            query: 'SELECT ServiceName AS s, count() AS n FROM otel_traces GROUP BY s',
          },
        ],
      }),
      { text: 'Here it is.' },
    );
    const { answer } = await ask(owner, 'Make a dashboard of my traffic');
    const document = toolsIn(answer)[0]?.layout as object;
    const made = await owner.call('POST', '/api/boards/import', { document, folderId: null });
    expect(made.status, made.text).toBe(201);
    expect(made.data.board.widgets).toHaveLength(2);
  });
});

describe('usage', () => {
  it('equals the books of the vendor to the token', async () => {
    const { data } = await owner.call('GET', '/api/chat/usage?window=24H&groupBy=feature,model,date');
    const answered = data.totals.calls - data.totals.failed - data.totals.unknownCalls;
    // The fake says 120 tokens in, 64 of them cached, and 30 out with every answer.
    expect(data.totals).toMatchObject({
      inputTokens: answered * 56,
      cacheReadTokens: answered * 64,
      outputTokens: answered * 30,
    });
    // One call went to the slow one.
    expect(data.totals.calls).toBe(ai.requests.length + 1);
    expect(data.rows.reduce((sum: number, row: { calls: number }) => sum + row.calls, 0)).toBe(
      data.totals.calls,
    );
    expect(data.rows[0]).toMatchObject({ feature: 'chat', date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
    expect((await owner.call('GET', '/api/chat/usage?window=CUSTOM')).status).toBe(400);
    const custom = await owner.call('GET', '/api/chat/usage?window=CUSTOM&from=-2d&to=-1d&groupBy=date');
    expect(custom.data.totals.calls).toBe(0);
  });

  it('ends at the cap of the day', async () => {
    const key = await owner.call('POST', '/api/vault', { key: 'OPENAI', value: WRONG_KEY });
    expect(key.status).toBe(201);
    const spent = (await owner.call('GET', '/api/chat/usage?window=24H')).data.totals.costUsd;
    await configure(owner, `${ai.url}/v1`, { dailyCapUsd: 0 });
    const { answer } = await ask(owner, 'hi');
    expect([spent >= 0, answer.status, answer.err]).toEqual([true, 'failed', expect.stringMatching(/cap/)]);
    await configure(owner, `${ai.url}/v1`);
  });
});
