import type { Measure } from '@candela/contract';
import type { Span } from '@candela/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BASE_MS,
  contextOf,
  LIMITS,
  openQueryBench,
  type QueryBench,
  span,
} from '../queries/core/testing.ts';
import { setSampled } from '../queries/core/sampled.ts';
import { createDurationQueries } from '../queries/durations/index.ts';
import { sampleTraces } from './sample-traces.ts';

const DAY_MS = 86_400_000;
const RULES = { slowMs: 5_000, costUsd: 0.5, scoreBelow: 0.5, afterMs: DAY_MS };
/** When the day of what was put is over, and the time after it. */
const LATER = Date.now() + 3 * DAY_MS;
/** Whole buckets of rollups, and edges that are made from spans. */
const window = {
  from: BigInt(BASE_MS + 61_000) * 1_000_000n,
  to: BigInt(BASE_MS + 3_600_000 + 17_000) * 1_000_000n,
};
const MEASURES: readonly Measure[] = [
  'count',
  'errors',
  'traces',
  'model_calls',
  'input_tokens',
  'output_tokens',
];
const ROUTES = ['/a', '/b', '/c'];

const TRACES = 1_500;
const SPANS: Span[] = Array.from({ length: TRACES }, (_, trace) => {
  const at = trace * 2_400;
  const failed = trace % 50 === 7;
  const slow = trace % 50 === 11;
  const low = trace % 50 === 19;
  return Array.from({ length: 1 + (trace % 4) }, (_unused, own): Span => {
    const made = span(trace + 1, trace * 8 + own + 1, at + own, {
      attributes: {
        'http.route': ROUTES[trace % 3] ?? '',
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.usage.input_tokens': 10 + ((trace * 7) % 90),
        'gen_ai.usage.output_tokens': 5 + (trace % 11),
      },
      ...(own === 0 ? {} : { parentSpanId: (trace * 8 + 1).toString(16).padStart(16, '0') }),
      ...(failed && own === 0 ? { status: { code: 2 } } : {}),
      ...(low && own === 0
        ? {
            events: [
              {
                name: 'gen_ai.evaluation.result',
                timeUnixNano: BigInt(BASE_MS + at) * 1_000_000n,
                attributes: { 'gen_ai.evaluation.name': 'relevance', 'gen_ai.evaluation.score.value': 0.1 },
              },
            ],
          }
        : {}),
    });
    return slow && own === 0
      ? { ...made, endTimeUnixNano: BigInt(String(made.startTimeUnixNano)) + 6_000_000_000n }
      : made;
  });
}).flat();
/** Traces that a rule keeps. */
const isSpecial = (trace: number): boolean => [7, 11, 19].includes(trace % 50);

let bench: QueryBench;
beforeAll(async () => {
  bench = await openQueryBench({ attributeColumns: 0, textIndex: false });
  for (const project of ['all', 'half', 'tenth', 'bystander']) await bench.put(SPANS, { project });
});
afterAll(async () => {
  setSampled(() => false);
  await bench.close();
});

/** Figures by route, which only spans know, and of everything, which rollups know. */
async function figures(project: string) {
  const ask = async (groupBy: readonly string[], measures: readonly Measure[]) =>
    (
      await bench.queries.aggregate(contextOf(project), {
        window,
        filter: undefined,
        groupBy: [...groupBy],
        measures: [...measures],
        bucketSeconds: undefined,
        limit: 10,
      })
    ).rows
      .map(({ group, values }) => ({ group: group.join(), values }))
      .sort((a, b) => (a.group < b.group ? -1 : 1));
  return {
    byRoute: await ask(['attributes.http.route'], MEASURES),
    byModel: await ask(['model'], ['count', 'input_tokens']),
  };
}

const hashes = async (project: string) =>
  bench.store.select<{ Trace: string; N: number; Extra: number; Ordinary: number }>(
    `SELECT TraceId AS Trace, toUInt32(count()) AS N, toUInt32(any(ExtraCount)) AS Extra,
       toUInt8(any(TraceHash) % 10) AS Ordinary FROM otel_traces WHERE ProjectId = {project:String} GROUP BY Trace`,
    { project },
  );

