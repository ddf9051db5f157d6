import { useNavigate } from '@tanstack/react-router';
import type { AggregateData, FigureBody } from '../../api/home.ts';
import type { Scope } from '../../api/telemetry.ts';
import { missingUntil } from '../../charts/prepare/covered.ts';
import { peaks } from '../../charts/prepare/peaks.ts';
import { Sparkline } from '../../charts/visualise/sparkline.tsx';
import { Stat } from '../../charts/visualise/stat.tsx';
import { cx } from '../../lib/cx.ts';
import { formatDuration, formatTime } from '../../lib/format.ts';
import { zonePreference } from '../../lib/zone.ts';
import { FailureLine } from '../../ui/states.tsx';
import { BARS, bucketValues, costOf, errorSeconds, type Figure, figureOf } from './figures.ts';
import { useFigures } from './use-figures.ts';

/** Whole requests: their root spans. Counts come at once; quantiles have to read the spans and are asked for apart. */
const REQUESTS = {
  q: 'root:true',
  measures: ['count', 'errors'],
  comparePrevious: true,
} satisfies FigureBody;
const USAGE = {
  measures: ['model_calls', 'cost', 'total_tokens'],
  comparePrevious: true,
} satisfies FigureBody;
const REQUESTS_OVER_TIME = {
  q: 'root:true',
  measures: ['count'],
  bucketSeconds: 'auto',
} satisfies FigureBody;
const FAILED = { q: 'root:true', measures: ['errors'] } satisfies FigureBody;
const FAILED_LOGS = { signal: 'logs', measures: ['errors'] } satisfies FigureBody;
const LATENCY = { q: 'root:true', measures: ['duration_p95'], comparePrevious: true } satisfies FigureBody;
const LATENCY_OVER_TIME = {
  q: 'root:true',
  measures: ['duration_p95'],
  bucketSeconds: 'auto',
} satisfies FigureBody;
const USAGE_OVER_TIME = {
  measures: ['model_calls', 'cost', 'total_tokens'],
  bucketSeconds: 'auto',
} satisfies FigureBody;
const LOGS = { signal: 'logs', measures: ['count', 'errors'], comparePrevious: true } satisfies FigureBody;

