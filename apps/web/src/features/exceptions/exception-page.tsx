import type { ExceptionBreakdown, ExceptionDetail } from '@candela/contract';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { lazy, Suspense, useMemo } from 'react';
import { ApiError } from '../../api/client.ts';
import { exceptionPath, exceptionQuery } from '../../api/exceptions.ts';
import type { Scope } from '../../api/telemetry.ts';
import { BarList } from '../../charts/visualise/bar-list.tsx';
import { TimeChart } from '../../charts/visualise/time-chart.tsx';
import { cx } from '../../lib/cx.ts';
import { typeName } from '../../lib/failure-words.ts';
import { curlOf } from '../../lib/curl.ts';
import { exact, formatCount, formatIso, formatTime } from '../../lib/format.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { toggleValue, valuesOf } from '../../lib/query-text.ts';
import type { TimeWindow } from '../../lib/time-range.ts';
import { useStaleData } from '../../lib/use-stale-data.ts';
import { zonePreference } from '../../lib/zone.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Failure, Notice, NotRefreshed, SkeletonRows } from '../../ui/states.tsx';
import { FilterChips } from '../explore/filter-chips.tsx';
import { MoreRows } from '../../ui/more-rows.tsx';
import { useShell } from '../shell/shell-search.ts';
import { persistedExceptions } from './exceptions-search.ts';
import { NewBadge } from './new-badge.tsx';
import { Occurrences } from './occurrences.tsx';
import { TriageBar } from './triage-bar.tsx';

const route = getRouteApi('/exceptions/$fingerprint');
const StackView = lazy(() => import('./stack-view.tsx').then((module) => ({ default: module.StackView })));

const FIELDS: Record<ExceptionBreakdown, { title: string; field: string | undefined }> = {
  service: { title: 'Services', field: 'service' },
  version: { title: 'Versions', field: undefined },
  model: { title: 'Models', field: 'model' },
  agent: { title: 'Agents', field: 'agent' },
  tool: { title: 'Tools', field: 'tool' },
  user: { title: 'Users', field: 'user' },
  span: { title: 'Spans', field: 'name' },
};

/** Any other text comes from a link that is incomplete. */
const FINGERPRINT = /^[0-9a-f]{16}$/;