describe('sampling of traces', () => {
  it('changes nothing where all are kept', async () => {
    const before = await figures('all');
    const input = { ...RULES, projectId: 'all', oneIn: 1, now: LATER };
    expect(await sampleTraces(bench.store, input)).toEqual({ days: 0, spans: 0, kept: 0 });
    setSampled(() => true);
    // Counted by weight, and each weighs one: the same.
    expect(await figures('all')).toEqual(before);
    setSampled(() => false);
  });

  it('waits until the day is over and as long again as it was told', async () => {
    const input = { ...RULES, projectId: 'half', oneIn: 2, now: Date.now() + DAY_MS };
    expect(await sampleTraces(bench.store, input)).toEqual({ days: 0, spans: 0, kept: 0 });
  });

  it.each([
    ['half', 2],
    ['tenth', 10],
  ] as const)('of project %s keeps what the rules say, and of the rest one in %i', async (project, oneIn) => {
    const truth = await figures('all');
    const done = await sampleTraces(bench.store, { ...RULES, projectId: project, oneIn, now: LATER });
    const rows = await hashes(project);
    expect(done).toEqual({ days: 1, spans: SPANS.length, kept: rows.reduce((sum, { N }) => sum + N, 0) });
    const kept = new Map(rows.map((row) => [Number.parseInt(row.Trace, 16) - 1, row]));
    for (let trace = 0; trace < TRACES; trace += 1) {
      const row = kept.get(trace);
      if (isSpecial(trace)) expect(row).toMatchObject({ N: 1 + (trace % 4), Extra: 0 });
      // A trace stays whole or goes whole.
      else if (row !== undefined) expect(row).toMatchObject({ N: 1 + (trace % 4), Extra: oneIn - 1 });
    }
    if (oneIn === 10) {
      expect(rows.filter(({ Extra }) => Extra > 0).every(({ Ordinary }) => Ordinary === 0)).toBe(true);
    }
    setSampled((id) => id === project);
    const told = await figures(project);
    const ordinary = Array.from({ length: TRACES }, (_, trace) => trace).filter((trace) => !isSpecial(trace));
    for (const [at, { group, values }] of truth.byRoute.entries()) {
      const found = told.byRoute[at];
      expect(found?.group).toBe(group);
      // Of a sum over traces of which each stays by itself: five times its standard deviation at most.
      const deviation = (of: (trace: number) => number): number =>
        Math.sqrt(
          (oneIn - 1) *
            ordinary
              .filter((trace) => ROUTES[trace % 3] === group)
              .reduce((sum, trace) => sum + of(trace) ** 2, 0),
        );
      const spans = (trace: number) => 1 + (trace % 4);
      const bounds = [
        deviation(spans),
        0,
        deviation(() => 1),
        deviation(spans),
        deviation((trace) => spans(trace) * (10 + ((trace * 7) % 90))),
        deviation((trace) => spans(trace) * (5 + (trace % 11))),
      ];
      for (const [measure, bound] of bounds.entries()) {
        const error = Math.abs((found?.values[measure] ?? Number.NaN) - (values[measure] ?? 0));
        expect(error, `${group} ${MEASURES[measure]}`).toBeLessThanOrEqual(5 * bound);
      }
    }
    // Rollups were filled by all spans: whole buckets are exact, and only the edges are estimated.
    for (const [measure, value] of (truth.byModel[0]?.values ?? []).entries()) {
      const estimate = told.byModel[0]?.values[measure] ?? Number.NaN;
      expect(Math.abs(estimate - (value ?? 0)) / (value ?? 1)).toBeLessThan(0.1);
    }
    const durations = createDurationQueries(bench.store, LIMITS);
    const { cells } = await durations.durations(contextOf(project), {
      window,
      filter: undefined,
      bucketSeconds: 3_600,
    });
    const all = truth.byRoute.reduce((sum, { values }) => sum + (values[0] ?? 0), 0);
    const counted = cells.reduce((sum, { count }) => sum + count, 0);
    expect(Math.abs(counted - all)).toBeLessThanOrEqual(
      5 * Math.sqrt((oneIn - 1) * ordinary.reduce((sum, trace) => sum + (1 + (trace % 4)) ** 2, 0)),
    );
    setSampled(() => false);
    // Done is done: the next run takes nothing more away.
    const again = await sampleTraces(bench.store, { ...RULES, projectId: project, oneIn, now: LATER });
    expect(again.days).toBe(0);
  });

  it('repeats a run that was cut off, to the same end', async () => {
    const before = await hashes('tenth');
    await bench.store.command(
      "ALTER TABLE sampled_days DELETE WHERE ProjectId = 'tenth' SETTINGS mutations_sync = 2",
    );
    const done = await sampleTraces(bench.store, { ...RULES, projectId: 'tenth', oneIn: 10, now: LATER });
    expect(done.days).toBe(1);
    const byTrace = (a: { Trace: string }, b: { Trace: string }) => (a.Trace < b.Trace ? -1 : 1);
    expect((await hashes('tenth')).toSorted(byTrace)).toEqual(before.toSorted(byTrace));
  });

  it('lists no trace that is gone, and leaves other projects alone', async () => {
    const [row] = await bench.store.select<{ Listed: number; There: number }>(
      `SELECT (SELECT toUInt32(uniqExact(TraceId)) FROM trace_figures WHERE ProjectId = 'tenth') AS Listed,
         (SELECT toUInt32(uniqExact(TraceId)) FROM otel_traces WHERE ProjectId = 'tenth') AS There`,
    );
    expect(row?.Listed).toBe(row?.There);
    expect(await figures('bystander')).toEqual(await figures('all'));
  });
});
