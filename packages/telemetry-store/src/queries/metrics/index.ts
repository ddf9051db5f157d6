import type { RequestContext } from '@candela/kernel';
import type { ReadStores } from '../core/stores.ts';
import { type QueryLimits, runner } from '../core/run.ts';
import type { Window } from '../core/scope.ts';
import { type Catalogue, type CatalogueInput, catalogue } from './catalogue.ts';
import { type MetricHeatmap, queryHeatmap } from './heatmap.ts';
import { labelsOf, type MetricLabel } from './labels.ts';
import type { Steps } from './grid.ts';
import type { MetricSelection } from './plan.ts';
import { type MetricAnswer, type MetricQuery, queryMetric } from './query.ts';
import { type MetricSeries, type SeriesInput, seriesOf } from './series-of.ts';

export type { MetricAnswer, MetricQuery } from './query.ts';
export type { MetricSeries, SeriesInput } from './series-of.ts';

/** Reads of metrics. @throws bad_query, refused, query_too_expensive, store_unavailable */
export interface MetricQueries {
  catalogue(context: RequestContext, input: CatalogueInput, signal?: AbortSignal): Promise<Catalogue>;
  labels(
    context: RequestContext,
    input: { readonly metric: string; readonly window: Window },
    signal?: AbortSignal,
  ): Promise<{ data: MetricLabel[]; series: number; atLeast: boolean }>;
  query(context: RequestContext, input: MetricQuery, signal?: AbortSignal): Promise<MetricAnswer>;
  heatmap(
    context: RequestContext,
    input: MetricSelection & Steps,
    signal?: AbortSignal,
  ): Promise<MetricHeatmap>;
  /** The series of some metrics with their labels and newest values. */
  seriesOf(
    context: RequestContext,
    input: SeriesInput,
    signal?: AbortSignal,
  ): Promise<{ series: MetricSeries[]; more: boolean }>;
}

export function createMetricQueries(stores: ReadStores, limits: QueryLimits): MetricQueries {
  const on = (signal: AbortSignal | undefined) => runner(stores, limits, 'metric', signal);
  return {
    catalogue: (context, input, signal) => catalogue(on(signal), context, input),
    labels: (context, input, signal) => labelsOf(on(signal), context, input),
    query: (context, input, signal) => queryMetric(on(signal), context, input),
    heatmap: (context, input, signal) => queryHeatmap(on(signal), context, input),
    seriesOf: (context, input, signal) => seriesOf(on(signal), context, input),
  };
}