/** One group of exceptions: how often, whom it hits, where it is thrown, every occurrence. */
export function ExceptionPage() {
  const { fingerprint } = route.useParams();
  const { q = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const { window, environment, choice, setRange } = useShell();
  const scope: Scope = useMemo(() => ({ window, q, environment }), [window, q, environment]);
  const query = useInfiniteQuery({
    ...exceptionQuery(fingerprint, scope),
    placeholderData: keepPreviousData,
  });
  const standing = useStaleData(query, `${choice} ${q}`);
  const leave = () => void navigate({ to: '/exceptions', search: persistedExceptions.last() });
  useHotkey('Escape', leave, { label: 'Back to the exceptions', group: 'Exception' });
  const setQuery = (text: string) => void navigate({ search: text === '' ? {} : { q: text } });
  const pages = standing.data?.pages;
  const detail = pages?.[0]?.data;
  const occurrences = useMemo(() => pages?.flatMap((page) => page.data.occurrences) ?? [], [pages]);
  if (standing.isPending) return <SkeletonRows label="Loading the exception" />;
  if (detail === undefined) {
    const { error } = standing;
    if (!FINGERPRINT.test(fingerprint) || (error instanceof ApiError && error.status === 404))
      return <NotHere onLeave={leave} />;
    return <Failure error={error} onRetry={standing.refetch} />;
  }
  return (
    <div className={cx('h-full overflow-auto', standing.isOld && 'opacity-60')} aria-busy={standing.isOld}>
      <NotRefreshed error={standing.missed} onRetry={standing.refetch} />
      <title>{`${typeName(detail.type)} · Candela`}</title>
      <div className="mx-auto flex max-w-[90rem] flex-col gap-4 p-4">
        <Head detail={detail} scope={scope} onLeave={leave} />
        <TriageBar key={fingerprint} fingerprint={fingerprint} triage={detail.triage} />
        <FilterChips query={q} onChange={setQuery} />
        <div className="grid grid-cols-[minmax(0,1fr)_18rem] items-start gap-4 max-lg:grid-cols-1">
          <div className="flex min-w-0 flex-col gap-4">
            <section className="rounded-md border border-line bg-surface p-3">
              <h2 className="mb-1 font-medium">Occurrences over time</h2>
              <Trend
                detail={detail}
                window={standing.isOld ? windowOf(detail) : window}
                onZoom={({ fromMs, toMs }) =>
                  setRange({ from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() })
                }
              />
            </section>
            {detail.stacktrace !== null && (
              <Suspense
                fallback={
                  <div role="status" aria-label="Loading the stack trace" className="skeleton h-40" />
                }
              >
                <StackView text={detail.stacktrace} cut={detail.stacktraceCut} />
              </Suspense>
            )}
            <section className="rounded-md border border-line bg-surface">
              <h2 className="border-b border-line px-3 py-1.5 font-medium">
                Occurrences <span className="font-normal text-muted">{exact(detail.count)}</span>
              </h2>
              {occurrences.length === 0 ? (
                <p className="p-3 text-muted">
                  It did not happen in this time range{q === '' ? '' : ' under these conditions'}.
                </p>
              ) : (
                <Occurrences rows={occurrences} />
              )}
              <MoreRows query={query} noun="occurrences" className="p-2" />
            </section>
          </div>
          <Breakdowns detail={detail} q={q} onQuery={setQuery} />
        </div>
      </div>
    </div>
  );
}

function NotHere({ onLeave }: { onLeave: () => void }) {
  return (
    <Notice title="This exception is not here">
      <title>Exception · Candela</title>
      <p>It is past retention, in another project or environment, or the link is incomplete.</p>
      <Button onClick={onLeave}>All exceptions</Button>
    </Notice>
  );
}

function Head({ detail, scope, onLeave }: { detail: ExceptionDetail; scope: Scope; onLeave: () => void }) {
  const zone = zonePreference.use();
  const time = (iso: string) => formatTime(Date.parse(iso), zone);
  return (
    <header className="flex flex-col gap-2">
      <div className="flex items-center gap-2 max-md:flex-wrap">
        <div className="flex max-w-full min-w-0 items-center gap-2">
          <Button look="plain" aria-label="All exceptions" title="All exceptions (Esc)" onClick={onLeave}>
            <ArrowLeft size={15} aria-hidden />
          </Button>
          <h1 className="flex min-w-0 text-xl font-semibold text-danger">
            <MiddleTruncation name={typeName(detail.type)} title={detail.type} />
          </h1>
          {detail.isNew && <NewBadge />}
        </div>
        <span className="ml-auto flex shrink-0 items-center gap-1">
          {detail.sampleTraceId !== null && (
            <Link
              to="/traces/$traceId"
              params={{ traceId: detail.sampleTraceId }}
              search={detail.sampleSpanId === null ? {} : { span: detail.sampleSpanId }}
              className="rounded px-2 py-1 text-accent hover:underline"
            >
              Latest span
            </Link>
          )}
          <CopyButton label="Copy the fingerprint" text={() => detail.fingerprint}>
            Fingerprint
          </CopyButton>
          <CopyButton
            label="Copy as cURL"
            text={() => curlOf(location.origin, exceptionPath(detail.fingerprint, scope))}
          >
            cURL
          </CopyButton>
        </span>
      </div>
      {detail.message !== '' && (
        <p
          className="max-h-40 overflow-auto rounded-md bg-danger-soft px-3 py-2 break-words whitespace-pre-wrap text-danger"
          tabIndex={0}
        >
          {detail.message}
        </p>
      )}
      {detail.messageCut && (
        <p className="text-sm text-muted">
          Only the beginning; the {detail.sampleTraceId === null ? 'log record' : 'latest span'} has the whole
          message.
        </p>
      )}
      <Facts>
        <Fact label="Occurrences" title={exact(detail.count)}>
          {formatCount(detail.count)}
        </Fact>
        <Fact label="Traces" title={exact(detail.traces)}>
          {formatCount(detail.traces)}
        </Fact>
        <Fact label="Users" title={exact(detail.users)}>
          {formatCount(detail.users)}
        </Fact>
        <Fact label="First seen" title={formatIso(Date.parse(detail.firstSeen))}>
          {time(detail.firstSeen)}
        </Fact>
        <Fact label="Last seen" title={formatIso(Date.parse(detail.lastSeen))}>
          {time(detail.lastSeen)}
        </Fact>
      </Facts>
    </header>
  );
}

/** The time that the counts are of. */
const windowOf = ({ trend }: ExceptionDetail): TimeWindow => ({
  fromMs: trend.fromMs,
  toMs: trend.fromMs + trend.counts.length * trend.bucketSeconds * 1_000,
});

function Trend(props: { detail: ExceptionDetail; window: TimeWindow; onZoom: (window: TimeWindow) => void }) {
  const { trend } = props.detail;
  const series = useMemo(
    () => [
      {
        key: 'occurrences',
        label: 'occurrences',
        tone: 'danger' as const,
        points: trend.counts.map((value, index) => ({
          timeMs: trend.fromMs + index * trend.bucketSeconds * 1_000,
          value,
        })),
      },
    ],
    [trend],
  );
  return (
    <TimeChart
      label="Occurrences over time"
      kind="bars"
      missing="zero"
      height={110}
      series={series}
      window={props.window}
      stepSeconds={trend.bucketSeconds}
      onZoom={props.onZoom}
    />
  );
}

/** Whom it hits; a click narrows the page to it. */
function Breakdowns(props: { detail: ExceptionDetail; q: string; onQuery: (q: string) => void }) {
  const { detail, q, onQuery } = props;
  const shown = detail.breakdowns.filter((one) => one.values.length > 0);
  if (shown.length === 0) return null;
  return (
    <div className="grid gap-3 max-lg:grid-cols-[repeat(auto-fill,minmax(16rem,1fr))]">
      {shown.map(({ field, values, more }) => {
        const { title, field: name } = FIELDS[field];
        return (
          <section key={field} className="rounded-md border border-line bg-surface p-2" aria-label={title}>
            <h2 className="mb-1 px-1.5 text-sm text-muted">
              {title}
              {more && `, the first ${values.length}`}
            </h2>
            <BarList
              label={`Occurrences by ${field}`}
              items={values.map(({ value, count }) => ({ key: value, label: value, value: count }))}
              {...(name === undefined
                ? {}
                : {
                    chosen: valuesOf(q, name),
                    onChoose: (value: string) => onQuery(toggleValue(q, name, value)),
                  })}
            />
          </section>
        );
      })}
    </div>
  );
}
