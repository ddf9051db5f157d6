import type { ExceptionGroup } from '@candela/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { addressOf } from '../../api/client.ts';
import { newestExceptionsBody, newestExceptionsQuery } from '../../api/home.ts';
import type { Scope } from '../../api/telemetry.ts';
import { Sparkline } from '../../charts/visualise/sparkline.tsx';
import { typeName } from '../../lib/failure-words.ts';
import { exact, formatCount } from '../../lib/format.ts';
import { quoted } from '../../lib/query-text.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { NewBadge } from '../exceptions/new-badge.tsx';
import { ChartCard } from '../explore/chart-card.tsx';
import { sinceText } from '../ingest-health/words.ts';
import { byCause } from './one-cause.ts';

/** Lines that the card has room for. */
const LINES = 13;

/** The groups of exceptions that appeared last, with how often each was seen in the window. */
export function NewestExceptions({ scope }: { scope: Scope }) {
  const query = useQuery({ ...newestExceptionsQuery(scope), placeholderData: keepPreviousData });
  const groups = query.data?.data ?? [];
  const causes = useMemo(() => byCause(query.data?.data ?? []).slice(0, LINES), [query.data]);
  return (
    <ChartCard
      title="Newest exceptions"
      note="by first seen"
      state={query}
      isEmpty={groups.length === 0}
      empty="No exception in this time range."
      query={{
        path: addressOf('searchExceptions'),
        body: newestExceptionsBody(scope),
        environment: scope.environment,
        rows: { to: '/exceptions', search: { sort: '-firstSeen' } },
      }}
    >
      <ul aria-label="Newest exceptions" className="flex flex-col text-sm">
        {causes.map((cause) => (
          <Cause key={cause[0].fingerprint} cause={cause} scope={scope} />
        ))}
      </ul>
    </ChartCard>
  );
}

/** What one cause made: one exception, or several that differ in a word of their message. */
function Cause({ cause, scope }: { cause: readonly [ExceptionGroup, ...ExceptionGroup[]]; scope: Scope }) {
  const [newest, ...others] = cause;
  const count = cause.reduce((sum, one) => sum + one.count, 0);
  const users = Math.max(...cause.map((one) => one.users));
  const values = newest.trend.counts.map((_, at) =>
    cause.reduce((sum, one) => sum + (one.trend.counts[at] ?? 0), 0),
  );
  // Beside its figures a name has no room on a phone: there it has a line of its own.
  const look =
    'flex h-7 items-center gap-2 rounded-xs px-1 hover:bg-hover max-sm:h-auto max-sm:flex-wrap max-sm:gap-y-0.5 max-sm:py-1';
  const inside = (
    <>
      <span className="flex min-w-0 grow gap-1 max-sm:basis-full">
        <MiddleTruncation
          name={typeName(newest.type)}
          title=""
          className="max-w-[70%] shrink-0 text-danger"
        />{' '}
        <bdi className="truncate text-muted">{newest.message || `in ${newest.service}`}</bdi>
      </span>
      {others.length > 0 && (
        <span
          className="shrink-0 text-muted"
          title={`${cause.length} exceptions that differ in a word of their message`}
        >
          +{others.length} alike
        </span>
      )}
      {cause.some((one) => one.isNew) && <NewBadge />}
      <Sparkline
        label={`${typeName(newest.type)} over time`}
        values={values}
        kind="bars"
        tone="danger"
        width={56}
        height={16}
      />
      <span
        className="w-10 shrink-0 text-right max-sm:ml-auto"
        title={`${exact(count)} times, ${others.length > 0 ? 'at least ' : ''}${exact(users)} users`}
      >
        {formatCount(count)}
      </span>
      <span className="w-20 shrink-0 text-right text-muted" title={`First seen ${newest.firstSeen}`}>
        {sinceText(newest.firstSeen, scope.window.toMs)}
      </span>
    </>
  );
  const title = `${typeName(newest.type)} ${newest.message}`.trim();
  return (
    <li className="border-b border-line/50 last:border-0">
      {others.length === 0 ? (
        <Link
          to="/exceptions/$fingerprint"
          params={{ fingerprint: newest.fingerprint }}
          className={look}
          title={title}
        >
          {inside}
        </Link>
      ) : (
        <Link
          to="/exceptions"
          search={{ q: `error_type:${quoted(newest.type)}`, sort: '-firstSeen' }}
          className={look}
          title={title}
        >
          {inside}
        </Link>
      )}
    </li>
  );
}
