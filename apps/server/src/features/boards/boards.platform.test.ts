import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Browser } from '../identity/testing/browser.ts';
import { type Installation, openInstallation, OWNER } from '../identity/testing/installation.ts';

let place: Installation;
let owner: Browser;
beforeAll(async () => {
  place = await openInstallation();
  owner = place.browser();
  const token = new URL(place.platform.setupUrl ?? '').searchParams.get('token');
  await owner.call('POST', '/api/auth/setup', { ...OWNER, token });
});
afterAll(() => place.close());

const count = {
  query: { kind: 'aggregate', body: { measures: ['count'] } },
  visual: { type: 'stat', compare: true },
};
const widget = (id: string, x: number) => ({ id, title: id, ...count, place: { x, y: 0, w: 3, h: 2 } });

it('two editors: the second is told, and nothing is lost', async () => {
  const made = await owner.call('POST', '/api/boards', { title: 'Ours', widgets: [widget('a', 0)] });
  expect(made.status, made.text).toBe(201);
  const path = `/api/boards/${made.data.id}`;
  const first = { title: 'Ours', widgets: [widget('a', 0), widget('b', 3)], revision: 1 };
  expect((await owner.call('PUT', path, first)).status).toBe(200);
  const second = await owner.call('PUT', path, { title: 'Theirs', widgets: [], revision: 1 });
  expect(second.status).toBe(409);
  const now = await owner.call('GET', path);
  expect(now.data).toMatchObject({ title: 'Ours', revision: 2, widgetCount: 2 });
});

it('a seeded board is read-only; its copy is not, and what is exported is imported alike', async () => {
  const refused = await owner.call('PUT', '/api/boards/seed:llm', { title: 'Mine' });
  expect([refused.status, refused.headers.get('x-platform-error-code')]).toEqual([422, 'refused']);
  const copy = await owner.call('POST', '/api/boards/seed:llm/duplicate', {});
  expect(copy.data).toMatchObject({ title: 'LLM (copy)', seeded: false, widgetCount: 22 });
  const file = JSON.parse((await owner.call('GET', `/api/boards/${copy.data.id}/export`)).text) as object;
  const again = await owner.call('POST', '/api/boards/import', { document: file });
  expect(again.status, again.text).toBe(201);
  const widgets = (board: unknown) => (board as { widgets: unknown }).widgets;
  expect(widgets((again.data as { board?: unknown }).board)).toEqual(widgets(copy.data));
});

it('widgets come as they are ready, equal to what the route itself answers', async () => {
  const made = await owner.call('POST', '/api/boards', {
    title: 'Data',
    variables: [{ name: 'service', label: 'Service', kind: 'field', field: 'service', multi: true }],
    widgets: [widget('a', 0), widget('b', 3)],
  });
  const path = `/api/boards/${made.data.id}/data`;
  const { text } = await owner.call('POST', path, { from: '-24h', filters: { service: ['none'] } });
  expect(text.match(/^event: widget$/gm)).toHaveLength(2);
  expect(text).toContain('event: done');
  const wrong = await owner.call('POST', path, { filters: { nothing: ['x'] } });
  expect(wrong.status, wrong.text).toBe(422);
  const route = await owner.call('POST', '/api/telemetry/aggregate', { measures: ['count'], from: '-24h' });
  const panel = await owner.call('POST', '/api/panels/query', { panel: count, from: '-24h' });
  const rows = (route.data as unknown as { rows: { values: number[] }[] }).rows;
  const frame = panel.data as unknown as { rows: (number | null)[][] };
  expect(frame.rows.map(([value]) => value)).toEqual(rows.map(({ values }) => values[0]));
});

