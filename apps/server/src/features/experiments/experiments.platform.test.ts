import type { ExperimentView } from '@candela/contract';
import { type FakeAi, startFakeAi } from '@candela/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from '../identity/testing/browser.ts';
import { type Installation, openInstallation } from '../identity/testing/installation.ts';

let vendor: FakeAi;
let place: Installation;
let owner: Browser;
let member: Browser;
let model: string;

const BASE = '/api/evaluation';
const exported = async (path: string): Promise<string> => {
  const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return (await fetch(`${place.platform.http}${BASE}/datasets/${path}`, { headers: { cookie } })).text();
};
const ended = async (id: string): Promise<ExperimentView> => {
  const read = async () => (await owner.call('GET', `${BASE}/experiments/${id}`)).data as ExperimentView;
  await expect.poll(async () => (await read()).status, { timeout: 30_000 }).toBe('done');
  return read();
};

beforeAll(async () => {
  vendor = await startFakeAi({ chunkDelayMs: 0 });
  place = await openInstallation();
  owner = await place.own();
  member = (await place.join(owner, 'member')).browser;
  const made = await owner.call('POST', '/api/models', {
    name: 'answers',
    provider: 'openai-compatible',
    model: 'house-model',
    baseUrl: `${vendor.url}/v1`,
  });
  model = String(made.data.id);
  await owner.call('POST', `${BASE}/datasets`, { name: 'capitals' });
  await owner.call('POST', `${BASE}/evaluators`, {
    id: 'right',
    label: 'Right',
    kind: 'equals',
    threshold: 1,
  });
});
afterAll(async () => {
  await place.close();
  await vendor.close();
});

describe('datasets', () => {
  const read = (format: string, text: string, more: object = {}) =>
    owner.call('POST', `${BASE}/datasets/capitals/import`, { format, text, ...more });

  it('preview first, name bad lines, then take all or nothing', async () => {
    const bad = '{"input":"a"}\nnot json\n{"other":1}\n';
    const preview = await read('jsonl', bad, { preview: true });
    expect(preview.data).toMatchObject({ items: 1, revision: 1, errors: [{ line: 2 }, { line: 3 }] });
    expect((await read('jsonl', bad)).status).toBe(422);
    const lines = ['France,Paris', 'Italy,Rome', 'Spain,Madrid'].map((pair, at) => {
      const [input, expectedOutput] = pair.split(',');
      return JSON.stringify({ id: `c${at}`, input: { country: input }, expectedOutput });
    });
    expect((await read('jsonl', lines.join('\n'))).data).toMatchObject({ items: 3, revision: 2 });
    expect((await owner.call('GET', `${BASE}/datasets/capitals`)).data).toMatchObject({
      items: 3,
      revision: 2,
    });
  });

  it('read CSV, Langfuse, OpenAI evals and promptfoo; code is refused by name', async () => {
    const look = async (format: string, text: string, more: object = {}) =>
      (await read(format, text, { preview: true, ...more })).data;
    const columns = { columns: { input: 'q', expectedOutput: 'a' } };
    expect(await look('csv', 'q,a,tag\n"Say ""hi""",hello,x\n', columns)).toMatchObject({
      first: [{ input: 'Say "hi"', expectedOutput: 'hello' }],
    });
    const absent = { columns: { input: 'nobody' } };
    expect((await look('csv', 'q,a\nx,y\n', absent)).errors).toEqual([
      { line: 1, message: 'There is no column "nobody".' },
    ]);
    expect(await look('langfuse', '[{"id":"x","input":{"a":1},"expectedOutput":"b"}]')).toMatchObject({
      first: [{ id: 'x', input: { a: 1 }, expectedOutput: 'b' }],
    });
    expect(await look('openai', '{"item":{"q":"1+1","expected":"2"}}')).toMatchObject({
      first: [{ input: { q: '1+1' }, expectedOutput: '2' }],
    });
    const promptfoo = `tests:
  - vars: {q: hi}
    assert: [{type: equals, value: hello}]
  - vars: {q: bad}
    assert: [{type: javascript, value: "output.length"}]
  - vars: {q: file://secret}
`;
    const told = await look('promptfoo', promptfoo);
    expect(told.first).toMatchObject([{ input: { q: 'hi' }, expectedOutput: 'hello' }]);
    expect(told.errors.map(({ message }: { message: string }) => message).join()).toMatch(
      /javascript.*file:\/\//,
    );
  });

  it('an export imports to the same items, and a spreadsheet gets no formulas', async () => {
    const text = await exported('capitals/export');
    await owner.call('POST', `${BASE}/datasets`, { name: 'copy' });
    const answer = await owner.call('POST', `${BASE}/datasets/copy/import`, { format: 'jsonl', text });
    expect(answer.data).toMatchObject({ items: 3 });
    expect(await exported('copy/export')).toBe(text);
    await owner.call('POST', `${BASE}/datasets/copy/items`, { items: [{ id: 'f', input: '=cmd()' }] });
    expect(await exported('copy/export?format=csv')).toContain("'=cmd()");
    expect((await owner.call('GET', `${BASE}/datasets/copy/items?revision=2`)).data).toHaveLength(3);
  });

  it('items fit the schemas of the dataset', async () => {
    const inputSchema = { type: 'object', required: ['q'], properties: { q: { type: 'string' } } };
    await owner.call('POST', `${BASE}/datasets`, { name: 'strict', inputSchema });
    const add = (input: unknown) =>
      owner.call('POST', `${BASE}/datasets/strict/items`, { items: [{ input }] });
    expect((await add({ q: 'x' })).status).toBe(200);
    expect((await add({ q: 1 })).text).toContain('/q must be string');
    const remote = { $ref: 'https://example.com/schema' };
    expect((await owner.call('POST', `${BASE}/datasets`, { name: 'r', inputSchema: remote })).status).toBe(
      422,
    );
  });
});

