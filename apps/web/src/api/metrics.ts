import type {
  MetricAggregation,
  MetricMeaning,
  MetricType,
  queryMetric,
  queryMetricHeatmap,
  RequestBodyOf,
  ResponseOf,
} from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { windowSearch } from './activity.ts';
import { call } from './client.ts';
import { pagesOf } from './pages.ts';
import { bounds, type Scope } from './telemetry.ts';

const PAGE = 100;

/** What the catalogue is narrowed by besides its words. */
export interface CatalogueFilter {
  readonly type?: MetricType | undefined;
  readonly unit?: string | undefined;
  readonly service?: string | undefined;
}

const catalogueSearch = (scope: Scope, filter: CatalogueFilter) => ({
  ...windowSearch(scope.window),
  q: scope.q.trim() === '' ? undefined : scope.q.trim().slice(0, 200),
  ...filter,
});

/** Metrics by name, page by page. */
export const catalogueQuery = (scope: Scope, filter: CatalogueFilter, limit = PAGE) =>
  pagesOf(['metrics', scope, filter, limit], (page, signal) =>
    call('listMetrics', {
      query: { ...catalogueSearch(scope, filter), limit, ...page },
      environment: scope.environment,
      signal,
    }),
  );

/** Whether the project has ever received a metric (within a year). */
export const anyMetricQuery = (environment: string | undefined) =>
  queryOptions({
    queryKey: ['any-metric', environment],
    queryFn: ({ signal }) =>
      call('listMetrics', { query: { from: '-365d', limit: 1 }, environment, signal }).then(
        (page) => page.data[0] !== undefined,
      ),
  });

export const labelsQuery = (scope: Omit<Scope, 'q'>, metric: string) =>
  queryOptions({
    queryKey: ['metric-labels', scope, metric],
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      call('listMetricLabels', {
        query: { ...windowSearch(scope.window), metric },
        environment: scope.environment,
        signal,
      }),
  });

/** One question about one metric. */
export interface MetricQuestion {
  readonly metric: string;
  readonly type?: MetricType | undefined;
  readonly unit?: string | undefined;
  readonly meaning?: MetricMeaning | undefined;
  readonly aggregation?: MetricAggregation | undefined;
  readonly groupBy?: readonly string[];
  readonly stepSeconds?: number | undefined;
  /** See the contract. */
  readonly offsetMs?: number | undefined;
  readonly exemplars?: boolean;
  readonly limit?: number;
}

/** The body of a question; `scope.q` is its filter. */
export const questionBody = (scope: Scope, question: MetricQuestion): RequestBodyOf<typeof queryMetric> => ({
  ...bounds(scope),
  ...selection(question),
  ...(question.aggregation === undefined ? {} : { aggregation: question.aggregation }),
  ...(question.groupBy === undefined || question.groupBy.length === 0
    ? {}
    : { groupBy: [...question.groupBy] }),
  ...(question.exemplars === true ? { exemplars: true } : {}),
  ...(question.limit === undefined ? {} : { limit: question.limit }),
});

const selection = ({ metric, type, unit, meaning, stepSeconds, offsetMs }: MetricQuestion) => ({
  metric,
  ...(type === undefined ? {} : { type }),
  ...(unit === undefined ? {} : { unit }),
  ...(meaning === undefined ? {} : { meaning }),
  ...(stepSeconds === undefined ? {} : { stepSeconds }),
  ...(offsetMs === undefined ? {} : { offsetMs }),
});

export type MetricAnswer = ResponseOf<typeof queryMetric>['data'];

export const metricQuery = (scope: Scope, question: MetricQuestion) =>
  queryOptions({
    queryKey: ['metric', scope, question],
    queryFn: ({ signal }): Promise<MetricAnswer> =>
      call('queryMetric', {
        environment: scope.environment,
        signal,
        body: questionBody(scope, question),
      }).then((answer) => answer.data),
  });

export type HeatmapAnswer = ResponseOf<typeof queryMetricHeatmap>['data'];

export const heatmapBody = (
  scope: Scope,
  question: MetricQuestion,
): RequestBodyOf<typeof queryMetricHeatmap> => ({
  ...bounds(scope),
  ...selection(question),
});

export const heatmapQuery = (scope: Scope, question: MetricQuestion) =>
  queryOptions({
    queryKey: ['metric-heatmap', scope, question],
    queryFn: ({ signal }): Promise<HeatmapAnswer> =>
      call('queryMetricHeatmap', {
        environment: scope.environment,
        signal,
        body: heatmapBody(scope, question),
      }).then((answer) => answer.data),
  });

/** Small lines of a list that may be asked for at once: the rest of the page must not wait behind them. */
const SMALL_AT_ONCE = 3;
let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  if (running >= SMALL_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  running++;
  try {
    signal.throwIfAborted();
    return await ask();
  } finally {
    running--;
    waiting.shift()?.();
  }
}

/** As `metricQuery`, for the small line of a row: a few at a time, and not asked again for a while. */
export const smallMetricQuery = (scope: Scope, question: MetricQuestion) =>
  queryOptions({
    queryKey: ['metric-small', scope, question],
    staleTime: 300_000,
    retry: false,
    queryFn: ({ signal }): Promise<MetricAnswer> =>
      inTurn(signal, () =>
        call('queryMetric', {
          environment: scope.environment,
          signal,
          body: questionBody(scope, question),
        }).then((answer) => answer.data),
      ),
  });