it('a statement takes the values of variables, scores and usage are asked as panels', async () => {
  const sql = (query: string) => ({ query: { kind: 'sql', query }, visual: { type: 'table' } });
  const variables = [{ name: 'word', label: 'Word', kind: 'text' }];
  const ask = (panel: object, filters: object = {}) =>
    owner.call('POST', '/api/panels/query', { panel, variables, filters });
  const rows = async (answer: ReturnType<typeof ask>) => {
    const { data, text } = await answer;
    return (data as { rows?: unknown } | undefined)?.rows ?? text;
  };
  const hostile = String.raw`x' OR 1=1 -- \'`;
  const statement = sql('SELECT {{filter.word}} AS word, count() AS n FROM otel_traces GROUP BY word');
  expect(await rows(ask(statement, { word: [hostile] }))).toEqual([]);
  expect(await rows(ask(sql('SELECT {{filter.word}} AS word'), { word: [hostile] }))).toEqual([[hostile]]);
  expect(await rows(ask(sql("SELECT 1 AS one WHERE 1[[ AND 'a' = {{filter.word}}]]")))).toEqual([[1]]);
  const refused = await ask(statement);
  expect([refused.status, refused.text], refused.text).toEqual([
    422,
    expect.stringContaining('Choose a value'),
  ]);
  const scores = { query: { kind: 'scores', body: {} }, visual: { type: 'stat' } };
  expect(await rows(ask(scores))).toEqual([[null]]);
  const usage = { query: { kind: 'usage', body: { measures: ['calls'] } }, visual: { type: 'stat' } };
  expect(await rows(ask(usage))).toEqual([[0]]);
  const timed = {
    query: { kind: 'scores', body: { overTime: true, groupBy: ['model'] } },
    visual: { type: 'line' },
  };
  expect((await ask(timed)).status).toBe(400);
});

const DAY = 86_400_000;
const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const number = (key: string, value: number) => ({ key, value: { intValue: String(value) } });