describe('experiments', () => {
  it('run every item once through a model, judge it, and compare in pairs', async () => {
    const run = async (...answers: string[]) => {
      vendor.script(...answers.map((text) => ({ text })));
      const made = await owner.call('POST', `${BASE}/experiments`, {
        dataset: 'capitals',
        target: { kind: 'template', text: 'Capital of {{country}}?', modelId: model },
        evaluators: ['right'],
      });
      expect(made.status).toBe(201);
      return ended(String(made.data.id));
    };
    const before = vendor.requests.length;
    const first = await run('Paris', 'Paris', 'Paris');
    expect(first).toMatchObject({
      counts: { total: 3, done: 3, failed: 0 },
      results: [{ evaluator: 'right', judged: 3, of: 3, passed: 1, failed: 2 }],
    });
    expect(vendor.requests.length - before).toBe(3);
    const second = await run('x', 'x', 'x');
    const { data } = await owner.call('GET', `${BASE}/experiments/${second.id}/compare?with=${first.id}`);
    expect(data.evaluators).toMatchObject([{ pairs: 3, of: 3, better: 0, worse: 1, p: null }]);
    expect(data.items).toMatchObject([{ change: 'worse', outputBefore: 'Paris', outputAfter: 'x' }]);
    const scores = await owner.call('GET', `${BASE}/scores?runId=${first.id}`);
    await expect
      .poll(async () => (await owner.call('GET', `${BASE}/scores?runId=${first.id}`)).data, {
        timeout: 30_000,
      })
      .toHaveLength(3);
    expect(scores.status).toBe(200);
  });

  it('run a chat, wait at a cap, and are run once more when it is raised; what is done is not paid again', async () => {
    const target = {
      kind: 'messages',
      messages: [
        { role: 'system', content: 'You know {{country}}.' },
        { role: 'user', content: 'Its capital?' },
      ],
      modelId: model,
    };
    const made = await owner.call('POST', `${BASE}/experiments`, {
      dataset: 'capitals',
      target,
      evaluators: ['right'],
      capUsd: 0,
    });
    expect(made.data).toMatchObject({ status: 'paused', target, counts: { waiting: 3 } });
    const path = `${BASE}/experiments/${made.data.id}`;
    const before = vendor.requests.length;
    vendor.script({ status: 400 }, { status: 400 }, { text: 'Paris' });
    const resume = (body: object) => owner.call('POST', `${path}/resume`, body);
    // Until the job has let go of them.
    await expect.poll(async () => (await resume({ capUsd: null })).status, { timeout: 30_000 }).toBe(200);
    const half = await ended(String(made.data.id));
    expect(half.counts).toMatchObject({ done: 1, failed: 2, waiting: 0 });
    expect(vendor.requests.length - before).toBe(3);
    expect(JSON.stringify(vendor.requests.at(-1)?.body)).toContain('You know ');
    vendor.script({ text: 'x' }, { text: 'x' });
    await expect.poll(async () => (await resume({})).status, { timeout: 30_000 }).toBe(200);
    expect((await ended(String(made.data.id))).counts).toMatchObject({ done: 3, failed: 0 });
    expect(vendor.requests.length - before).toBe(5);
  });

  it('take the outputs of an application; a failed item is named and is no zero', async () => {
    const made = await owner.call('POST', `${BASE}/experiments`, {
      name: 'app',
      dataset: 'capitals',
      revision: 2,
      target: { kind: 'external' },
      evaluators: ['right'],
    });
    const items = [
      { itemId: 'c0', output: 'Paris' },
      { itemId: 'c1', output: 'Rome', durationMs: 12 },
      { itemId: 'c2', error: 'timeout' },
    ];
    const send = () => owner.call('POST', `${BASE}/experiments/app/items`, { items });
    expect((await send()).data).toEqual({ taken: 3 });
    const done = await ended(String(made.data.id));
    expect(done.counts).toMatchObject({ done: 2, failed: 1 });
    expect(done.results).toMatchObject([{ judged: 2, of: 3, passed: 2, mean: 1 }]);
    expect((await send()).data).toEqual({ taken: 0 });
    const unknown = { items: [{ itemId: 'nobody', output: 'x' }] };
    expect((await owner.call('POST', `${BASE}/experiments/app/items`, unknown)).status).toBe(404);
  });
});

