import { SEVERITIES } from '@candela/contract/filter';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { severitiesQuery } from '../../api/logs.ts';
import type { Scope } from '../../api/telemetry.ts';
import type { Tone } from '../../charts/prepare/palette.ts';
import { TimeChart } from '../../charts/visualise/time-chart.tsx';
import { bucketSeconds, type TimeWindow } from '../../lib/time-range.ts';
import { Estimated } from '../explore/estimated.tsx';
import { FailureLine } from '../../ui/states.tsx';

/** Severities are outcomes: their colours are those of outcomes everywhere, and what is usual stays quiet. */
const TONES: ReadonlyMap<string, Tone> = new Map([
  ['fatal', 'danger'],
  ['error', 'danger'],
  ['warn', 'warn'],
  ['info', 'muted'],
  ['debug', 'quiet'],
  ['trace', 'quiet'],
  ['unset', 'quiet'],
]);
const RANK: ReadonlyMap<string, number> = new Map(SEVERITIES.map((severity, index) => [severity, index]));

/** How many records there are of each severity over the time range; brushing zooms, a click filters. */
export function SeverityHistogram(props: {
  scope: Scope;
  onZoom: (window: TimeWindow) => void;
  onSeverity: (severity: string) => void;
}) {
  const { scope } = props;
  const step = bucketSeconds(scope.window);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...severitiesQuery(scope, step),
    placeholderData: keepPreviousData,
  });
  const series = useMemo(() => {
    const bySeverity = new Map<string, { timeMs: number; value: number | null }[]>();
    for (const row of data?.rows ?? []) {
      const severity = row.group[0] ?? '';
      const points = bySeverity.get(severity) ?? [];
      points.push({ timeMs: Date.parse(row.time ?? ''), value: row.values[0] ?? 0 });
      bySeverity.set(severity, points);
    }
    return [...bySeverity]
      .sort(([a], [b]) => (RANK.get(b) ?? 0) - (RANK.get(a) ?? 0))
      .map(([severity, points]) => {
        const tone = TONES.get(severity);
        return { key: severity, label: severity, points, ...(tone === undefined ? {} : { tone }) };
      });
  }, [data]);
  if (error && !data)
    return <FailureLine what="The chart" error={error} onRetry={() => void refetch()} className="py-2" />;
  if (!data) return <div role="status" aria-label="Loading the chart" className="skeleton h-25" />;
  return (
    <div className="relative">
      {data.sample !== null && !isPlaceholderData && (
        <Estimated
          sample={data.sample}
          noun="log records"
          className="absolute right-0 bottom-0 z-1 text-sm"
        />
      )}
      <TimeChart
        label="Log records by severity"
        kind="bars"
        missing="zero"
        height={72}
        legend
        series={series}
        window={scope.window}
        stepSeconds={data.bucketSeconds ?? step}
        pending={isPlaceholderData || error !== null}
        onZoom={props.onZoom}
        onDrill={(window, key) => {
          if (key === undefined) props.onZoom(window);
          else props.onSeverity(key);
        }}
      />
    </div>
  );
}
