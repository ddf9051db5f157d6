import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { addressOf } from '../../api/client.ts';
import { heatmapBody, heatmapQuery, type MetricQuestion } from '../../api/metrics.ts';
import type { Scope } from '../../api/telemetry.ts';
import { Heatmap } from '../../charts/visualise/heatmap.tsx';
import type { TimeWindow } from '../../lib/time-range.ts';
import { ChartCard } from '../explore/chart-card.tsx';
import { unitWords } from './metric-words.ts';
import { closedRange } from './explore-series.ts';

/** How the measurements of a histogram are spread over time; dragging zooms the time range. */
export function HeatmapCard(props: {
  scope: Scope;
  question: MetricQuestion;
  /** What the page says already. */
  said: readonly string[];
  window: TimeWindow;
  onZoom: (window: TimeWindow) => void;
}) {
  const { scope, question } = props;
  const query = useQuery({ ...heatmapQuery(scope, question), placeholderData: keepPreviousData });
  const map = query.data;
  const cells = useMemo(() => {
    if (map === undefined) return [];
    return map.cells.flatMap(([column, row, count]) => {
      const range = map.ranges[row];
      const timeMs = map.times[column];
      if (range === undefined || timeMs === undefined) return [];
      return [{ timeMs, ...closedRange(range), count }];
    });
  }, [map]);
  return (
    <ChartCard
      title={`Heat map of ${question.metric}`}
      note={map === undefined ? undefined : unitWords(map.pointUnit)}
      state={query}
      isEmpty={cells.length === 0}
      empty={map?.notes.length ? map.notes.join(' ') : undefined}
      height={220}
      query={{
        path: addressOf('queryMetricHeatmap'),
        body: heatmapBody(scope, question),
        environment: scope.environment,
      }}
    >
      <Heatmap
        label={question.metric}
        noun="measurements"
        cells={cells}
        window={props.window}
        stepSeconds={map?.stepSeconds ?? 60}
        unit={map?.pointUnit ?? ''}
        height={220}
        onSelect={({ fromMs, toMs }) => props.onZoom({ fromMs, toMs })}
      />
      {map?.notes
        .filter((note) => !props.said.includes(note))
        .map((note) => (
          <p key={note} className="text-sm text-warn">
            {note}
          </p>
        ))}
    </ChartCard>
  );
}
