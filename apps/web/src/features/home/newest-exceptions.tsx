import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { newestExceptionsBody, newestExceptionsQuery } from '../../api/home.ts';
import type { Scope } from '../../api/telemetry.ts';
import { Sparkline } from '../../charts/visualise/sparkline.tsx';
import { exact, formatCount } from '../../lib/format.ts';
import { NewBadge } from '../exceptions/new-badge.tsx';
import { ChartCard } from '../explore/chart-card.tsx';
import { sinceText } from '../ingest-health/words.ts';

/** The groups of exceptions that appeared last, with how often each was seen in the window. */
export function NewestExceptions({ scope }: { scope: Scope }) {
  const query = useQuery({ ...newestExceptionsQuery(scope), placeholderData: keepPreviousData });
  const groups = query.data?.data ?? [];
  return (
    <ChartCard
      title="Newest exceptions"
      note="by first seen"
      state={query}
      isEmpty={groups.length === 0}
      empty="No exception in this time range."
      query={{
        path: '/api/telemetry/exceptions/search',
        body: newestExceptionsBody(scope),
        environment: scope.environment,
        rows: { to: '/exceptions', search: { sort: '-firstSeen' } },
      }}
    >
      <ul aria-label="Newest exceptions" className="flex flex-col text-sm">
        {groups.map((group) => (
          <li key={group.fingerprint} className="border-b border-line/50 last:border-0">
            <Link
              to="/exceptions/$fingerprint"
              params={{ fingerprint: group.fingerprint }}
              className="flex h-7 items-center gap-2 rounded-xs px-1 hover:bg-hover"
              title={`${group.type} ${group.message}`}
            >
              <span className="min-w-0 grow truncate">
                <bdi className="text-danger">{group.type || 'Exception'}</bdi>{' '}
                <bdi className="text-muted">{group.message}</bdi>
              </span>
              {group.isNew && <NewBadge />}
              <Sparkline
                label={`${group.type} over time`}
                values={group.trend.counts}
                kind="bars"
                tone="danger"
                width={56}
                height={16}
              />
              <span
                className="w-10 shrink-0 text-right"
                title={`${exact(group.count)} times, ${exact(group.users)} users`}
              >
                {formatCount(group.count)}
              </span>
              <span className="w-20 shrink-0 text-right text-muted" title={`First seen ${group.firstSeen}`}>
                {sinceText(group.firstSeen, scope.window.toMs)}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </ChartCard>
  );
}
