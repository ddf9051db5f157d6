import type { LogRecord } from '@candela/otlp';
import { parseFilterOrFail } from '@candela/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BASE_MS, contextOf, id, LIMITS, openQueryBench, type QueryBench, span } from '../core/testing.ts';
import { createExportQueries } from '../export/index.ts';
import { createFieldQueries } from '../fields/index.ts';
import { createScoreQueries, type ScoreQueries, type ScoreSelection } from './index.ts';

const at = (ms: number): bigint => BigInt(BASE_MS + ms) * 1_000_000n;
const HOUR = { from: at(-3_600_000), to: at(3_600_000) };
const EVENT = 'gen_ai.evaluation.result';
const LABEL = 'gen_ai.evaluation.score.label';

let bench: QueryBench;
let scores: ScoreQueries;

const record = (ms: number, attributes: Record<string, string | number>): LogRecord => ({
  timeUnixNano: at(ms),
  eventName: EVENT,
  traceId: id(1, 32),
  spanId: id(1, 16),
  attributes: { 'gen_ai.evaluation.name': 'relevance', ...attributes },
});
const list = (selection = {}, project = 'default', limit = 50, cursor?: string) =>
  scores.list(contextOf(project), { window: HOUR, selection, limit, cursor });

beforeAll(async () => {
  bench = await openQueryBench();
  scores = createScoreQueries(bench.store, LIMITS);
  await bench.putLogs([
    record(0, {
      'platform.evaluation.id': 'a',
      'platform.evaluation.source': 'judge',
      'platform.evaluation.verdict': 'fail',
      'platform.evaluation.model': 'gpt-4o',
      'gen_ai.evaluation.score.value': 0.75,
      'gen_ai.evaluation.explanation': 'off topic',
    }),
    record(10, {
      'platform.evaluation.id': 'b',
      'platform.evaluation.source': 'human',
      'platform.evaluation.verdict': 'pass',
      'gen_ai.evaluation.score.value': 0,
    }),
    record(20, { 'gen_ai.evaluation.score.value': 'NaN', 'gen_ai.evaluation.score.label': 'odd' }),
  ]);
  await bench.put([
    span(7, 7, 0, {
      attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'claude-x' },
      events: [
        {
          name: EVENT,
          timeUnixNano: at(30),
          attributes: { 'gen_ai.evaluation.name': 'tone', 'gen_ai.evaluation.score.label': 'kind' },
        },
      ],
    }),
  ]);
});
afterAll(() => bench.close());

