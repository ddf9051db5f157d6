import type { BoardVariable, Panel } from '@candela/contract';
import { frameOfAggregate } from '@candela/contract/frames';
import { expect, it } from 'vitest';
import { figureOfFrame, itemsOfFrame, seriesOfFrame, sharedLook, toneOf } from '../panels/prepare-frame.ts';
import { chosenOf, panelOfText, panelText } from './board-search.ts';
import { csvOf } from './download.ts';
import { narrowedPanel } from './narrowed-panel.ts';

type Rows = Parameters<typeof frameOfAggregate>[1]['data']['rows'];

const answer = (rows: Rows, more: { bucketSeconds?: number; compared?: true } = {}) =>
  frameOfAggregate(
    { groupBy: ['model'], measures: ['cost'] },
    {
      data: {
        from: '2026-01-01T00:00:00.000Z',
        to: '2026-01-01T01:00:00.000Z',
        bucketSeconds: more.bucketSeconds ?? null,
        rows,
        groups: 5,
        previous:
          more.compared === true
            ? { from: '2025-12-31T23:00:00.000Z', to: '2026-01-01T00:00:00.000Z', since: null }
            : null,
        source: 'rows',
        sample: null,
        maxRowsToRead: 1,
      },
    },
  );
const TIME = '2026-01-01T00:00:00.000Z';

it('a frame over time is a series a group, the largest first, and the period before beside it', () => {
  const frame = answer(
    [
      { time: TIME, group: ['small'], values: [1], previous: [5] },
      { time: TIME, group: ['large'], values: [2], previous: null },
    ],
    { bucketSeconds: 60, compared: true },
  );
  const { series, previous } = seriesOfFrame(frame, { type: 'line' });
  expect(series.map(({ label, points }) => [label, points[0]?.value])).toEqual([
    ['large', 2],
    ['small', 1],
  ]);
  expect(previous.map(({ label, points }) => [label, points[0]?.value])).toEqual([['small', 5]]);
});

it('a group of which nothing is known is not drawn: an unknown price is not $0', () => {
  const frame = answer(
    [
      { time: TIME, group: ['priced'], values: [0.5], previous: null },
      { time: TIME, group: ['own-model'], values: [null], previous: null },
    ],
    { bucketSeconds: 60 },
  );
  expect(seriesOfFrame(frame, { type: 'bar' }).series.map(({ label }) => label)).toEqual(['priced']);
});

it('panels that are read together give a group one colour, and know all names of the page', () => {
  const visual = { type: 'bar' } as const;
  const of = (...models: string[]) =>
    answer(
      models.map((model, at) => ({ time: TIME, group: [model], values: [at + 1], previous: null })),
      { bucketSeconds: 60 },
    );
  const [cost, tokens] = [of('a-2024-07-18', 'b', 'c'), of('a', 'c', 'd', 'e', 'f')];
  const { names, colours } = sharedLook([
    { frame: cost, visual },
    { frame: tokens, visual },
    { frame: undefined, visual },
  ]);
  expect(names.toSorted()).toEqual(['a', 'a-2024-07-18', 'b', 'c', 'd', 'e', 'f']);
  expect(new Set(['a-2024-07-18', 'b', 'c'].map((key) => colours.get(key))).size).toBe(3);
  expect(new Set(['a', 'c', 'd', 'e', 'f'].map((key) => colours.get(key))).size).toBe(5);
});

it('a frame without time is ranked items and one figure; nothing measured is not 0', () => {
  const frame = answer([{ time: null, group: [''], values: [null], previous: null }]);
  expect(itemsOfFrame(frame, { type: 'bar' })).toEqual([
    { key: '', label: '(none)', value: null, before: undefined },
  ]);
  expect(figureOfFrame(frame, { type: 'stat' })).toEqual({ value: null, previous: undefined });
  expect(figureOfFrame(answer([]), { type: 'stat' }).value).toBeNull();
});

it('the last threshold that a value passes tells its tone', () => {
  const thresholds = [
    { value: 1, when: 'above' as const, tone: 'warn' as const },
    { value: 5, when: 'above' as const, tone: 'danger' as const },
  ];
  expect([0, 2, 9, null].map((value) => toneOf(value, thresholds))).toEqual([
    undefined,
    'warn',
    'danger',
    undefined,
  ]);
});

it('a CSV file quotes what it must, and gives a spreadsheet no formula', () => {
  const frame = answer([
    { time: null, group: ['=HYPERLINK("x")'], values: [1.5], previous: null },
    { time: null, group: ['a,b'], values: [-1], previous: null },
  ]);
  expect(csvOf(frame)).toBe('model,cost\r\n"\'=HYPERLINK(""x"")",1.5\r\n"a,b",-1');
});

it('an address chooses only what the board has variables for', () => {
  const variable = {
    name: 'service',
    label: 'Service',
    kind: 'field' as const,
    values: [],
    multi: false,
    initial: [],
  };
  expect(chosenOf('{"service":["a","b"],"__proto__":["x"],"other":["y"]}', [variable])).toEqual({
    service: ['a'],
  });
  expect(chosenOf('nonsense', [variable])).toEqual({});
  expect(chosenOf('{"service":"a"}', [variable])).toEqual({});
});

it('a panel goes through an address and back', () => {
  const panel = {
    query: { kind: 'markdown' as const, text: 'Hi & <b>' },
    visual: { type: 'markdown' as const },
  };
  expect(panelOfText(panelText('Title', panel))).toEqual({ title: 'Title', panel });
  expect(panelOfText('{}')).toBeUndefined();
  expect(panelOfText(undefined)).toBeUndefined();
});

it('what a widget leads to is narrowed as the widget is', () => {
  const variable = { label: 'x', kind: 'field' as const, values: [], multi: true, initial: [] };
  const variables: BoardVariable[] = [
    { ...variable, name: 'service', field: 'service', without: ['candela'] },
    { ...variable, name: 'model', field: 'model', initial: ['gpt 4'] },
    { ...variable, name: 'word' },
  ];
  const scope = { window: { fromMs: 0, toMs: 1 }, q: '', environment: undefined };
  const shared = { groupBy: [], limit: 10, comparePrevious: false };
  const count = (q?: string): Panel => ({
    query: {
      kind: 'aggregate',
      body: { ...shared, signal: 'spans', measures: ['count'], ...(q === undefined ? {} : { q }) },
    },
    visual: { type: 'stat' },
  });
  const textOf = (panel: Panel, chosen: Record<string, string[]>) => {
    const { query } = narrowedPanel(panel, { variables, chosen, scope });
    return 'body' in query && 'q' in query.body ? query.body.q : undefined;
  };
  expect(textOf(count(), {})).toBe('-service:candela model:"gpt 4"');
  expect(textOf(count('a or b'), { service: ['shop', 'candela'], model: [], word: ['x'] })).toBe(
    '(a or b) service:(shop or candela)',
  );
  const body = { metric: 'm', groupBy: [], limit: 1 };
  const metric: Panel = { query: { kind: 'metric', body }, visual: { type: 'line' } };
  expect(textOf(metric, { service: ['shop'] })).toBe('service:shop');
});
