import type { MetricAggregation, MetricExemplar, MetricVariant, Temporality } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import type { Window } from '../core/scope.ts';
import { quantile } from './distribution.ts';
import { exemplarsOf } from './exemplars.ts';
import { beginMs, cut, type Grid, gridOf, type Steps } from './grid.ts';
import { explicitLines, exponentialLines, totalLines } from './histograms.ts';
import type { MetricKind } from './metric-fields.ts';
import { chosen, type MetricSelection, POINTS_AT_ONCE, variantsOf } from './plan.ts';
import type { PointsInput } from './points.ts';
import { timed } from './rhythm.ts';
import { increaseLines, levelLines, type Line, type Lines } from './scalars.ts';
import { labelName } from './series-scope.ts';
import { sentQuantiles, summaryLines } from './summaries.ts';
import { AGGREGATIONS, pointUnitOf, shownVariant, type Variant, variantWords } from './variant.ts';

export interface MetricQuery extends MetricSelection, Steps {
  readonly groupBy: readonly string[];
  readonly aggregation?: MetricAggregation | undefined;
  readonly limit: number;
  readonly exemplars?: boolean;
}

/** What every answer about a metric says about how it came about. */
export interface MetricFacts {
  readonly metric: string;
  readonly type: MetricKind | null;
  readonly unit: string;
  readonly pointUnit: string;
  readonly temporality: Temporality | null;
  readonly monotonic: boolean | null;
  readonly stepSeconds: number;
  readonly intervalSeconds: number | null;
  readonly matchedSeries: number;
  readonly variants: MetricVariant[];
  readonly notes: string[];
}

export interface MetricAnswer extends MetricFacts {
  readonly aggregation: MetricAggregation | null;
  readonly aggregations: MetricAggregation[];
  readonly valueUnit: string;
  readonly groupBy: string[];
  readonly series: { readonly labels: string[]; readonly points: [time: number, value: number | null][] }[];
  readonly lines: number;
  readonly truncated: boolean;
  readonly exemplars: MetricExemplar[];
}

/** Lines of each part, when a window is read part by part: the largest of all are chosen among these. */
const LINES_OF_PART = 1_000;

/** Values of a metric over time. @throws bad_query, refused */
export async function queryMetric(
  runner: Runner,
  context: RequestContext,
  query: MetricQuery,
): Promise<MetricAnswer> {
  const groupBy = query.groupBy.map(labelName);
  const variants = await variantsOf(runner, context, query);
  const found = chosen(variants, query);
  const facts = factsOf(query, variants, found);
  if (found === undefined) {
    return {
      ...facts,
      aggregation: null,
      aggregations: [],
      valueUnit: '',
      groupBy,
      series: [],
      lines: 0,
      truncated: false,
      exemplars: [],
    };
  }
  const aggregation = aggregationFor(found, query.aggregation);
  const { variant, grid, torn, ahead } = await timed(runner, context, query, found);
  const { metric, filter } = query;
  const input: PointsInput = { context, metric, variant, filter, groupBy, grid, ahead };
  const parts = cut(grid, Math.ceil(variant.points / POINTS_AT_ONCE));
  const limit = parts.length === 1 ? query.limit : LINES_OF_PART;
  const notes = [...facts.notes];
  const each: Lines[] = [];
  const readLines = async () => {
    for (const part of parts) each.push(await linesOf(runner, input, part, aggregation, limit, notes));
  };
  const [exemplars] = await Promise.all([
    query.exemplars === true ? exemplarsOf(runner, input) : [],
    readLines(),
  ]);
  const { lines, total } = joined(each, query.limit, aggregation);
  if (torn) notes.push(TORN);
  const share = QUANTILES[aggregation];
  if (variant.meaning === 'quantiles' && share !== undefined) {
    if (total === 0) notes.push(...notSent(share, await sentQuantiles(runner, input)));
    else if (variant.series > total)
      notes.push('Quantiles of several summaries cannot be added up: the largest of the series is shown.');
  }
  return {
    ...facts,
    notes: [...new Set(notes)],
    stepSeconds: grid.step,
    intervalSeconds: variant.interval,
    aggregation,
    aggregations: [...AGGREGATIONS[variant.meaning]],
    valueUnit: valueUnitOf(facts.pointUnit, variant, aggregation),
    groupBy,
    series: lines.map(({ labels, values }) => ({ labels: [...labels], points: pointsOf(grid, values) })),
    lines: total,
    truncated: total > lines.length,
    exemplars,
  };
}

