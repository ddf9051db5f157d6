import type { CodingSession } from '@candela/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { codingSessionQuery } from '../../api/coding-agents.ts';
import { Stat } from '../../charts/visualise/stat.tsx';
import { formatCost, formatCount, formatDuration } from '../../lib/format.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { MoreRows } from '../../ui/more-rows.tsx';
import { BackLink, PageHead } from '../../ui/page-head.tsx';
import { Failure, SkeletonRows } from '../../ui/states.tsx';
import { TimeCell } from '../explore/cells.tsx';
import { useShell } from '../shell/shell-search.ts';
import { Lines, State, tokensOf } from './cells.tsx';
import { Classification } from './classification.tsx';
import { Conversation } from './conversation.tsx';
import { treeOf } from './event-tree.ts';

const route = getRouteApi('/coding-agents/$session');
const HOUR_MS = 3_600_000;

/** One session of a coding agent: its figures, and the conversation with tools, edits and commits in it. */
export function CodingSessionPage() {
  const { session: id } = route.useParams();
  const { agent, since } = route.useSearch();
  const navigate = route.useNavigate();
  const { environment } = useShell();
  useHotkey('Escape', () => void navigate({ to: '/coding-agents', search: { view: 'sessions' } }), {
    label: 'Back to the sessions',
    group: 'Session',
  });
  const started = since === undefined ? NaN : Date.parse(since);
  // Of so long a time that a user with sessions now and then is seen.
  const [opened] = useState(() => Date.now());
  const from = Number.isFinite(started)
    ? new Date(Math.min(started - HOUR_MS, opened - 7 * 24 * HOUR_MS)).toISOString()
    : undefined;
  const query = useInfiniteQuery(codingSessionQuery(id, { agent, from, environment }));
  const session = query.data?.pages[0]?.data;
  const nodes = useMemo(() => treeOf(query.data?.pages.flatMap(({ events }) => events) ?? []), [query.data]);
  return (
    <div className="flex h-full flex-col overflow-y-auto" data-testid="coding-session">
      <title>{`Session ${id.slice(0, 60)} · Candela`}</title>
      <PageHead
        back={<BackLink to="/coding-agents" search={{ view: 'sessions' }} label="Back to the sessions" />}
        kind="Coding session"
        name={id}
        mono
        copy="session id"
        aside={
          session &&
          session.traceId !== '' && (
            <Link
              to="/traces/$traceId"
              params={{ traceId: session.traceId }}
              className="text-accent hover:underline"
            >
              Trace
            </Link>
          )
        }
      />
      {query.isPending ? (
        <SkeletonRows label="Loading the session" />
      ) : session === undefined ? (
        <Failure error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <>
          <Head session={session} />
          <div className="mx-auto flex w-full max-w-4xl flex-col gap-3 p-3">
            {nodes.length === 0 && (
              <p className="text-sm text-muted">
                Counters of the agent alone tell of this session. Its hooks tell what was said and done:
                candela coding install.
              </p>
            )}
            <Conversation nodes={nodes} />
            <MoreRows query={query} noun="events" />
          </div>
        </>
      )}
    </div>
  );
}

function Head({ session }: { session: CodingSession }) {
  const { edits } = session;
  return (
    <div className="flex shrink-0 flex-col gap-2 border-b border-line px-3 py-2">
      <div className="-mx-2 flex flex-wrap gap-x-6 gap-y-2">
        <Stat label="Cost" value={session.costUsd} unit="USD">
          {session.costUsd !== null && (
            <span className="text-xs text-muted">
              {formatCost(session.costBySource.main)} main · {formatCost(session.costBySource.subagent)}{' '}
              sub-agents · {formatCost(session.costBySource.side)} side
            </span>
          )}
          {session.unpricedCalls > 0 && (
            <span className="text-xs text-warn">{formatCount(session.unpricedCalls)} calls unpriced</span>
          )}
        </Stat>
        <Stat label="Tokens" value={tokensOf(session)} />
        <Stat label="Cache hits" value={session.cacheHitRatio} unit="1" />
        <Stat label="Turns" value={session.turns} />
        <Stat label="Tool calls" value={session.toolCalls}>
          <span className="text-xs text-muted">{formatCount(session.failedToolCalls)} failed</span>
        </Stat>
        <Stat label="Sub-agents" value={session.subagents} />
        <Stat label="Acceptance" value={session.acceptance} unit="1">
          <span className="text-xs text-muted">
            {edits.accept} accepted · {edits.autoAccepted} by rule · {edits.modify} modified · {edits.reject}{' '}
            refused
          </span>
        </Stat>
        <Stat label="Commits" value={session.commits} />
        <Stat label="Waited for permission" value={session.waitedMs} unit="ms" />
      </div>
      <Facts>
        <Fact label="Agent">{session.agent}</Fact>
        <Fact label="State">
          <State state={session.state} />
        </Fact>
        <Fact label="Outcome">{session.outcome ?? 'not known'}</Fact>
        <Fact label="Started">
          <TimeCell iso={session.startedAt} />
        </Fact>
        <Fact label="Duration">{formatDuration(session.durationMs)}</Fact>
        <Fact label="Lines">
          <Lines {...session.lines} />
        </Fact>
        {session.repository !== null && (
          <Fact label="Findings">
            <Link
              to="/scanners"
              search={{ repository: session.repository }}
              className="text-accent hover:underline"
            >
              {session.openFindings === null
                ? 'no scanner has looked at this repository'
                : `${formatCount(session.openFindings)} open in this repository`}
            </Link>
          </Fact>
        )}
        {(
          [
            ['User', session.user],
            ['Model', session.model],
            ['Repository', session.repository],
            ['Branch', session.branch],
            ['Folder', session.workingFolder],
            ['Content capture', session.captureMode],
          ] as const
        ).map(
          ([label, value]) =>
            value !== null && (
              <Fact key={label} label={label} title={value}>
                {value}
              </Fact>
            ),
        )}
        <Classification session={session} />
      </Facts>
    </div>
  );
}
