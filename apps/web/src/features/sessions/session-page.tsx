import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { sessionQuery } from '../../api/activity.ts';
import { ApiError } from '../../api/client.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { BackLink, PageHead } from '../../ui/page-head.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { keptSessions } from './activity-search.ts';
import { SessionSide } from './session-side.tsx';
import { SessionTimeline } from './session-timeline.tsx';

const route = getRouteApi('/sessions/$session');

/** One session: its conversation over all traces, and what it took. */
export function SessionPage() {
  const { session: key } = route.useParams();
  const { turn } = route.useSearch();
  const navigate = route.useNavigate();
  const leave = useNavigate();
  const query = useQuery(sessionQuery(key));
  const turns = query.data?.turns ?? [];
  const found = turns.findIndex(({ traceId }) => traceId === turn);
  const at = Math.max(0, found);
  const choose = (index: number) => {
    const next = turns[index];
    if (next) void navigate({ search: (before) => ({ ...before, turn: next.traceId }), replace: true });
  };
  const step = (by: number) => choose(Math.min(turns.length - 1, Math.max(0, found === -1 ? 0 : at + by)));
  const failed = turns.flatMap(({ errors }, index) => (errors > 0 ? [index] : []));
  const about = { group: 'Session', enabled: turns.length > 0 };
  useHotkey(['j', 'ArrowDown'], () => step(1), { ...about, label: 'Next turn' });
  useHotkey(['k', 'ArrowUp'], () => step(-1), { ...about, label: 'Previous turn' });
  useHotkey('e', () => choose(failed.find((index) => index > at) ?? failed[0] ?? at), {
    ...about,
    label: 'Next turn with a failure',
    enabled: failed.length > 0,
  });
  useHotkey(
    'Enter',
    () => {
      const traceId = turns[at]?.traceId;
      if (traceId !== undefined) void leave({ to: '/traces/$traceId', params: { traceId } });
    },
    { ...about, label: 'Open the trace of the turn' },
  );
  useHotkey('Escape', () => void leave({ to: '/sessions', search: keptSessions.last() }), {
    group: 'Session',
    label: 'Back to the sessions',
  });
  if (query.isPending) return <SkeletonRows label="Loading the session" />;
  if (query.isError)
    return query.error instanceof ApiError && query.error.status === 404 ? (
      <Notice title="This session is not here">
        <title>Session · Candela</title>
        <p>It may be past its retention, or belong to another project.</p>
        <Link to="/sessions" search={keptSessions.last()} className="text-accent underline">
          Go to Sessions
        </Link>
      </Notice>
    ) : (
      <Failure error={query.error} onRetry={() => void query.refetch()} />
    );
  const { data: session } = query;
  return (
    <div className="flex h-full flex-col">
      <title>{`Session ${session.sessionId.slice(0, 60)} · Candela`}</title>
      <PageHead
        back={<BackLink to="/sessions" search={keptSessions.last()} label="Back to the sessions" />}
        kind="Session"
        name={session.sessionId}
        mono
        copy="session id"
        aside={
          session.truncated && (
            <p className="text-sm text-warn">
              The first {turns.length.toLocaleString('en-US')} of {session.traces.toLocaleString('en-US')}{' '}
              turns are shown.
            </p>
          )
        }
      />
      <div className="flex min-h-0 grow max-lg:flex-col">
        <div className="min-h-0 min-w-0 grow">
          <SessionTimeline sessionKey={key} turns={turns} at={at} onChoose={choose} />
        </div>
        <SessionSide session={session} at={at} onChoose={choose} />
      </div>
    </div>
  );
}