/** Calls of models over 29 days, and scores of them. */
async function ingestMonth(): Promise<void> {
  const now = Date.now() - 60_000;
  const spans = Array.from({ length: 240 }, (_, n) => {
    const end = BigInt(now - (n % 29) * DAY - (n % 13) * 3_600_000) * 1_000_000n;
    return {
      traceId: n.toString(16).padStart(32, 'b'),
      spanId: n.toString(16).padStart(16, 'b'),
      name: 'chat',
      kind: 3,
      startTimeUnixNano: `${end - BigInt(n + 1) * 7_000_000n}`,
      endTimeUnixNano: `${end}`,
      attributes: [
        text('gen_ai.operation.name', 'chat'),
        text('gen_ai.provider.name', 'openai'),
        text('gen_ai.request.model', ['gpt-4o', 'gpt-4o-mini', 'own'][n % 3] ?? ''),
        text('user.id', `user ${n % 5}`),
        text('session.id', `session ${n % 17}`),
        number('gen_ai.usage.input_tokens', 100 + n),
        number('gen_ai.usage.output_tokens', n),
      ],
      status: n % 7 === 0 ? { code: 2, message: 'no' } : {},
    };
  });
  const score = (n: number) => ({
    timeUnixNano: `${BigInt(now) * 1_000_000n}`,
    eventName: 'gen_ai.evaluation.result',
    traceId: n.toString(16).padStart(32, 'c'),
    attributes: [
      text('gen_ai.evaluation.name', 'helpful'),
      text('platform.evaluation.id', `score ${n}`),
      text('platform.evaluation.verdict', n % 2 === 0 ? 'pass' : 'fail'),
      text('platform.evaluation.model', n < 3 ? 'gpt-4o' : 'own'),
    ],
  });
  const send = async (signal: string, body: object) => {
    const answer = await fetch(`${place.platform.otlpHttp}/v1/${signal}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
  };
  const resource = { attributes: [text('service.name', 'shop')] };
  await send('traces', { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
  const logRecords = Array.from({ length: 5 }, (_, n) => score(n));
  await send('logs', { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] });
  const rows = async (table: string) =>
    Number((await place.platform.store.select<{ n: string }>(`SELECT count() AS n FROM ${table}`))[0]?.n);
  await expect.poll(() => rows('otel_traces'), { timeout: 20_000 }).toBe(240);
  await expect.poll(async () => (await scoresOf({})).rows, { timeout: 20_000 }).toEqual([[5]]);
}

interface Answered {
  readonly rows: readonly unknown[][];
  readonly notes: readonly string[];
}
const VARIABLES = [
  { name: 'model', label: 'Model', kind: 'field', field: 'model', multi: true },
  { name: 'tool', label: 'Tool', kind: 'field', field: 'tool' },
];
const answered = async (panel: object, filters: object): Promise<Answered> => {
  const answer = await owner.call('POST', '/api/panels/query', { panel, variables: VARIABLES, filters });
  expect(answer.status, answer.text).toBe(200);
  return answer.data as unknown as Answered;
};
const scoresOf = (filters: object, body: object = { measures: ['scores'] }) =>
  answered({ query: { kind: 'scores', body }, visual: { type: 'table' } }, filters);

it('a board of 30 days has the figures of the aggregate API, number by number', async () => {
  await ingestMonth();
  const around = { from: Date.now() - 30 * DAY, to: Date.now() };
  let compared = 0;
  for (const id of ['seed:llm', 'seed:agents', 'seed:cost']) {
    const { widgets } = (await owner.call('GET', `/api/boards/${id}`)).data as unknown as {
      widgets: { id: string; query: { kind: string; body: object }; visual: { compare?: boolean } }[];
    };
    const events = await owner.call('POST', `/api/boards/${id}/data`, around);
    const frames = new Map(
      Array.from(events.text.matchAll(/^event: widget\ndata: (.*)$/gm), ([, json = '']) => {
        const told = JSON.parse(json) as { id: string; frame: Answered };
        return [told.id, told.frame] as const;
      }),
    );
    expect([...frames.keys()].toSorted(), events.text).toEqual(widgets.map((one) => one.id).toSorted());
    for (const { id: own, query, visual } of widgets) {
      if (query.kind !== 'aggregate') continue;
      const asked = { ...query.body, ...around, comparePrevious: visual.compare === true };
      const { data } = (await owner.call('POST', '/api/telemetry/aggregate', asked)) as unknown as {
        data: {
          bucketSeconds: number | null;
          rows: { time: string | null; group: string[]; values: number[]; previous: number[] | null }[];
        };
      };
      const rows = data.rows.map(({ time, group, values, previous }) => [
        ...(data.bucketSeconds === null ? [] : [Date.parse(time ?? '')]),
        ...group,
        ...values.flatMap((value, at) =>
          visual.compare === true ? [value, previous?.[at] ?? null] : [value],
        ),
      ]);
      expect(frames.get(own)?.rows, `${id} ${own}`).toEqual(rows);
      compared += rows.length;
    }
  }
  expect(compared).toBeGreaterThan(200);
});

it('variables narrow spans, scores and usage; what has no such field says so', async () => {
  const model = { model: ['gpt-4o'] };
  const count = { query: { kind: 'aggregate', body: { measures: ['count'] } }, visual: { type: 'stat' } };
  const ever = { from: Date.now() - 30 * DAY };
  const counted = async (filters: object) =>
    (
      (
        await owner.call('POST', '/api/panels/query', {
          panel: count,
          variables: VARIABLES,
          filters,
          ...ever,
        })
      ).data as unknown as Answered
    ).rows;
  expect([await counted({}), await counted(model)]).toEqual([[[240]], [[80]]]);
  expect(await scoresOf(model)).toMatchObject({ rows: [[3]], notes: [] });
  expect(await scoresOf({ model: ['gpt-4o', 'own'] })).toMatchObject({ rows: [[5]] });
  const grouped = { measures: ['passed', 'failed'], groupBy: ['model'] };
  expect((await scoresOf(model, grouped)).rows).toEqual([['gpt-4o', 2, 1]]);
  const timed = await scoresOf(model, { measures: ['scores'], overTime: true });
  expect(timed.rows.map((row) => row.at(-1))).toEqual([3]);
  const tool = ['Not narrowed by tool: scores have no such field.'];
  expect(await scoresOf({ tool: ['search'] })).toMatchObject({ rows: [[5]], notes: tool });
  const usage = { query: { kind: 'usage', body: { measures: ['calls'] } }, visual: { type: 'stat' } };
  expect(await answered(usage, { ...model, tool: ['search'] })).toMatchObject({
    rows: [[0]],
    notes: ["Not narrowed by tool: calls of Candela's own have no such field."],
  });
  const metric = { query: { kind: 'metric', body: { metric: 'm' } }, visual: { type: 'line' } };
  expect((await answered(metric, model)).notes).toContain(
    'Not narrowed by model: metrics have no such field.',
  );
  for (const [where, status] of [
    ['{"model":["own"]}', 200],
    ['model', 400],
    ['{"nothing":["x"]}', 400],
    ['{"model":[]}', 400],
  ] as const)
    for (const path of ['/api/evaluation/analytics?', '/api/chat/usage?window=7D&']) {
      const answer = await owner.call('GET', `${path}where=${encodeURIComponent(where)}`);
      expect(answer.status, answer.text).toBe(status);
    }
});

it("Candela's own calls are on the boards of models and cost when they are chosen, and else not", async () => {
  const span = (n: number) => ({
    traceId: 'd'.repeat(32),
    spanId: n.toString(16).padStart(16, 'd'),
    name: 'chat',
    startTimeUnixNano: `${BigInt(Date.now() - 61_000) * 1_000_000n}`,
    endTimeUnixNano: `${BigInt(Date.now() - 60_000) * 1_000_000n}`,
    attributes: [
      text('gen_ai.operation.name', 'chat'),
      text('gen_ai.request.model', 'judge'),
      number('gen_ai.usage.input_tokens', 10),
    ],
  });
  const resource = { attributes: [text('service.name', 'candela')] };
  const sent = await fetch(`${place.platform.otlpHttp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span(1), span(2)] }] }] }),
  });
  expect(sent.status).toBe(200);
  const calls = async (filters: object) => {
    const { data: board } = (await owner.call('GET', '/api/boards/seed:cost')) as unknown as {
      data: { variables: object[]; widgets: { title: string; query: object; visual: object }[] };
    };
    const { query, visual } = board.widgets.find(({ title }) => title === 'Model calls') ?? {};
    const asked = {
      panel: { query, visual: { ...visual, compare: false } },
      variables: board.variables,
      filters,
      from: Date.now() - 30 * DAY,
    };
    const answer = await owner.call('POST', '/api/panels/query', asked);
    return (answer.data as unknown as Answered).rows[0]?.[0];
  };
  await expect.poll(() => calls({ service: ['candela'] }), { timeout: 20_000 }).toBe(2);
  expect(await calls({})).toBe(240);
  expect(await calls({ service: ['candela', 'shop'] })).toBe(242);
});

