import {
  boardInputSchema,
  fillStatement,
  frameOfScores,
  frameOfScoreSeries,
  frameOfText,
  frameOfUsage,
  type Frame,
  type Panel,
} from '@candela/contract';
import { expect, it } from 'vitest';
import type { RequestContext } from '@candela/kernel';
import { widgetEvents } from './data.ts';
import { importDocument } from './import/index.ts';
import type { PanelSources } from './kinds.ts';
import { SEEDS } from './seeds/index.ts';
import { conditionsOf } from './variables.ts';

it('every seeded board is one that could be saved', () => {
  expect(SEEDS.size).toBe(7);
  for (const board of SEEDS.values()) expect(boardInputSchema.parse(board)).toEqual(board);
});

it("Candela's own calls are left out of the boards of models and cost while no service is chosen", () => {
  for (const id of ['seed:llm', 'seed:cost']) {
    const { variables = [], widgets = [] } = SEEDS.get(id) ?? {};
    expect(conditionsOf(variables, {})).toEqual([{ field: 'service', op: 'not_in', value: ['candela'] }]);
    const chosen = conditionsOf(variables, { service: ['candela'] });
    expect(chosen).toEqual([{ field: 'service', op: 'in', value: ['candela'] }]);
    for (const { title, query } of widgets) {
      if (query.kind === 'usage') expect(title).toBe("Candela's own model calls");
      else expect(JSON.stringify(query), title).not.toContain('candela');
    }
  }
});

it('a board that was written to a file comes back whole', () => {
  for (const { folderId: _folder, visibility: _visibility, ...board } of SEEDS.values()) {
    const file = JSON.parse(JSON.stringify({ $candela: 'board', version: 1, ...board })) as object;
    const { board: read, report } = importDocument({ ...file });
    expect(read).toMatchObject(board);
    expect(report.widgets.every(({ outcome }) => outcome === 'taken')).toBe(true);
  }
});

it.each([
  [{ $candela: 'board', version: 2 }, /version 2.*version 1/],
  [{ $candela: 'prompt', version: 1 }, /"prompt"/],
  [{ elements: {}, layout: {} }, /new resource model/],
  [{ anything: 1 }, /no board/],
  [{ panels: Array.from({ length: 61 }, () => ({ type: 'text' })) }, /at most 60 widgets/],
])('refuses %j', (document, sentence) => {
  expect(() => importDocument(document)).toThrow(sentence);
});

it('widgets of a file that could never be shown become placeholders that say why', () => {
  const place = { x: 0, w: 3, h: 2 };
  const asks = (id: string, y: number, body: object) => ({
    id,
    title: id,
    query: { kind: 'aggregate', body },
    visual: { type: 'stat' },
    place: { ...place, y },
  });
  const widgets = [asks('good', 0, { q: 'status:error' }), asks('bad', 2, { q: 'name:/[/' })];
  const { board, report } = importDocument({ $candela: 'board', version: 1, title: 'x', widgets });
  expect(board.widgets.map(({ query }) => query.kind)).toEqual(['aggregate', 'markdown']);
  expect(report.widgets).toEqual([
    { title: 'good', outcome: 'taken', reason: null },
    { title: 'bad', outcome: 'placeholder', reason: expect.stringContaining('never closed') },
  ]);
});

it('reads the layout JSON: four columns become twelve, and what overlaps is moved', () => {
  const { board, report } = importDocument({
    title: '<b>Theirs</b>',
    tags: '["a","b"]',
    widgets: {
      note: { type: 'MARKDOWN', title: 'Note', config: { content: '# Hello' } },
      odd: { type: 'HOLOGRAM', title: 'Odd', config: { query: 'SELECT 1' } },
    },
    layouts: {
      lg: [
        { i: 'note', x: 2, y: 0, w: 2, h: 2 },
        { i: 'odd', x: 2, y: 1, w: 2, h: null },
        { i: 'missing', x: 0, y: 0, w: 1, h: 1 },
      ],
    },
  });
  expect(board).toMatchObject({ title: '<b>Theirs</b>', tags: ['a', 'b'] });
  expect(board.widgets.map(({ place }) => place)).toEqual([
    { x: 6, y: 0, w: 6, h: 4 },
    { x: 6, y: 4, w: 6, h: 2 },
  ]);
  expect(report).toMatchObject({
    format: 'layout',
    widgets: [
      { title: 'Note', outcome: 'taken' },
      { title: 'Odd', outcome: 'placeholder', reason: expect.stringContaining('HOLOGRAM') as string },
    ],
  });
});