describe('experiments of items that lack something', () => {
  it('fail those by name, whatever the model would have said to a placeholder', async () => {
    await owner.call('POST', `${BASE}/datasets`, { name: 'ragged' });
    const items = [
      { id: 'whole', input: { country: 'France' } },
      { id: 'bare', input: { town: 'Paris' } },
    ];
    await owner.call('POST', `${BASE}/datasets/ragged/items`, { items });
    await owner.call('POST', '/api/prompt', { name: 'capital', prompt: 'Of {{country}}?', publish: 'minor' });
    const before = vendor.requests.length;
    const targets = [
      { kind: 'template', text: 'Of {{country}}?', modelId: model },
      { kind: 'messages', messages: [{ role: 'user', content: 'Of {{country}}?' }], modelId: model },
      { kind: 'prompt', prompt: 'capital', modelId: model },
    ];
    for (const target of targets) {
      const made = await owner.call('POST', `${BASE}/experiments`, { dataset: 'ragged', target });
      expect((await ended(String(made.data.id))).counts).toMatchObject({ done: 1, failed: 1 });
      const results = await owner.call('GET', `${BASE}/experiments/${made.data.id}/items`);
      expect(results.data).toMatchObject([
        { id: 'whole', error: null },
        { id: 'bare', error: 'The input of this item has no value for "country".', output: null },
      ]);
    }
    expect(vendor.requests.length - before).toBe(targets.length);
  });
});

