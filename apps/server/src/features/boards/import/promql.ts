import type { MetricAggregation, PanelInput } from '@candela/contract';
import { allOf, conditionsOf, type Labels, type Matcher, Unsaid } from './matchers.ts';
import { type Expression, parsePromql } from './promql-parse.ts';

type MetricQuery = Extract<PanelInput['query'], { kind: 'metric' }>;

/** A target that can be said, and what is different of it. */
export interface Said<Query> {
  readonly query: Query;
  readonly note: string | undefined;
  /** The unit of what is measured, where it is not that of the panel. */
  readonly unit?: string;
}

interface Reading {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
  readonly how: MetricAggregation | undefined;
  /** Undefined: each series by itself. */
  readonly by: readonly string[] | undefined;
  readonly limit?: number;
  readonly percent?: true;
}

const QUANTILES: Readonly<Record<string, MetricAggregation>> = {
  '0.5': 'p50',
  '0.75': 'p75',
  '0.9': 'p90',
  '0.95': 'p95',
  '0.99': 'p99',
};
const COUNTED: Readonly<Record<string, 'rate' | 'increase'>> = {
  rate: 'rate',
  irate: 'rate',
  increase: 'increase',
};
const OVER_TIME: Readonly<Record<string, MetricAggregation>> = {
  avg_over_time: 'avg',
  min_over_time: 'min',
  max_over_time: 'max',
  last_over_time: 'last',
};
const ACROSS: Readonly<Record<string, MetricAggregation>> = {
  sum: 'sum',
  avg: 'avg',
  min: 'min',
  max: 'max',
};

const PARTS = /_(?:bucket|sum|count)$/;
const base = (metric: string): string => metric.replace(PARTS, '');

const only = ({ name, args }: Extract<Expression, { kind: 'call' }>): Expression => {
  const [arg] = args;
  if (arg === undefined || args.length > 1) throw new Unsaid(`${name} has other arguments than one`);
  return arg;
};

function read(expression: Expression): Reading {
  switch (expression.kind) {
    case 'number':
      throw new Unsaid('it is a plain number');
    case 'selector':
      if (PARTS.test(expression.metric) && !expression.metric.endsWith('_count'))
        throw new Unsaid('a part of a histogram is no metric here');
      return { metric: expression.metric, matchers: expression.matchers, how: undefined, by: undefined };
    case 'binary':
      return readBinary(expression);
    case 'call':
      return readCall(expression);
  }
}

function readCall(call: Extract<Expression, { kind: 'call' }>): Reading {
  const { name, args, by } = call;
  const counted = COUNTED[name];
  if (counted !== undefined) {
    const arg = only(call);
    if (arg.kind !== 'selector') throw new Unsaid(`${name} is of no metric`);
    const { metric, matchers } = arg;
    if (/_(?:bucket|sum)$/.test(metric)) throw new Unsaid('a part of a histogram is no metric here');
    return { metric: base(metric), matchers, how: counted, by: undefined };
  }
  const overTime = OVER_TIME[name];
  if (overTime !== undefined) return { ...read(only(call)), how: overTime };
  if (name === 'histogram_quantile') {
    const [share, of] = args;
    const how = share?.kind === 'number' ? QUANTILES[String(share.value)] : undefined;
    if (how === undefined || of === undefined)
      throw new Unsaid(`quantiles here are ${Object.keys(QUANTILES).join(', ')}`);
    return { ...bucketsOf(of), how };
  }
  if (name === 'topk') {
    const [most, of] = args;
    if (most?.kind !== 'number' || of === undefined) throw new Unsaid('topk has no number');
    return { ...read(of), limit: Math.min(100, Math.max(1, Math.round(most.value))) };
  }
  const across = ACROSS[name];
  if (across === undefined) throw new Unsaid(`${name} has no match`);
  const inner = read(only(call));
  const kept = by ?? [];
  // What is counted is added up: another way across the series would be another figure.
  if ((inner.how === 'rate' || inner.how === 'increase') && across !== 'sum')
    throw new Unsaid(`the ${across} of several rates has no match`);
  if (inner.by !== undefined && across !== 'sum') throw new Unsaid(`the ${across} of sums has no match`);
  return { ...inner, how: inner.how ?? across, by: kept };
}