it('reads a classic Grafana dashboard: opened rows, text, and a reason for the rest', () => {
  const { board, report } = importDocument({
    title: 'Grafana',
    panels: [
      {
        type: 'row',
        panels: [
          { type: 'text', title: 'About', options: { content: 'x' }, gridPos: { x: 0, y: 1, w: 12, h: 8 } },
        ],
      },
      {
        type: 'text',
        title: 'Html',
        options: { mode: 'html', content: '<script>' },
        gridPos: { x: 12, y: 0, w: 12, h: 8 },
      },
      {
        type: 'timeseries',
        title: 'Prom',
        targets: [{ expr: 'up * 2' }],
        gridPos: { x: 0, y: 9, w: 24, h: 8 },
      },
    ],
  });
  expect(board.widgets[0]?.place).toEqual({ x: 0, y: 0, w: 6, h: 4 });
  expect(report.widgets.map(({ outcome }) => outcome)).toEqual(['taken', 'placeholder', 'placeholder']);
});

it('chosen values become conditions, never text of a query', () => {
  const [variable] = boardInputSchema.parse({
    title: 'x',
    variables: [{ name: 'service', label: 'Service', kind: 'field', field: 'service', multi: true }],
  }).variables;
  const all = variable === undefined ? [] : [variable];
  expect(conditionsOf(all, { service: [`a" or root:true`] })).toEqual([
    { field: 'service', op: 'in', value: [`a" or root:true`] },
  ]);
  expect(conditionsOf(all, {})).toEqual([]);
  expect(() => conditionsOf(all, { other: ['x'] })).toThrow(/no variable "other"/);
  expect(() =>
    conditionsOf(
      all.map((one) => ({ ...one, multi: false })),
      { service: ['a', 'b'] },
    ),
  ).toThrow(/takes one value/);
});

it.each([{ w: 0 }, { x: -1 }, { x: 11, w: 2 }, { h: Number.NaN }, { h: 1_000 }])(
  'a place that the grid does not have is refused: %j',
  (wrong) => {
    const place = { x: 0, y: 0, w: 2, h: 2, ...wrong };
    const widget = {
      id: 'a',
      title: 'A',
      query: { kind: 'markdown', text: '' },
      visual: { type: 'markdown' },
      place,
    };
    expect(boardInputSchema.safeParse({ title: 'x', widgets: [widget] }).success).toBe(false);
  },
);

it('what one question answers is asked once, one that fails fails alone, and as many run as may', async () => {
  let [asked, running, most] = [0, 0, 0];
  const measured: string[][] = [];
  const answer = {
    data: {
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-01-01T00:00:00.000Z',
      bucketSeconds: null,
      groups: 1,
      previous: null,
      source: 'rows' as const,
      sample: null,
      maxRowsToRead: 1,
    },
  };
  const sources = {
    aggregate: async (_context, { q, measures }) => {
      asked += 1;
      measured.push([...measures]);
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      if (q === 'bad') throw new Error('engine text with a secret');
      const rows = [{ time: null, group: [], values: measures.map((one) => one.length), previous: null }];
      return { data: { ...answer.data, rows } };
    },
  } as Partial<PanelSources> as PanelSources;
  const widget = (
    id: string,
    q: string,
    measure: 'count' | 'errors' | 'users' = 'count',
  ): Panel & { id: string } => ({
    id,
    query: {
      kind: 'aggregate',
      body: { signal: 'spans', groupBy: [], measures: [measure], limit: 1, comparePrevious: false, q },
    },
    visual: { type: 'stat' },
  });
  const text = {
    id: 'text',
    query: { kind: 'markdown' as const, text: 'Hi' },
    visual: { type: 'markdown' as const },
  };
  const widgets = [
    widget('a', 'x'),
    widget('b', 'x'),
    widget('c', 'bad'),
    widget('d', 'y'),
    text,
    widget('e', 'x', 'errors'),
    widget('f', 'x', 'users'),
  ];
  const scope = { from: 0, to: 1, compare: false, conditions: [], fill: (query: string) => query };
  const events: { event: string; data: unknown }[] = [];
  const { signal } = new AbortController();
  for await (const event of widgetEvents(
    sources,
    { widgets, scope, atOnce: 2 },
    {} as RequestContext,
    signal,
  ))
    events.push(event);
  // Those of the rollup together, that of the rows apart.
  expect(measured.toSorted()).toEqual([['count'], ['count'], ['count', 'errors'], ['users']]);
  expect(asked).toBe(4);
  expect(most).toBeLessThanOrEqual(2);
  expect(events.at(-1)).toEqual({ event: 'done', data: { count: 7 } });
  const shown = (id: string) =>
    (events.find(({ data }) => (data as { id?: string }).id === id)?.data as { frame: Frame } | undefined)
      ?.frame;
  expect([shown('a'), shown('b'), shown('e')].map((frame) => [frame?.columns[0]?.name, frame?.rows])).toEqual(
    [
      ['count', [[5]]],
      ['count', [[5]]],
      ['errors', [[6]]],
    ],
  );
  const failed = events.find(({ event }) => event === 'failed');
  expect(failed?.data).toEqual({ id: 'c', err: 'This widget could not be read.', code: 'internal' });
  expect(events.find(({ data }) => (data as { id?: string }).id === 'text')?.data).toMatchObject({
    frame: frameOfText('Hi'),
  });
});