describe('annotation', () => {
  it('asks for nothing that nobody could answer', async () => {
    const refused = async (...fields: object[]) => {
      const answer = await owner.call('POST', `${BASE}/queues`, { name: 'odd', fields });
      expect(answer.status).toBe(400);
      return answer.text;
    };
    expect(await refused({ name: 'a', kind: 'category' })).toContain('two to nine options');
    expect(await refused({ name: 'a', kind: 'category', options: ['x', 'x'] })).toContain('are alike');
    const twice = { name: 'a', kind: 'pass_fail' };
    expect(await refused(twice, twice)).toContain('have one name');
    expect(await refused({ name: '__proto__', kind: 'number' })).toContain('No JSON object');
  });

  it('a field that is called like something of every object needs a value too', async () => {
    const fields = [
      { name: 'constructor', kind: 'pass_fail' },
      { name: 'points', kind: 'number' },
    ];
    const { data: queue } = await owner.call('POST', `${BASE}/queues`, { name: 'named', fields });
    const span = { traceId: 'e'.repeat(32), spanId: 'f'.repeat(16) };
    await owner.call('POST', `${BASE}/queues/${queue.id}/items`, { spans: [span] });
    const path = `${BASE}/queues/${queue.id}/items/${encodeURIComponent(`${span.traceId}:${span.spanId}`)}/labels`;
    expect((await owner.call('POST', path, { values: { points: 1 } })).status).toBe(422);
    expect(
      (await owner.call('POST', path, { values: { points: 1, constructor: 'pass' } })).data,
    ).toMatchObject({
      status: 'done',
    });
  });

  it('is blind until all labels are in; a dispute takes one more, and what comes of it is a score', async () => {
    const third = (await place.join(owner, 'member')).browser;
    const queue = await owner.call('POST', `${BASE}/queues`, {
      name: 'review',
      fields: [{ name: 'tone', kind: 'pass_fail' }],
      reviewers: 2,
    });
    const path = `${BASE}/queues/${queue.data.id}`;
    const span = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
    const fill = () => owner.call('POST', `${path}/items`, { spans: [span] });
    expect((await fill()).data).toEqual({ added: 1 });
    expect((await fill()).data).toEqual({ added: 0 });
    const claim = async (who: Browser) => (await who.call('POST', `${path}/claim`)).data;
    const item = await claim(owner);
    expect(await claim(member)).toMatchObject({ id: item.id });
    expect(await claim(third)).toBeNull();
    const label = (who: Browser, tone: string) =>
      who.call('POST', `${path}/items/${encodeURIComponent(item.id)}/labels`, { values: { tone } });
    expect((await label(owner, 'pass')).data).toMatchObject({ status: 'open' });
    expect((await member.call('GET', `${path}/items`)).data).toMatchObject([{ labels: [], hidden: 1 }]);
    expect((await label(owner, 'fail')).status).toBe(409);
    expect((await label(member, 'maybe')).status).toBe(422);
    expect((await label(member, 'fail')).data).toMatchObject({ status: 'disputed', hidden: 0 });
    expect(await claim(third)).toMatchObject({ labels: [{}, {}] });
    expect((await label(third, 'fail')).data).toMatchObject({ status: 'done' });
    await expect
      .poll(async () => (await owner.call('GET', `${BASE}/scores?name=tone`)).data, { timeout: 30_000 })
      .toMatchObject([{ source: 'human', verdict: 'fail', spanId: span.spanId }]);
    expect((await owner.call('GET', `${path}/agreement`)).data).toMatchObject([
      { field: 'tone', pairs: 1, agreed: 0 },
    ]);
  });

  it('that all skipped says so, with the reasons, and is open to whoever knows more', async () => {
    const third = (await place.join(owner, 'member')).browser;
    const fields = [{ name: 'tone', kind: 'pass_fail' }];
    const { data: queue } = await owner.call('POST', `${BASE}/queues`, {
      name: 'hard',
      fields,
      reviewers: 2,
    });
    const path = `${BASE}/queues/${queue.id}`;
    const span = { traceId: '1'.repeat(32), spanId: '2'.repeat(16) };
    await owner.call('POST', `${path}/items`, { spans: [span] });
    const give = async (who: Browser, label: object) => {
      const { data: item } = await who.call('POST', `${path}/claim`);
      return (await who.call('POST', `${path}/items/${encodeURIComponent(item.id)}/labels`, label)).data;
    };
    expect(await give(owner, { skip: 'no context' })).toMatchObject({ status: 'open' });
    expect(await give(member, { skip: 'in Finnish' })).toMatchObject({ status: 'skipped' });
    const [{ data: queues }, { data: open }, { data: skipped }] = await Promise.all([
      owner.call('GET', `${BASE}/queues`),
      owner.call('GET', `${path}/items?status=open`),
      owner.call('GET', `${path}/items?status=skipped`),
    ]);
    expect(queues.find(({ id }: { id: string }) => id === queue.id)).toMatchObject({
      counts: { open: 0, skipped: 1 },
    });
    expect(open).toEqual([]);
    expect(skipped).toMatchObject([{ labels: [{ skipped: 'no context' }, { skipped: 'in Finnish' }] }]);
    expect(await give(third, { values: { tone: 'pass' } })).toMatchObject({ status: 'skipped' });
    // What somebody said stays hidden until all labels are in.
    expect((await owner.call('GET', `${path}/items`)).data).toMatchObject([{ labels: [{}, {}], hidden: 1 }]);
    const fourth = (await place.join(owner, 'member')).browser;
    expect(await give(fourth, { values: { tone: 'pass' } })).toMatchObject({ status: 'done' });
  });

  it('that is not blind shows labels at once; numbers are averaged and no dispute', async () => {
    const queue = await owner.call('POST', `${BASE}/queues`, {
      name: 'open',
      fields: [
        { name: 'verdict', kind: 'category', options: ['good', 'bad'] },
        { name: 'stars', kind: 'number' },
      ],
      reviewers: 2,
      blind: false,
    });
    expect(queue.data).toMatchObject({ blind: false });
    const path = `${BASE}/queues/${queue.data.id}`;
    const span = { traceId: 'c'.repeat(32), spanId: 'd'.repeat(16) };
    await owner.call('POST', `${path}/items`, { spans: [span] });
    const { data: item } = await owner.call('POST', `${path}/claim`);
    const label = (who: Browser, values: object) =>
      who.call('POST', `${path}/items/${encodeURIComponent(String(item.id))}/labels`, { values });
    await label(owner, { verdict: 'good', stars: 3 });
    expect((await member.call('POST', `${path}/claim`)).data).toMatchObject({
      labels: [{ values: { verdict: 'good', stars: 3 } }],
      hidden: 0,
    });
    expect((await label(member, { verdict: 'good', stars: 4 })).data).toMatchObject({ status: 'done' });
    await expect
      .poll(async () => (await owner.call('GET', `${BASE}/scores?name=stars`)).data, { timeout: 30_000 })
      .toMatchObject([{ source: 'human', value: 3.5 }]);
  });
});