describe('scores', () => {
  it('come from log records and from events on spans, newest first', async () => {
    const { data, nextCursor } = await list();
    expect(nextCursor).toBeNull();
    expect(data.map(({ name, value, label }) => [name, value, label])).toEqual([
      ['tone', null, 'kind'],
      ['relevance', null, 'odd'],
      ['relevance', 0, ''],
      ['relevance', 0.75, ''],
    ]);
    expect(data[0]).toMatchObject({ model: 'claude-x', traceId: id(7, 32), spanId: id(7, 16) });
    expect(data[3]).toMatchObject({ id: 'a', model: 'gpt-4o', explanation: 'off topic', source: 'judge' });
  });

  it('are of their tenant, and pages follow one another', async () => {
    expect((await list({}, 'other')).data).toEqual([]);
    const first = await list({}, 'default', 3);
    const rest = await list({}, 'default', 3, first.nextCursor ?? '');
    expect([first.data.length, rest.data.length]).toEqual([3, 1]);
    expect((await list({ source: 'human' })).data.map(({ id: own }) => own)).toEqual(['b']);
  });

  const costs = async () =>
    (await scores.groups(contextOf(), { window: HOUR, selection: {}, by: 'name' })).map(
      ({ key, costUsd }) => [key, costUsd],
    );

  it('cost nothing where nobody was asked, and something unknown where a model without a price judged', async () => {
    expect((await list()).data.map(({ source, costUsd }) => [source, costUsd])).toEqual([
      ['', 0],
      ['', 0],
      ['human', 0],
      ['judge', null],
    ]);
    expect(await costs()).toEqual([
      ['relevance', null],
      ['tone', 0],
    ]);
  });

  it('a record with the id of an earlier one replaces it', async () => {
    await bench.putLogs([
      record(40, {
        'platform.evaluation.id': 'a',
        'platform.evaluation.source': 'judge',
        'platform.evaluation.verdict': 'pass',
        'gen_ai.evaluation.score.value': 0.25,
        'platform.evaluation.cost_usd': 0.002,
      }),
    ]);
    expect(await costs()).toEqual([
      ['relevance', 0.002],
      ['tone', 0],
    ]);
    const { data } = await list({ id: 'a' });
    expect(data).toMatchObject([{ value: 0.25, verdict: 'pass' }]);
    expect((await list({ verdict: 'fail' })).data).toEqual([]);
  });

  it('are counted by what they are grouped by, over time, and compared with people', async () => {
    const input = { window: HOUR, selection: {} };
    const byName = await scores.groups(contextOf(), { ...input, by: 'name' });
    expect(byName).toMatchObject([
      { key: 'relevance', scores: 3, passed: 2, failed: 0, mean: 0.125 },
      { key: 'tone', scores: 1, passed: 0, mean: null },
    ]);
    const only = async (where: ScoreSelection['where']) =>
      (await scores.groups(contextOf(), { ...input, selection: { where }, by: 'name' })).map(
        ({ key, scores: all }) => [key, all],
      );
    expect(await only({ model: ['', 'claude-x'] })).toEqual([
      ['relevance', 3],
      ['tone', 1],
    ]);
    expect(await only({ model: ['claude-x'] })).toEqual([['tone', 1]]);
    expect(await only({ model: ['claude-x'], session: ["' OR 1=1 --"] })).toEqual([]);
    const series = await scores.series(contextOf(), { ...input, stepMs: 60_000 });
    expect(series).toMatchObject([{ startMs: BASE_MS, scores: 4 }]);
    expect(await scores.agreement(contextOf(), { window: HOUR, name: 'relevance' })).toEqual([
      { judge: 'pass', human: 'pass', pairs: 1 },
    ]);
  });
});

