import type { MetricAggregation, MetricMeaning, MetricType } from '@candela/contract';
import { choiceParam, flagParam, textParam } from '../../lib/search-params.ts';
import { SERIES_ORDERS, type SeriesOrder } from './series-order.ts';

const TYPES: readonly MetricType[] = ['gauge', 'sum', 'histogram', 'exponential_histogram', 'summary'];
const MEANINGS: readonly MetricMeaning[] = ['level', 'counter', 'change', 'distribution', 'quantiles'];
const AGGREGATIONS: readonly MetricAggregation[] = [
  'rate',
  'increase',
  'avg',
  'min',
  'max',
  'sum',
  'last',
  'count',
  'p50',
  'p75',
  'p90',
  'p95',
  'p99',
];

/** Names of the queries of one chart, in order. */
export const LETTERS = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
export type Letter = (typeof LETTERS)[number];

/** One query of the explorer. */
export interface ExplorerQuery {
  readonly metric: string;
  /** Absent: what suits the type. */
  readonly aggregation?: MetricAggregation;
  readonly groupBy: readonly string[];
  readonly filter: string;
  /** For names that are used with several types, units or meanings. */
  readonly type?: MetricType;
  readonly unit?: string;
  readonly meaning?: MetricMeaning;
}

/** What the explorer has in its URL: a text for each query. */
export interface MetricExploreSearch extends Partial<Record<Letter, string>> {
  /** Seconds of a bucket; absent: chosen by the server. */
  step?: string;
  /** The period before, dashed. */
  before?: true;
  /** The heat map of the first histogram beside the lines. */
  heat?: true;
  /** One query divided by another: `a/b`. */
  ratio?: string;
  /** What the table of series is sorted by. */
  order?: SeriesOrder;
}

export const EMPTY_QUERY: ExplorerQuery = { metric: '', groupBy: [], filter: '' };

/** A query as text of the URL, readable and safe for any name: `metric=x&agg=p95&by=service&q=...`. */
export function printQuery(query: ExplorerQuery): string {
  const params = new URLSearchParams();
  params.set('metric', query.metric);
  if (query.aggregation !== undefined) params.set('agg', query.aggregation);
  for (const field of query.groupBy) params.append('by', field);
  if (query.filter !== '') params.set('q', query.filter);
  if (query.type !== undefined) params.set('type', query.type);
  if (query.unit !== undefined) params.set('unit', query.unit);
  if (query.meaning !== undefined) params.set('meaning', query.meaning);
  return params.toString();
}

export function readQuery(text: string): ExplorerQuery {
  const params = new URLSearchParams(text);
  const aggregation = AGGREGATIONS.find((one) => one === params.get('agg'));
  const type = TYPES.find((one) => one === params.get('type'));
  const meaning = MEANINGS.find((one) => one === params.get('meaning'));
  const unit = params.get('unit') ?? undefined;
  return {
    metric: (params.get('metric') ?? '').slice(0, 300),
    groupBy: [...new Set(params.getAll('by'))]
      .filter((field) => field !== '' && field.length <= 300)
      .slice(0, 5),
    filter: (params.get('q') ?? '').slice(0, 4_096),
    ...(aggregation === undefined ? {} : { aggregation }),
    ...(type === undefined ? {} : { type }),
    ...(unit === undefined || unit.length > 200 ? {} : { unit }),
    ...(meaning === undefined ? {} : { meaning }),
  };
}

export function validateMetricExploreSearch(raw: Record<string, unknown>): MetricExploreSearch {
  const search: MetricExploreSearch = {};
  for (const letter of LETTERS) {
    const text = textParam(raw, letter, 8_000);
    if (text !== undefined) search[letter] = text;
  }
  const step = textParam(raw, 'step', 8);
  if (step !== undefined && /^[1-9]\d*$/.test(step)) search.step = step;
  if (flagParam(raw, 'before')) search.before = true;
  if (flagParam(raw, 'heat')) search.heat = true;
  const ratio = textParam(raw, 'ratio', 3);
  if (ratio !== undefined && readRatio(ratio) !== undefined) search.ratio = ratio;
  const order = choiceParam(raw, 'order', SERIES_ORDERS);
  if (order !== undefined) search.order = order;
  return search;
}

/** A ratio of the URL; undefined when it is none of two queries. */
export function readRatio(text: string | undefined): { top: Letter; bottom: Letter } | undefined {
  const [top, bottom] = (text ?? '').split('/').map((letter) => LETTERS.find((one) => one === letter));
  return top === undefined || bottom === undefined || top === bottom ? undefined : { top, bottom };
}

/** The queries of the URL in order; there is always a first one to fill in. */
export function queriesOf(search: MetricExploreSearch): { letter: Letter; query: ExplorerQuery }[] {
  const found = LETTERS.flatMap((letter) => {
    const text = search[letter];
    return text === undefined ? [] : [{ letter, query: readQuery(text) }];
  });
  return found.length > 0 ? found : [{ letter: 'a', query: EMPTY_QUERY }];
}
