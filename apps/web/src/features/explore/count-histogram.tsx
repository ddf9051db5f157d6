import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { histogramQuery, type Scope } from '../../api/telemetry.ts';
import { prepareHistogram } from '../../charts/prepare/histogram.ts';
import { HistogramChart } from '../../charts/visualise/histogram.tsx';
import { bucketSeconds, type TimeWindow } from '../../lib/time-range.ts';
import { zonePreference } from '../../lib/zone.ts';
import type { ExploreConfig } from './explore-config.ts';

/** How many records fit the search over the time range; brushing zooms. */
export function CountHistogram(props: {
  config: ExploreConfig;
  scope: Scope;
  onZoom: (window: TimeWindow) => void;
}) {
  const { scope } = props;
  const zone = zonePreference.use();
  const step = bucketSeconds(scope.window);
  const { data, isError, isPlaceholderData } = useQuery({
    ...histogramQuery(scope, step, props.config.signal),
    placeholderData: keepPreviousData,
  });
  const histogram = useMemo(() => {
    const rows = (data?.data.rows ?? []).map((row) => ({
      timeMs: Date.parse(row.time ?? ''),
      count: row.values[0] ?? 0,
      errors: row.values[1] ?? 0,
    }));
    return prepareHistogram(rows, scope.window, data?.data.bucketSeconds ?? step);
  }, [data, scope.window, step]);
  if (isError)
    return (
      <p className="py-2 text-sm text-muted">
        The chart could not be loaded; the rows below stand for themselves.
      </p>
    );
  if (!data) return <div role="status" aria-label="Loading the chart" className="skeleton h-25" />;
  return (
    <HistogramChart
      histogram={histogram}
      noun={props.config.noun}
      zone={zone}
      pending={isPlaceholderData}
      onZoom={props.onZoom}
    />
  );
}