const many = Array.from({ length: 1_000 }, (_, index) => widget(`w${index}`, 0));
const placed = (place: object) => ({
  widgets: [{ ...widget('a', 0), place: { x: 0, y: 0, w: 3, h: 2, ...place } }],
});
const asking = (query: object) => ({ widgets: [{ ...widget('a', 0), query }] });
const aggregated = (body: object) => asking({ kind: 'aggregate', body });
const limited = (value: unknown) => ({
  widgets: [
    { ...widget('a', 0), visual: { type: 'stat', thresholds: [{ value, when: 'above', tone: 'warn' }] } },
  ],
});
it.each([
  ['a thousand widgets', { widgets: many }, 400, /at most 60|<=60/i],
  ['a widget without width', placed({ w: 0 }), 400, /place\.w/],
  ['a widget left of the grid', placed({ x: -1 }), 400, /place\.x/],
  ['a widget beyond the grid', placed({ x: 10 }), 400, /The grid has 12 columns/],
  ['no number', limited('NaN'), 400, /thresholds/],
  ['infinity', limited(null), 400, /thresholds/],
  [
    'widgets on each other',
    { widgets: [widget('a', 0), widget('b', 1)] },
    400,
    /"a" and "b" lie on each other/,
  ],
  ['two of one id', { widgets: [widget('a', 0), widget('a', 6)] }, 400, /same id/],
  ['two variables of one name', { variables: [VARIABLES[0], VARIABLES[0]] }, 400, /same name/],
  ['a filter that is none', aggregated({ q: 'status:(error' }), 422, /The widget "a": .*\(/],
  [
    'an operator that a field has not',
    aggregated({ filter: { field: 'status', op: '>', value: 'error' } }),
    422,
    /The widget "a": .*status/,
  ],
  ['a bad regular expression', aggregated({ q: 'name:/(/' }), 422, /The widget "a": .*never closed/],
  ['groups of no field', aggregated({ groupBy: ['modell'] }), 422, /The widget "a": .*"model"/],
  [
    'what logs have not',
    aggregated({ signal: 'logs', measures: ['cost'] }),
    422,
    /cannot be measured of logs/,
  ],
  [
    'a metric by a field of spans',
    asking({ kind: 'metric', body: { metric: 'm', groupBy: ['model'] } }),
    422,
    /The widget "a": .*metrics/,
  ],
  ['durations of no field', asking({ kind: 'durations', body: { q: 'x=1' } }), 422, /The widget "a"/],
  [
    'a statement that names no variable',
    asking({ kind: 'sql', query: 'SELECT {{filter.nobody}}' }),
    422,
    /The widget "a": .*"nobody"/,
  ],
  [
    'a variable of no field',
    { variables: [{ name: 'x', label: 'Kind of', kind: 'field', field: 'modell' }] },
    422,
    /The variable "Kind of": .*"model"/,
  ],
  ['a folder that is not there', { folderId: 'nowhere' }, 404, /folder/i],
])('refuses %s with a sentence', async (_what, wrong, status, sentence) => {
  const answer = await owner.call('POST', '/api/boards', { title: 'Wrong', ...wrong });
  expect(answer.status, answer.text).toBe(status);
  expect((JSON.parse(answer.text) as { err: string }).err).toMatch(sentence);
});

it('refuses folders in themselves, files that are too long or of another version; a title is text', async () => {
  const folder = async (name: string, parentId: string | null) =>
    String((await owner.call('POST', '/api/boards/folders', { name, parentId })).data.id);
  const outer = await folder('Outer', null);
  const inner = await folder('Inner', outer);
  const cyclic = await owner.call('PUT', `/api/boards/folders/${outer}`, { name: 'Outer', parentId: inner });
  expect([cyclic.status, cyclic.text]).toEqual([422, expect.stringContaining('cannot lie in itself')]);
  const full = await owner.call('DELETE', `/api/boards/folders/${outer}`);
  expect([full.status, full.text]).toEqual([409, expect.stringContaining('not empty')]);
  const imported = (document: object) => owner.call('POST', '/api/boards/import', { document });
  const long = await imported({
    $candela: 'board',
    version: 1,
    title: 'x',
    description: 'x'.repeat(5_000_000),
  });
  expect([413, 422], long.text.slice(0, 300)).toContain(long.status);
  expect(long.text).toMatch(/at most|too large|larger/i);
  const newer = await imported({ $candela: 'board', version: 2, title: 'x' });
  expect([newer.status, newer.text]).toEqual([422, expect.stringMatching(/version 2.*1|1.*version 2/s)]);
  const title = '<img src=x onerror=alert(1)>';
  const made = await owner.call('POST', '/api/boards', { title });
  expect([made.status, made.data.title]).toEqual([201, title]);
});

it('viewers read boards and change none; members change them', async () => {
  const { browser: viewer } = await place.join(owner, 'viewer');
  const { browser: member } = await place.join(owner, 'member');
  const made = await member.call('POST', '/api/boards', { title: 'Of members', widgets: [widget('a', 0)] });
  const path = `/api/boards/${made.data.id}`;
  expect((await viewer.call('GET', path)).status).toBe(200);
  expect((await viewer.call('POST', `${path}/data`, {})).status).toBe(200);
  expect((await viewer.call('PUT', `${path}/pin`, { pinned: true })).status).toBe(200);
  const refused = await Promise.all([
    viewer.call('POST', '/api/boards', { title: 'Mine' }),
    viewer.call('PUT', path, { title: 'Mine' }),
    viewer.call('DELETE', path),
    viewer.call('POST', `${path}/duplicate`, {}),
    viewer.call('POST', '/api/boards/import', { document: {} }),
    viewer.call('POST', '/api/boards/folders', { name: 'Mine' }),
  ]);
  expect(refused.map(({ status }) => status)).toEqual(Array(6).fill(403));
  const own = await owner.call('POST', '/api/boards', { title: 'Private', visibility: 'private' });
  expect((await member.call('GET', `/api/boards/${own.data.id}`)).status).toBe(404);
});

it('messages go to no private address unless that is allowed', async () => {
  for (const [url, sentence] of [
    ['http://169.254.169.254/latest', /private network/],
    ['https://localhost/hook', /this machine/],
    ['https://10.0.0.8/hook', /private network/],
    ['https://[::1]/hook', /this machine/],
    ['http://hooks.example.com/', /use https/],
    ['https://user:word@hooks.example.com/', /user and password/],
    ['nothing', /no http or https/],
  ] as const) {
    const answer = await owner.call('POST', '/api/alert-destinations', {
      name: url,
      channel: { kind: 'webhook', url },
    });
    expect([answer.status, answer.text]).toEqual([422, expect.stringMatching(sentence)]);
  }
});

it("pins are a person's own", async () => {
  await owner.call('PUT', '/api/boards/seed:gpu/pin', { pinned: true });
  const { data } = await owner.call('GET', '/api/boards');
  const { boards } = data as unknown as { boards: { id: string; pinned: boolean }[] };
  expect(boards.filter(({ pinned }) => pinned).map(({ id }) => id)).toEqual(['seed:gpu']);
});