const [SERVICE, LEVEL, NOTE] = boardInputSchema.parse({
  title: 'x',
  variables: [
    { name: 'service', label: 'Service', kind: 'field', field: 'service', multi: true },
    { name: 'level', label: 'Level', kind: 'number', initial: ['3'] },
    { name: 'note', label: 'Note', kind: 'text' },
  ],
}).variables;
const filled = (query: string, chosen: Record<string, string[]> = {}) =>
  fillStatement(query, {
    variables: [SERVICE, LEVEL, NOTE].filter((one) => one !== undefined),
    chosen,
    from: 0,
    to: 60_000,
  });

it.each([
  ['a IN {{filter.service}}', { service: ['x', "y'); --"] }, "a IN ('x', 'y\\'); --')"],
  ['a > {{ filter.level }}', {}, 'a > 3'],
  ["a LIKE '%{{filter.note}}%'", { note: ["o'b\\"] }, "a LIKE '%o\\'b\\\\%'"],
  [`'it''s' = {{filter.note}}`, { note: ['x'] }, `'it''s' = 'x'`],
  ["parse('{{filter.timeLimit.start}}')", {}, "parse('1970-01-01T00:00:00.000Z')"],
  ['x {{{filter.timeLimit.end}}}', {}, `x '1970-01-01T00:01:00.000Z'`],
  ['a[[ AND s IN {{filter.service}}]] b', {}, 'a b'],
  ['a[[ AND s IN {{filter.service}}]] b', { service: ['x'] }, `a AND s IN ('x') b`],
  ['SELECT [[1, 2], [3]]', {}, 'SELECT [[1, 2], [3]]'],
  ['"{{filter.note}}" -- {{filter.nothing.known}}', {}, '"{{filter.note}}" -- {{filter.nothing.known}}'],
])('fills %j with %j', (query, chosen, want) => {
  expect(filled(query, chosen as Record<string, string[]>)).toBe(want);
});

it.each([
  ['{{filter.other}}', {}, /no variable "other"/],
  ['{{filter.note}}', {}, /Choose a value of "Note"/],
  ['{{filter.level}}', { level: ['1; DROP'] }, /takes numbers/],
])('refuses to fill %j', (query, chosen, sentence) => {
  expect(() => filled(query, chosen as Record<string, string[]>)).toThrow(sentence);
});

it('scores and usage are frames: groups, series and days', () => {
  const figures = {
    scores: 4,
    passed: 3,
    failed: 1,
    errors: 0,
    mean: 0.5,
    costUsd: 0.1,
    passRate: 0.75,
    interval: null,
    enough: false,
  };
  const groups = ['a', 'b', 'c'].map((key) => ({ key, ...figures }));
  expect(frameOfScores({ measures: ['pass_rate', 'mean'], by: 'name', limit: 2 }, groups)).toMatchObject({
    rows: [
      ['a', 0.75, 0.5],
      ['b', 0.75, 0.5],
    ],
    groups: 3,
    truncated: true,
  });
  const series = { series: [{ time: '1970-01-01T00:01:00.000Z', ...figures }], stepMs: 60_000 };
  expect(
    frameOfScoreSeries({ measures: ['cost'], by: 'name' }, [{ key: 'a', data: series }], 1),
  ).toMatchObject({ rows: [[60_000, 'a', 0.1]], stepSeconds: 60 });
  const row = (feature: string, date: string, calls: number) => ({
    feature,
    date,
    provider: null,
    model: null,
    calls,
    failed: 0,
    inputTokens: 0,
    costUsd: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    unpricedCalls: 0,
    unknownCalls: 0,
  });
  const data = {
    totals: row('', '', 7),
    rows: [row('chat', '2026-01-01', 2), row('judge', '2026-01-01', 4), row('chat', '2026-01-02', 1)],
    truncated: false,
  };
  const asked = { measures: ['calls' as const], groupBy: ['feature' as const], limit: 1 };
  expect(frameOfUsage({ ...asked, overTime: true }, data)).toMatchObject({
    rows: [[Date.parse('2026-01-01'), 'judge', 4]],
    groups: 2,
    truncated: true,
  });
  expect(frameOfUsage({ ...asked, groupBy: [], overTime: false }, data).rows).toEqual([[7]]);
});
