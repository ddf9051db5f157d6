import type { LogRecord } from '@candela/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BASE_MS, contextOf, id, LIMITS, openQueryBench, type QueryBench, span } from '../core/testing.ts';
import { createScoreQueries, type ScoreQueries } from './index.ts';

const at = (ms: number): bigint => BigInt(BASE_MS + ms) * 1_000_000n;
const HOUR = { from: at(-3_600_000), to: at(3_600_000) };
const EVENT = 'gen_ai.evaluation.result';

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

  it('a record with the id of an earlier one replaces it', async () => {
    await bench.putLogs([
      record(40, {
        'platform.evaluation.id': 'a',
        'platform.evaluation.source': 'judge',
        'platform.evaluation.verdict': 'pass',
        'gen_ai.evaluation.score.value': 0.25,
      }),
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
    const series = await scores.series(contextOf(), { ...input, stepMs: 60_000 });
    expect(series).toMatchObject([{ startMs: BASE_MS, scores: 4 }]);
    expect(await scores.agreement(contextOf(), { window: HOUR, name: 'relevance' })).toEqual([
      { judge: 'pass', human: 'pass', pairs: 1 },
    ]);
  });
});