export function factsOf(
  query: MetricSelection & Steps,
  variants: readonly Variant[],
  variant: Variant | undefined,
): MetricFacts {
  const notes: string[] = [];
  if (variants.length > 1 && variant !== undefined) {
    const others = variants.filter((one) => one !== variant);
    notes.push(
      `Senders disagree about this metric: also ${others.map(variantWords).join(', ')}, not shown here.`,
    );
  }
  return {
    metric: query.metric,
    type: variant?.kind ?? null,
    unit: variant?.unit ?? '',
    pointUnit: variant === undefined ? '' : pointUnitOf(query.metric, variant),
    temporality: variant?.temporality ?? null,
    monotonic: variant?.monotonic ?? null,
    stepSeconds: query.stepSeconds ?? gridOf(query.window, undefined, null, 1).step,
    intervalSeconds: variant?.interval ?? null,
    matchedSeries: variant?.series ?? 0,
    variants: variants.map(shownVariant),
    notes,
  };
}

function aggregationFor(variant: Variant, asked: MetricAggregation | undefined): MetricAggregation {
  const possible = AGGREGATIONS[variant.meaning];
  const [usual] = possible;
  if (asked !== undefined && possible.includes(asked)) return asked;
  if (asked !== undefined || usual === undefined) {
    throw fail('bad_query', {
      detail: `"${asked}" says nothing about ${NAMES[variant.meaning]}. It can be asked for ${possible.join(', ')}.`,
    });
  }
  return variant.kind === 'sum' && variant.meaning === 'level' ? 'sum' : usual;
}

const NAMES: Readonly<Record<Variant['meaning'], string>> = {
  level: 'a level (a gauge, or a sum that can fall)',
  counter: 'a counter',
  change: 'changes (a delta sum that can fall)',
  distribution: 'a histogram',
  quantiles: 'a summary',
};

export const BOUNDS_DIFFER =
  'Not all series have the same bucket bounds: only the bounds that they share are used.';

export const NO_BUCKETS =
  'The points of this histogram have no buckets: only its avg, sum, count and rate are known.';
export const TORN =
  'The values of some series fall again and again. Where several processes send one series, what it grew by is shown too high: give each process a service.instance.id of its own.';

/** That a quantile is not among those that summaries were sent with; nothing where it is, without a number. */
function notSent(share: number, sent: readonly number[]): string[] {
  if (sent.some((one) => Math.abs(one - share) < 1e-9)) return [];
  return [
    sent.length === 0
      ? 'The summaries were sent without quantiles.'
      : `The summaries have no quantile ${share}: they were sent with ${sent.join(', ')}.`,
  ];
}

const QUANTILES: Partial<Record<MetricAggregation, number>> = {
  p50: 0.5,
  p75: 0.75,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
  min: 0,
  max: 1,
};

