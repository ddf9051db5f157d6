import { printFilter } from '@candela/contract/filter';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { durationsQuery } from '../../api/explore.ts';
import type { Scope } from '../../api/telemetry.ts';
import { Heatmap, type HeatSelection } from '../../charts/visualise/heatmap.tsx';
import { exact, formatCount } from '../../lib/format.ts';
import { bucketSeconds } from '../../lib/time-range.ts';
import { Estimated } from '../explore/estimated.tsx';
import { FailureLine } from '../../ui/states.tsx';

const round = (ms: number): number => Number(ms.toPrecision(3));

/** The durations of a rectangle as text of the grammar. */
export function durationFilter({ low, high }: Pick<HeatSelection, 'low' | 'high'>): string {
  const from = { field: 'duration_ms', op: '>=', value: round(low) } as const;
  const to = { field: 'duration_ms', op: '<', value: Math.max(round(high), round(low) + 0.001) } as const;
  return printFilter(low <= 0.001 ? to : { and: [from, to] });
}

/** The time that was drawn over, when it is a part: the spans of that time are compared with each other. */
function partOf({ window }: Scope, { fromMs, toMs }: HeatSelection): { from?: string; to?: string } {
  if (toMs - fromMs >= 0.95 * (window.toMs - window.fromMs)) return {};
  return { from: new Date(fromMs).toISOString(), to: new Date(Math.max(toMs, fromMs + 1)).toISOString() };
}

/** How durations are spread over time; a rectangle drawn over it is compared with the rest. */
export default function DurationMap(props: {
  scope: Scope;
  /** Durations as a filter, and the time that was drawn over when it is a part of the range. */
  onSelect: (selected: { diff: string; from?: string; to?: string }) => void;
}) {
  const { scope } = props;
  const step = bucketSeconds(scope.window, 120);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...durationsQuery(scope, step),
    placeholderData: keepPreviousData,
  });
  const cells = useMemo(
    () =>
      (data?.cells ?? []).map((cell) => ({
        timeMs: Date.parse(cell.time),
        low: cell.lowMs,
        high: cell.highMs,
        count: cell.count,
      })),
    [data],
  );
  if (error && !data)
    return <FailureLine what="The chart" error={error} onRetry={() => void refetch()} className="py-2" />;
  if (!data) return <div role="status" aria-label="Loading the chart" className="skeleton h-40" />;
  const total = cells.reduce((sum, cell) => sum + cell.count, 0);
  return (
    <div data-testid="duration-map">
      <p className="flex h-5 items-baseline gap-3 text-sm text-muted">
        <span title={`${data.sample === null ? '' : 'About '}${exact(total)}`}>
          duration of {data.sample !== null && 'about '}
          <span className="font-medium text-text">{formatCount(total)}</span> spans
        </span>
        {data.running > 0 && (
          <span title={exact(data.running)}>{formatCount(data.running)} still running</span>
        )}
        {data.sample !== null && <Estimated sample={data.sample} noun="spans" />}
        <span className="ml-auto text-faint max-sm:hidden">draw a rectangle to see what differs in it</span>
      </p>
      <Heatmap
        label="Duration of spans"
        noun="spans"
        unit="ms"
        cells={cells}
        window={scope.window}
        stepSeconds={data.bucketSeconds}
        pending={isPlaceholderData || error !== null}
        onSelect={(selection) =>
          props.onSelect({ diff: durationFilter(selection), ...partOf(scope, selection) })
        }
      />
    </div>
  );
}