describe('playground', () => {
  const run = async (columns: object[], variables: object = {}) => {
    const { text, status } = await owner.call('POST', '/api/playground/run', { columns, variables });
    const events = [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, event = '', data = '']) => ({
      event,
      ...(JSON.parse(data) as { column: number; text?: string; name?: string; err?: string }),
    }));
    return { status, events };
  };

  it('streams columns side by side; one that fails fails alone, tools are told and not run', async () => {
    const user = (text: string) => [{ role: 'user', text }];
    const tools = [
      { name: 'get_weather', schema: { type: 'object', properties: { city: { type: 'string' } } } },
    ];
    const { events } = await run(
      [
        { modelId: model, messages: user('Say {{word}}') },
        { modelId: model, messages: user('Weather?'), tools },
        { modelId: model, messages: [] },
      ],
      { word: 'hi' },
    );
    const of = (column: number) =>
      events.filter((event) => event.column === column).map(({ event }) => event);
    expect(of(0).at(-1)).toBe('done');
    expect(of(0)[0]).toBe('delta');
    expect(of(1)).toContain('tool');
    expect(of(2)).toEqual(['failure']);
    expect(JSON.stringify(vendor.requests.map(({ body }) => body))).toContain('Say hi');
    const six = await run(Array.from({ length: 6 }, () => ({ modelId: model, messages: user('x') })));
    expect(six.events.filter(({ event }) => event === 'done')).toHaveLength(6);
    expect((await run([])).status).toBe(400);
    expect(
      (await run(Array.from({ length: 7 }, () => ({ modelId: model, messages: user('x') })))).status,
    ).toBe(400);
    expect((await run([{ modelId: 'nobody', messages: user('x') }])).status).toBe(404);
  });

  it('a column is a version of a prompt, with what was said after it', async () => {
    const messages = [
      { role: 'system', content: 'Be {{tone}}.' },
      { role: 'user', content: 'Hello' },
    ];
    const prompt = await owner.call('POST', '/api/prompt', { name: 'greeting', messages, publish: 'minor' });
    const column = {
      modelId: model,
      prompt: { id: prompt.data.id },
      messages: [
        { role: 'assistant', text: 'Hi.' },
        { role: 'user', text: 'And now?' },
      ],
    };
    const { events } = await run([column], { tone: 'kind' });
    expect(events.map(({ event }) => event)).toContain('done');
    const sent = vendor.requests.at(-1)?.body as { messages: { role: string; content: unknown }[] };
    expect(sent.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(JSON.stringify(sent)).toContain('Be kind.');
  });

  it('keeps the runs of each person, whole, for them alone', async () => {
    vendor.script({ text: 'Hello Ada.' });
    const column = { modelId: model, messages: [{ role: 'user', text: 'Greet {{who}}' }], temperature: 0.5 };
    const { events } = await run([column], { who: 'Ada' });
    const { id } = events.at(-1) as unknown as { event: string; id: string };
    expect(events.at(-1)).toEqual({ event: 'kept', id, err: null });
    const { data } = await owner.call('GET', `/api/playground/runs`);
    expect(data[0]).toMatchObject({ id, title: 'Greet {{who}} · Ada', models: ['answers'] });
    const kept = await owner.call('GET', `/api/playground/runs/${id}`);
    expect(kept.data).toMatchObject({
      variables: { who: 'Ada' },
      columns: [{ ...column, answer: { text: 'Hello Ada.', calls: [], finish: 'stop', error: null } }],
    });
    // Somebody else knows nothing of it.
    expect((await member.call('GET', '/api/playground/runs')).data).toEqual([]);
    expect((await member.call('GET', `/api/playground/runs/${id}`)).status).toBe(404);
    expect((await member.call('DELETE', `/api/playground/runs/${id}`)).status).toBe(404);
    expect((await owner.call('DELETE', `/api/playground/runs/${id}`)).status).toBe(200);
    expect((await owner.call('GET', `/api/playground/runs/${id}`)).status).toBe(404);
    // A run that is too large to be kept has its answers all the same.
    vendor.script({ text: 'y'.repeat(999_000) });
    const large = { modelId: model, messages: [{ role: 'user', text: 'x'.repeat(100_000) }] };
    const told = (await run([large])).events;
    expect(told.map(({ event }) => event)).toContain('done');
    expect(told.at(-1)).toMatchObject({ event: 'kept', id: null, err: expect.stringContaining('1 MiB') });
  });
});
