import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { addressOf } from '../../api/client.ts';
import { aggregateQuery } from '../../api/explore.ts';
import { bounds, type Scope } from '../../api/telemetry.ts';
import { seriesOfAggregate } from '../../charts/prepare/aggregate-series.ts';
import { TimeChart } from '../../charts/visualise/time-chart.tsx';
import { withModelNames } from '../../lib/models.ts';
import { bucketSeconds, type TimeWindow } from '../../lib/time-range.ts';
import { ChartCard } from '../explore/chart-card.tsx';

const HEIGHT = 120;

/** Cost by model, tokens, and failures over time, of the spans that fit the scope. */
export function UsageCharts({ scope, onZoom }: { scope: Scope; onZoom: (window: TimeWindow) => void }) {
  const step = bucketSeconds(scope.window, 60);
  const byModel = {
    groupBy: ['model'],
    measures: ['cost' as const],
    bucketSeconds: step,
    limit: 8,
  };
  const overall = {
    measures: ['input_tokens' as const, 'output_tokens' as const, 'count' as const, 'errors' as const],
    bucketSeconds: step,
  };
  const cost = useQuery({ ...aggregateQuery(scope, byModel), placeholderData: keepPreviousData });
  const usage = useQuery({ ...aggregateQuery(scope, overall), placeholderData: keepPreviousData });
  const [costs, without] = useMemo(() => {
    const series = withModelNames(seriesOfAggregate(cost.data?.data ?? { rows: [] }, 0, 'Cost'));
    // What names no model, and models whose spans cost nothing that is known, have nothing to draw.
    const named = series.filter(
      ({ key, points }) => key !== '' && points.some(({ value }) => value !== null),
    );
    return [named, series.length - named.length] as const;
  }, [cost.data]);
  const [tokens, spans] = useMemo(() => {
    const answer = usage.data?.data ?? { rows: [] };
    return [
      [...seriesOfAggregate(answer, 0, 'Input'), ...seriesOfAggregate(answer, 1, 'Output')],
      [
        ...seriesOfAggregate(answer, 2, 'Spans').map((series) => ({ ...series, tone: 'muted' as const })),
        ...seriesOfAggregate(answer, 3, 'Failed').map((series) => ({ ...series, tone: 'danger' as const })),
      ],
    ];
  }, [usage.data]);
  const asked = (body: object) => ({
    path: addressOf('aggregate'),
    body: { ...bounds(scope), ...body },
    environment: scope.environment,
    rows: { to: '/traces', search: { q: scope.q, view: 'spans' } },
  });
  const frame = { window: scope.window, stepSeconds: step, height: HEIGHT, onZoom };
  return (
    <div className="grid gap-3 lg:grid-cols-3">
      <ChartCard
        title="Cost by model"
        state={cost}
        isEmpty={costs.length === 0}
        empty="No model call with a known price in this time range."
        query={asked(byModel)}
      >
        <TimeChart
          {...frame}
          label="Cost by model"
          kind="bars"
          unit="USD"
          missing="zero"
          legend
          series={costs}
          total={(cost.data?.data.groups ?? costs.length) - without}
        />
      </ChartCard>
      <ChartCard title="Tokens" state={usage} isEmpty={tokens.length === 0} query={asked(overall)}>
        <TimeChart {...frame} label="Tokens" kind="bars" missing="zero" series={tokens} />
      </ChartCard>
      <ChartCard title="Spans and failures" state={usage} isEmpty={spans.length === 0} query={asked(overall)}>
        <TimeChart {...frame} label="Spans and failures" kind="line" missing="zero" series={spans} />
      </ChartCard>
    </div>
  );
}