async function linesOf(
  runner: Runner,
  input: PointsInput,
  window: Window,
  aggregation: MetricAggregation,
  limit: number,
  notes: string[],
): Promise<Lines> {
  const { variant } = input;
  if (variant.meaning === 'level') return levelLines(runner, input, window, aggregation, limit);
  if (variant.meaning === 'counter' || variant.meaning === 'change') {
    const what = aggregation === 'rate' ? 'rate' : 'increase';
    const lines = await increaseLines(runner, input, window, what, limit);
    // What a counter falls by in its last digit is rounding.
    return variant.meaning === 'counter' ? mapped(lines, (value) => Math.max(0, value)) : lines;
  }
  const share = QUANTILES[aggregation];
  if (share === undefined) {
    const { lines, total } = await totalLines(runner, input, window, limit, {
      timed: aggregation === 'rate',
      summed: aggregation === 'avg' || aggregation === 'sum',
    });
    return {
      total,
      lines: lines.map(({ labels, buckets }) => ({
        labels,
        values: valuesOf(buckets, ({ count, sum, summed, perSecond }) => {
          if (aggregation === 'avg') return sum === null || summed === 0 ? null : sum / summed;
          if (aggregation === 'sum') return sum;
          return aggregation === 'rate' ? perSecond : count;
        }),
      })),
    };
  }
  if (variant.meaning === 'quantiles') return summaryLines(runner, input, window, share, limit);
  const read = variant.kind === 'histogram' ? explicitLines : exponentialLines;
  const { lines, total, exact } = await read(runner, input, window, limit);
  if (!exact) {
    notes.push(BOUNDS_DIFFER);
  }
  const told = lines.map(({ labels, buckets }) => ({
    labels,
    values: valuesOf(buckets, (distribution) => quantile(distribution, share)),
  }));
  const isMeasured = lines.some(({ buckets }) => buckets.values().some(({ count }) => count > 0));
  if (isMeasured && told.every(({ values }) => values.size === 0)) notes.push(NO_BUCKETS);
  return { total, lines: told };
}

function valuesOf<T>(buckets: ReadonlyMap<number, T>, value: (of: T) => number | null): Map<number, number> {
  const values = new Map<number, number>();
  for (const [bucket, of] of buckets) {
    const number = value(of);
    if (number !== null && Number.isFinite(number)) values.set(bucket, number);
  }
  return values;
}

const mapped = ({ lines, total }: Lines, change: (value: number) => number): Lines => ({
  total,
  lines: lines.map(({ labels, values }) => ({ labels, values: valuesOf(values, change) })),
});

/** The lines of all parts put together, the largest first. */
function joined(parts: readonly Lines[], limit: number, aggregation: MetricAggregation): Lines {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const lines = new Map<string, { labels: readonly string[]; values: Map<number, number> }>();
  for (const part of parts) {
    for (const { labels, values } of part.lines) {
      const key = JSON.stringify(labels);
      const line = lines.get(key) ?? { labels, values: new Map<number, number>() };
      for (const [bucket, value] of values) line.values.set(bucket, value);
      lines.set(key, line);
    }
  }
  const adds = ['rate', 'increase', 'count', 'sum'].includes(aggregation);
  const size = ({ values }: Line) => {
    const sum = [...values.values()].reduce((all, value) => all + Math.abs(value), 0);
    return adds ? sum : sum / Math.max(1, values.size);
  };
  const sorted = [...lines.values()].sort((a, b) => size(b) - size(a));
  const total = Math.max(sorted.length, ...parts.map((part) => part.total));
  return { lines: sorted.slice(0, limit), total };
}

/** Every bucket of the window, null where nothing was reported. */
function pointsOf(grid: Grid, values: ReadonlyMap<number, number>): [number, number | null][] {
  const points: [number, number | null][] = [];
  for (let bucket = grid.first; bucket <= grid.last; bucket++) {
    points.push([beginMs(grid, bucket), values.get(bucket) ?? null]);
  }
  return points;
}

function valueUnitOf(unit: string, { meaning }: Variant, aggregation: MetricAggregation): string {
  if (meaning === 'distribution' || meaning === 'quantiles') {
    if (aggregation === 'count' || aggregation === 'increase') return '';
    return aggregation === 'rate' ? '/s' : unit;
  }
  if (aggregation === 'count') return '{point}';
  return aggregation === 'rate' ? `${unit}/s` : unit;
}
