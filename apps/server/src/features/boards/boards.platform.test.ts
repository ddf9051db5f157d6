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

it.each([
  ['too many widgets', { widgets: Array.from({ length: 61 }, (_, index) => widget(`w${index}`, 0)) }],
  ['widgets on each other', { widgets: [widget('a', 0), widget('b', 1)] }],
  ['two of one id', { widgets: [widget('a', 0), widget('a', 6)] }],
  ['a folder that is not there', { folderId: 'nowhere' }],
])('refuses %s', async (_what, wrong) => {
  const answer = await owner.call('POST', '/api/boards', { title: 'Wrong', ...wrong });
  expect([400, 404], answer.text).toContain(answer.status);
});

it("pins are a person's own", async () => {
  await owner.call('PUT', '/api/boards/seed:gpu/pin', { pinned: true });
  const { data } = await owner.call('GET', '/api/boards');
  const { boards } = data as unknown as { boards: { id: string; pinned: boolean }[] };
  expect(boards.filter(({ pinned }) => pinned).map(({ id }) => id)).toEqual(['seed:gpu']);
});