describe('scores as fields of spans', () => {
  const spansOf = async (q: string, project = 'default') => {
    const input = { window: HOUR, filter: parseFilterOrFail(q, 'spans'), sort: 'start', limit: 50 } as const;
    const { data } = await bench.queries.searchSpans(contextOf(project), { ...input, cursor: undefined });
    return data.map(({ spanId }) => Number.parseInt(spanId, 16));
  };
  const scored = (n: number, more: Record<string, string | number>, about: Partial<LogRecord> = {}) => ({
    timeUnixNano: at(n * 100),
    eventName: EVENT,
    traceId: id(n, 32),
    spanId: id(n, 16),
    attributes: { 'gen_ai.evaluation.name': 'helpful "x"', ...more },
    ...about,
  });

  beforeAll(async () => {
    await bench.put([101, 102, 103, 104].map((n) => span(n, n, n)));
    await bench.put([span(104, 105, 105, { parentSpanId: id(104, 16) })]);
    await bench.put([span(101, 101, 1)], { project: 'other' });
    const value = 'gen_ai.evaluation.score.value';
    const label = 'gen_ai.evaluation.score.label';
    await bench.putLogs([
      scored(101, { [value]: 0.2, 'platform.evaluation.verdict': 'fail' }),
      scored(102, { [value]: 0.9, 'platform.evaluation.verdict': 'pass' }),
      scored(103, { [label]: 'so so' }),
      scored(103, { 'error.type': 'timeout' }, { timeUnixNano: at(90_000) }),
      // Of a whole trace.
      scored(104, { [value]: 5 }, { spanId: '' }),
    ]);
  });

  it.each([
    ['score."helpful \\"x\\"":pass', [102]],
    ['score."helpful \\"x\\"":fail', [101]],
    ['score."helpful \\"x\\"">0.5', [102, 104]],
    ['score."helpful \\"x\\"":0.1..0.3', [101]],
    ['score."helpful \\"x\\"":"so so"', [103]],
    ['score."helpful \\"x\\"":*', [101, 102, 103, 104]],
    ['-score."helpful \\"x\\"":* score.absent:*', []],
    ['trace:' + id(104, 32) + ' -score."helpful \\"x\\"":*', [105]],
    ['score.tone:kind', [7]],
  ])('%s', async (q, found) => {
    expect(await spansOf(q)).toEqual(found);
    expect(await spansOf(q, 'other')).toEqual([]);
  });

  it('are columns, facets, groups, listed fields with values, and differ', async () => {
    const [context, field] = [contextOf(), 'score.helpful "x"'];
    const window = HOUR;
    const filter = parseFilterOrFail('trace:*', 'spans');
    const rows = await bench.queries.searchSpans(context, {
      window,
      filter,
      sort: '-start',
      limit: 50,
      cursor: undefined,
      fields: [field],
    });
    const shown = rows.data.map((row) => [Number.parseInt(row.spanId, 16), row.fields]);
    expect(shown).toContainEqual([101, ['fail']]);
    expect(shown).toContainEqual([104, ['5']]);
    const facets = await bench.queries.facets(context, { window, filter, fields: [field], limit: 10 });
    expect(facets.data[0]?.values.map(({ value }) => value).filter((value) => value !== '')).toEqual(
      expect.arrayContaining(['fail', 'pass', 'so so', '5']),
    );
    const fields = createFieldQueries(bench.store, LIMITS);
    const listed = await fields.list(context, 'spans', { window, filter: undefined, prefix: 'score.' });
    expect(listed.fields.map((one) => one.field)).toEqual([field, 'score.relevance', 'score.tone']);
    const values = await fields.values(context, 'spans', {
      window,
      filter: undefined,
      field,
      prefix: 'p',
      limit: 5,
    });
    expect(values.values).toEqual([{ value: 'pass', count: 1 }]);
  });

  it('are columns of a file', async () => {
    const exports = createExportQueries(bench.store, LIMITS);
    const input = {
      window: HOUR,
      filter: parseFilterOrFail(`trace:${id(101, 32)} or trace:${id(102, 32)}`, 'spans'),
      limit: 10,
      scores: ['helpful "x"', 'absent'],
    };
    const told: unknown[] = [];
    for await (const page of exports.rows(contextOf(), 'spans', input, AbortSignal.timeout(20_000)))
      told.push(...page.map(({ scores: own }) => [...(own ?? [])]));
    expect(told).toEqual([
      [
        ['helpful "x"', 'pass'],
        ['absent', ''],
      ],
      [
        ['helpful "x"', 'fail'],
        ['absent', ''],
      ],
    ]);
  });

  it('are read where they can be about the time range asked for', async () => {
    const day = 86_400_000;
    const long = { timeUnixNano: at(0) + BigInt(100 * day) * 1_000_000n };
    await bench.putLogs([scored(103, { 'gen_ai.evaluation.name': 'late', [LABEL]: 'x' }, long)]);
    const find = async (window: typeof HOUR) => {
      const asked = {
        window: HOUR,
        filter: parseFilterOrFail('score.late:x', 'spans'),
        sort: 'start',
      } as const;
      const context = { ...contextOf(), window };
      return (await bench.queries.searchSpans(context, { ...asked, limit: 9, cursor: undefined })).data
        .length;
    };
    expect(await find(HOUR)).toBe(0);
    expect(await find({ ...HOUR, to: at(20 * day) })).toBe(1);
  });

  it('agree with people by the newest version of the judge only', async () => {
    const given = (n: number, ms: number, source: string, verdict: string, version = '') =>
      scored(
        n,
        {
          'gen_ai.evaluation.name': 'calibrated',
          'platform.evaluation.source': source,
          'platform.evaluation.verdict': verdict,
          'platform.evaluation.version': version,
        },
        { timeUnixNano: at(ms) },
      );
    await bench.putLogs([
      given(101, 1, 'judge', 'pass', 'one'),
      given(101, 2, 'human', 'pass'),
      given(102, 3, 'judge', 'fail', 'two'),
      given(102, 4, 'human', 'pass'),
    ]);
    expect(await scores.agreement(contextOf(), { window: HOUR, name: 'calibrated' })).toEqual([
      { judge: 'fail', human: 'pass', pairs: 1 },
    ]);
  });
});