/** The histogram whose buckets are added up. */
function bucketsOf(expression: Expression): Reading {
  if (expression.kind === 'selector' && expression.metric.endsWith('_bucket'))
    return { metric: base(expression.metric), matchers: expression.matchers, how: undefined, by: undefined };
  if (expression.kind !== 'call') throw new Unsaid('its quantile is of no buckets');
  const inner = bucketsOf(only(expression));
  if (COUNTED[expression.name] !== undefined) return inner;
  if (expression.name !== 'sum') throw new Unsaid(`buckets are added up, not by ${expression.name}`);
  return { ...inner, by: (expression.by ?? []).filter((label) => label !== 'le') };
}

/** The sum of a histogram by its count is its average; a share times a hundred is a share. */
function readBinary({ op, left, right }: Extract<Expression, { kind: 'binary' }>): Reading {
  if (op === '/') {
    const [sum, count] = [partOf(left), partOf(right)];
    if (sum?.part === 'sum' && count?.part === 'count' && sum.metric === count.metric)
      return { metric: sum.metric, matchers: sum.matchers, how: 'avg', by: sum.by };
  }
  if (op === '*') {
    const [number, other] = left.kind === 'number' ? [left, right] : [right, left];
    if (number.kind === 'number' && number.value === 100) return { ...read(other), percent: true };
  }
  throw new Unsaid('metrics are not calculated with each other');
}

function partOf(
  expression: Expression,
): (Pick<Reading, 'metric' | 'matchers' | 'by'> & { readonly part: string }) | undefined {
  if (expression.kind === 'selector') {
    const [, part] = /_(sum|count)$/.exec(expression.metric) ?? [];
    if (part === undefined) return undefined;
    return { metric: base(expression.metric), matchers: expression.matchers, by: undefined, part };
  }
  if (expression.kind !== 'call' || expression.args.length !== 1) return undefined;
  const [arg] = expression.args;
  const inner = arg === undefined ? undefined : partOf(arg);
  if (inner === undefined) return undefined;
  if (COUNTED[expression.name] !== undefined) return inner;
  return expression.name === 'sum' ? { ...inner, by: expression.by ?? [] } : undefined;
}

/** The buckets of a histogram, for a heat map of it. @throws Unsaid */
export function heatmapOfPromql(text: string, labels: Labels): Said<MetricQuery> {
  const { metric, matchers } = bucketsOf(parsePromql(text));
  return {
    query: { kind: 'metric', body: { metric, ...allOf(conditionsOf(matchers, labels)) } },
    note: undefined,
  };
}

/**
 * A target of PromQL as a query of a metric: selectors, rate and increase, sums by labels, quantiles and averages of
 * histograms, topk. `legend`: labels that tell series apart where the expression names none.
 * @throws Unsaid with what cannot be said
 */
export function queryOfPromql(text: string, legend: readonly string[], labels: Labels): Said<MetricQuery> {
  const { metric, matchers, how, by, limit, percent } = read(parsePromql(text));
  const kept = (by ?? legend).filter((label) => label !== 'le');
  if (kept.length > 5) throw new Unsaid('it is grouped by more than five labels');
  return {
    query: {
      kind: 'metric',
      body: {
        metric,
        ...(how === undefined ? {} : { aggregation: how }),
        ...allOf(conditionsOf(matchers, labels)),
        groupBy: [...new Set(kept.map((label) => labels.field(label)))],
        limit: limit ?? 20,
      },
    },
    note:
      by === undefined && legend.length === 0
        ? 'Its series are one line here: group it by a label to tell them apart.'
        : undefined,
    ...(percent === true ? { unit: '1' } : {}),
  };
}