/** Traffic, errors, latency, calls, tokens, cost and errors in logs, each against the period before and each a way to the rows. */
export function ChangeTiles({ scope }: { scope: Scope }) {
  const requests = useFigures(scope, REQUESTS);
  const usage = useFigures(scope, USAGE);
  const requestLines = useFigures(scope, REQUESTS_OVER_TIME);
  const usageLines = useFigures(scope, USAGE_OVER_TIME);
  const latency = useFigures(scope, LATENCY);
  const latencyLines = useFigures(scope, LATENCY_OVER_TIME);
  const logs = useFigures(scope, LOGS);
  const fine = errorSeconds(scope.window);
  const failedLines = useFigures(scope, { ...FAILED, bucketSeconds: fine });
  const logLines = useFigures(scope, { ...FAILED_LOGS, bucketSeconds: fine });
  const navigate = useNavigate();
  const zone = zonePreference.use();
  const failed = [requests, usage].find((query) => query.isError && query.data === undefined);
  if (failed)
    return (
      <section aria-label="What changed" className="shrink-0 rounded-md border border-line bg-surface p-3">
        <FailureLine what="The figures" error={failed.error} onRetry={() => void failed.refetch()} />
      </section>
    );
  // The tile of logs is waited for, so that the others do not move; figures are there without it.
  const isWaiting = logs.data === undefined && logs.isPending && logs.failureCount === 0;
  if (requests.data === undefined || usage.data === undefined || isWaiting)
    return <div role="status" aria-label="Loading the figures" className="skeleton h-24 shrink-0" />;
  const before = requests.data.previous;
  // Figures of the range before must not be read as those of the range that the header names.
  const isOld = [requests, usage, latency, logs].some((query) => query.isPlaceholderData || query.isError);
  // Everything would be "new" against a period in which nothing was received.
  const hadSpans = hadAnything(requests.data) || hadAnything(usage.data);
  const since = missingUntil(before);
  const compares = hadSpans && since === undefined;
  const hasLogs = hadAnything(logs.data) || (figureOf(logs.data, 0, true).value ?? 0) > 0;
  const comparesLogs = hadAnything(logs.data) && missingUntil(logs.data?.previous) === undefined;
  const line = (query: typeof requestLines, measure: number, isSum: boolean) =>
    bucketValues(query.data, measure, isSum);
  const highest = (query: typeof failedLines) => peaks(line(query, 0, true), BARS);
  const most = `each bar the worst ${formatDuration(fine * 1_000)} of its time`;
  const tile = (about: {
    label: string;
    figure: Figure;
    unit: string;
    better: 'lower' | 'higher' | 'neither';
    values: readonly (number | null)[];
    /** What a value of the course is, where it is not the figure of its time. */
    course?: string;
    kind: 'line' | 'bars';
    tone?: 'danger';
    compares?: boolean;
    to?: '/logs';
    search: { q?: string; view?: 'spans'; sort?: string };
  }) => (
    <Stat
      key={about.label}
      label={about.label}
      value={about.figure.value}
      {...((about.compares ?? compares) ? { previous: about.figure.previous } : {})}
      unit={about.unit}
      better={about.better}
      onChoose={() => void navigate({ to: about.to ?? '/traces', search: about.search as never })}
    >
      <Sparkline
        label={`${about.label} over time${about.course === undefined ? '' : `, ${about.course}`}`}
        values={about.values}
        unit={about.unit}
        kind={about.kind}
        width={150}
        height={22}
        {...(about.tone === undefined ? {} : { tone: about.tone })}
      />
    </Stat>
  );
  return (
    <section
      aria-label="What changed"
      className="shrink-0 rounded-md border border-line bg-surface px-1 py-1"
    >
      <div
        aria-busy={isOld}
        className={cx(
          'grid grid-cols-2 gap-1',
          hasLogs ? 'md:grid-cols-4 xl:grid-cols-7' : 'md:grid-cols-3 xl:grid-cols-6',
          isOld && 'opacity-60',
        )}
      >
        {tile({
          label: 'Traces',
          figure: figureOf(requests.data, 0, true),
          unit: '',
          better: 'neither',
          values: line(requestLines, 0, true),
          kind: 'bars',
          search: {},
        })}
        {tile({
          label: 'Failed traces',
          figure: figureOf(requests.data, 1, true),
          unit: '',
          better: 'lower',
          values: highest(failedLines),
          course: most,
          kind: 'bars',
          tone: 'danger',
          search: { q: 'root:true status:error', view: 'spans' },
        })}
        {tile({
          label: 'Latency p95',
          figure: figureOf(latency.data, 0, false),
          unit: 'ms',
          better: 'lower',
          values: line(latencyLines, 0, false),
          kind: 'line',
          search: { sort: '-duration' },
        })}
        {tile({
          label: 'Model calls',
          figure: figureOf(usage.data, 0, true),
          unit: '',
          better: 'neither',
          values: line(usageLines, 0, true),
          kind: 'bars',
          search: { q: 'model:*', view: 'spans' },
        })}
        {tile({
          label: 'Tokens',
          figure: figureOf(usage.data, 2, true),
          unit: '',
          better: 'neither',
          values: line(usageLines, 2, true),
          kind: 'bars',
          search: { sort: '-tokens' },
        })}
        {tile({
          label: 'Cost',
          figure: costOf(figureOf(usage.data, 1, false), figureOf(usage.data, 0, true)),
          unit: 'USD',
          better: 'lower',
          values: line(usageLines, 1, true),
          kind: 'bars',
          search: { sort: '-cost' },
        })}
        {hasLogs &&
          tile({
            label: 'Errors in logs',
            figure: figureOf(logs.data, 1, true),
            unit: '',
            better: 'lower',
            values: highest(logLines),
            course: most,
            kind: 'bars',
            tone: 'danger',
            compares: comparesLogs,
            to: '/logs',
            search: { q: 'severity>=error' },
          })}
      </div>
      {before !== null && (
        <p className={cx('px-2 pt-0.5 text-xs text-muted', isOld && 'opacity-60')}>
          {hadSpans && since !== undefined ? (
            `Nothing to compare with: spans only since ${formatTime(since, zone).slice(0, -4)}`
          ) : (
            <>
              {compares ? 'Compared with' : 'Nothing to compare with: no spans from'}{' '}
              {formatTime(Date.parse(before.from), zone).slice(0, -4)} to{' '}
              {formatTime(Date.parse(before.to), zone).slice(0, -4)}
            </>
          )}
        </p>
      )}
    </section>
  );
}

const hadAnything = (data: AggregateData | undefined): boolean =>
  data?.rows.some((row) => row.previous?.some((value) => (value ?? 0) > 0) === true) === true;
