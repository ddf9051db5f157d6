import type { Measure, EventKind } from '@candela/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { aggregateQuery } from '../../api/explore.ts';
import type { Scope } from '../../api/telemetry.ts';
import { changeOf, changeText } from '../../charts/prepare/change.ts';
import { missingUntil } from '../../charts/prepare/covered.ts';
import type { ChartSeries } from '../../charts/prepare/time-chart.ts';
import { TimeChart } from '../../charts/visualise/time-chart.tsx';
import { exact, formatCount, formatTime, nounOf } from '../../lib/format.ts';
import { bucketSeconds, type TimeWindow } from '../../lib/time-range.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { zonePreference } from '../../lib/zone.ts';
import { FailureLine } from '../../ui/states.tsx';
import { useShell } from '../shell/shell-search.ts';
import { Estimated } from './estimated.tsx';
import type { ExploreConfig } from './explore-config.ts';
import { Reach } from './reach.tsx';

const HEIGHT = 64;
/** Numbers of the search before that stay longer are taken for those of the one that stands above them. */
const STALE_MS = 500;
const MEASURES = ['count', 'errors'] as const satisfies readonly Measure[];

/** How many records fit the search over the time range; brushing zooms. */
export function CountHistogram(props: {
  config: ExploreConfig & { readonly signal: EventKind };
  scope: Scope;
  /** Beside the number of records. */
  also?: ReactNode;
  onZoom: (window: TimeWindow) => void;
}) {
  const { scope, config } = props;
  const { noun } = config;
  const { compare, before: period } = useShell();
  const zone = zonePreference.use();
  const step = bucketSeconds(scope.window);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...aggregateQuery(scope, {
      ...(config.signal === 'spans' ? {} : { signal: config.signal }),
      measures: [...MEASURES],
      bucketSeconds: step,
      ...(compare ? { comparePrevious: period } : {}),
    }),
    placeholderData: keepPreviousData,
  });
  const counting = useDebounced(isPlaceholderData, STALE_MS) && isPlaceholderData;
  const counted = useMemo(() => {
    const rows = (data?.data.rows ?? []).map((row) => ({
      timeMs: Date.parse(row.time ?? ''),
      count: row.values[0] ?? 0,
      errors: Math.min(row.values[1] ?? 0, row.values[0] ?? 0),
      before: row.previous?.[0] ?? 0,
    }));
    const sum = (of: (row: (typeof rows)[number]) => number) =>
      rows.reduce((total, row) => total + of(row), 0);
    const points = (of: (row: (typeof rows)[number]) => number) =>
      rows.map((row) => ({ timeMs: row.timeMs, value: of(row) }));
    const series: ChartSeries[] = [
      { key: 'failed', label: `failed ${noun}`, tone: 'danger', points: points((row) => row.errors) },
      {
        key: 'fine',
        label: `${noun} not failed`,
        tone: 'accent',
        points: points((row) => row.count - row.errors),
      },
    ];
    const previous: ChartSeries[] = [
      {
        key: 'before',
        label: `${noun} of the period before`,
        tone: 'muted',
        points: points((row) => row.before),
      },
    ];
    return {
      series,
      previous,
      total: sum((row) => row.count),
      errors: sum((row) => row.errors),
      before: sum((row) => row.before),
    };
  }, [data, noun]);
  if (error && !data)
    return <FailureLine what="The chart" error={error} onRetry={() => void refetch()} className="py-2" />;
  if (!data) return <div role="status" aria-label="Loading the chart" className="skeleton h-26" />;
  const { sample } = data.data;
  const about = sample === null ? '' : 'About ';
  const { series, previous, total, errors, before } = counted;
  const since = compare ? missingUntil(data.data.previous) : undefined;
  const compared = compare && data.data.previous !== null && since === undefined;
  return (
    <div data-testid="histogram">
      <div className="flex min-h-6 flex-wrap items-center gap-x-3 text-sm whitespace-nowrap text-muted">
        {counting ? (
          <span role="status">Counting {noun} …</span>
        ) : (
          <span title={`${about}${exact(total)}`}>
            {about.toLowerCase()}
            <span className="font-medium text-text">{formatCount(total)}</span> {nounOf(total, noun)}
          </span>
        )}
        {props.also}
        {!counting && errors > 0 && (
          <span className="text-danger" title={`${about}${exact(errors)} failed ${nounOf(errors, noun)}`}>
            {formatCount(errors)} failed {nounOf(errors, noun)}
          </span>
        )}
        {!counting && compared && (
          <span title={`${about}${exact(before)} ${nounOf(before, noun)} in the period before`}>
            {changeText(changeOf(total, before))} to the period before
          </span>
        )}
        {since !== undefined && (
          <span>
            Nothing to compare with:{' '}
            {since < scope.window.fromMs
              ? `${noun} only since ${formatTime(since, zone).slice(0, -4)}`
              : `no ${noun} in the period before`}
          </span>
        )}
        {!counting && sample !== null && <Estimated sample={sample} noun={noun} />}
        {config.signal === 'spans' && <Reach scope={scope} />}
        <span className="ml-auto text-faint max-xl:hidden">drag to zoom</span>
      </div>
      <TimeChart
        label={`Number of ${noun}`}
        kind="bars"
        missing="zero"
        height={HEIGHT}
        legend={false}
        series={series}
        {...(compared ? { previous } : {})}
        window={scope.window}
        stepSeconds={data.data.bucketSeconds ?? step}
        pending={isPlaceholderData || error !== null}
        onZoom={props.onZoom}
      />
    </div>
  );
}
