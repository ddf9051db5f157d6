import type { BodyOf, ROUTES } from '@candela/contract';
import type { Clock } from '@candela/kernel';
import type { MetricQueries, Window } from '@candela/telemetry-store';
import type { Handlers } from '../../http/handlers.ts';
import { filterOf, windowOf } from '../telemetry/service.ts';

type MetricHandlers = Pick<
  Handlers,
  'listMetrics' | 'listMetricLabels' | 'queryMetric' | 'queryMetricHeatmap'
>;

const isoOf = (nanos: bigint): string => new Date(Number(nanos / 1_000_000n)).toISOString();
const shown = ({ from, to }: Window) => ({ from: isoOf(from), to: isoOf(to) });

export function metricHandlers(queries: MetricQueries, clock: Clock): MetricHandlers {
  const selectionOf = (body: BodyOf<typeof ROUTES.queryMetricHeatmap>) => ({
    metric: body.metric,
    type: body.type,
    unit: body.unit,
    meaning: body.meaning,
    window: windowOf(body, clock),
    filter: filterOf(body, 'metrics'),
    stepSeconds: body.stepSeconds,
    offsetMs: body.offsetMs,
  });
  return {
    listMetrics: ({ context, query, signal }) =>
      queries.catalogue(context, { ...query, window: windowOf(query, clock) }, signal),
    listMetricLabels: ({ context, query, signal }) =>
      queries.labels(context, { metric: query.metric, window: windowOf(query, clock) }, signal),
    queryMetric: async ({ context, body, signal }) => {
      const selection = selectionOf(body);
      const answer = await queries.query(
        context,
        {
          ...selection,
          aggregation: body.aggregation,
          groupBy: body.groupBy,
          limit: body.limit,
          exemplars: body.exemplars,
        },
        signal,
      );
      return { data: { ...answer, ...shown(selection.window) } };
    },
    queryMetricHeatmap: async ({ context, body, signal }) => {
      const selection = selectionOf(body);
      return { data: { ...(await queries.heatmap(context, selection, signal)), ...shown(selection.window) } };
    },
  };
}
