import type { getSession, ResponseOf } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { sessionQuery } from '../../api/activity.ts';
import { ApiError } from '../../api/client.ts';
import { cx } from '../../lib/cx.ts';
import { formatCount, nounOf } from '../../lib/format.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { Button } from '../../ui/button.tsx';
import { PAGE_COLUMN, PAGE_ROWS } from '../../ui/page-column.ts';
import { BackLink, PageHead } from '../../ui/page-head.tsx';
import { Failure, Notice, NotRefreshed, SkeletonRows } from '../../ui/states.tsx';
import { TimeCell } from '../explore/cells.tsx';
import { persistedSessions } from './activity-search.ts';
import { SessionFind, useSessionFind } from './session-find.tsx';
import type { SessionSearch, TurnPlace } from './session-search.ts';
import { SessionSide } from './session-side.tsx';
import { Speakers, SpeakersList, speakersOf } from './speakers.tsx';
import { SessionTimeline } from './session-timeline.tsx';

type Session = ResponseOf<typeof getSession>['data'];

const route = getRouteApi('/sessions/$session');
const NOBODY: ReadonlyMap<string, string> = new Map();

/** One session: its conversation over all traces, and what it took. */
export function SessionPage() {
  const { session: key } = route.useParams();
  const { turn, at: place, since, find } = route.useSearch();
  const navigate = route.useNavigate();
  const leave = useNavigate();
  const query = useQuery(sessionQuery(key, since));
  const turns = query.data?.turns ?? [];
  const speakers = useMemo(() => (query.data === undefined ? NOBODY : speakersOf(query.data)), [query.data]);
  const found = turns.findIndex(({ traceId }) => traceId === turn);
  const at = Math.max(0, found);
  /** How often a turn was asked for: the same one may be gone to again. */
  const [asked, setAsked] = useState(0);
  const choose = (index: number, at?: TurnPlace) => {
    const next = turns[index];
    if (!next) return;
    setAsked((before) => before + 1);
    void navigate({
      search: {
        turn: next.traceId,
        ...(at === undefined ? {} : { at }),
        ...(since === undefined ? {} : { since }),
        ...(find === undefined ? {} : { find }),
      },
      replace: true,
    });
  };
  /** Where a key or a button led to, for those who do not see it. */
  const [said, setSaid] = useState('');
  const go = (index: number, at?: TurnPlace) => {
    choose(index, at);
    const errors = turns[index]?.errors ?? 0;
    const outcome = errors === 0 ? '' : `, ${formatCount(errors)} ${nounOf(errors, 'failed spans')}`;
    setSaid(`Turn ${index + 1} of ${turns.length}${outcome}`);
  };
  const finding = useSessionFind(key, find);
  /** Which of the messages found is shown. */
  const [hitAt, setHitAt] = useState(-1);
  const onFind = useCallback(
    (text: string | undefined) => {
      setHitAt(-1);
      void navigate({
        search: (before) => {
          const { find: _before, ...others } = before;
          return text === undefined ? others : { ...others, find: text };
        },
        replace: true,
      });
    },
    [navigate],
  );
  const toHit = (index: number) => {
    setHitAt(index);
    const traceId = finding.hits[index]?.traceId;
    const next = turns.findIndex((one) => one.traceId === traceId);
    if (next !== -1) choose(next);
  };
  const terms = useMemo(
    () => [...new Set(finding.hits.map(({ match }) => match.toLowerCase()))],
    [finding.hits],
  );
  const step = (by: number) => go(Math.min(turns.length - 1, Math.max(0, found === -1 ? 0 : at + by)));
  const failed = turns.flatMap(({ errors }, index) => (errors > 0 ? [index] : []));
  const about = { group: 'Session', enabled: turns.length > 0 };
  useHotkey(['j', 'ArrowDown'], () => step(1), { ...about, label: 'Next turn' });
  useHotkey(['k', 'ArrowUp'], () => step(-1), { ...about, label: 'Previous turn' });
  const toFirst = () => go(0);
  const toEnd = () => go(turns.length - 1, 'end');
  const toFailure = (by: 1 | -1) => {
    const next =
      by === 1
        ? (failed.find((index) => index > found) ?? failed[0])
        : (failed.findLast((index) => index < found) ?? failed.at(-1));
    if (next !== undefined) go(next, 'failure');
  };
  useHotkey('Home', toFirst, { ...about, label: 'First turn' });
  useHotkey('End', toEnd, { ...about, label: 'End of the session' });
  const failing = { ...about, enabled: failed.length > 0 };
  useHotkey('e', () => toFailure(1), { ...failing, label: 'Next turn with a failure' });
  useHotkey('E', () => toFailure(-1), {
    ...failing,
    label: 'Previous turn with a failure, at first the last',
  });
  useHotkey(
    'Enter',
    () => {
      const traceId = turns[at]?.traceId;
      if (traceId !== undefined) void leave({ to: '/traces/$traceId', params: { traceId } });
    },
    { ...about, label: 'Open the trace of the turn' },
  );
  useHotkey('Escape', () => void leave({ to: '/sessions', search: persistedSessions.last() }), {
    group: 'Session',
    label: 'Back to the sessions',
  });
  if (query.isPending) return <SkeletonRows label="Loading the session" />;
  if (query.isLoadingError)
    return query.error instanceof ApiError && query.error.status === 404 ? (
      <Notice title="This session is not here">
        <title>Session · Candela</title>
        <p>
          {since === undefined ? (
            'It may be past its retention, or belong to another project.'
          ) : (
            <>
              There is nothing of it since <TimeCell iso={since} />.{' '}
              <Link to="/sessions/$session" params={{ session: key }} className="text-accent underline">
                Show it from its beginning
              </Link>
            </>
          )}
        </p>
        <Link to="/sessions" search={persistedSessions.last()} className="text-accent underline">
          Go to Sessions
        </Link>
      </Notice>
    ) : (
      <Failure error={query.error} onRetry={() => void query.refetch()} />
    );
  const { data: session } = query;
  return (
    <Speakers value={speakers}>
      <div className={PAGE_COLUMN}>
        <title>{`Session ${session.sessionId.slice(0, 60)} · Candela`}</title>
        <PageHead
          back={<BackLink to="/sessions" search={persistedSessions.last()} label="Back to the sessions" />}
          kind="Session"
          name={session.sessionId}
          mono
          copy="session id"
          aside={
            <>
              {(session.truncated || since !== undefined) && (
                <p className="text-sm text-warn">
                  <Part session={session} since={since} />
                </p>
              )}
              {failed.length > 0 && (
                <span className="flex shrink-0 items-center gap-1 text-sm text-danger">
                  {formatCount(failed.length)} failed
                  <Button
                    look="plain"
                    className="px-1"
                    aria-label="Previous turn with a failure"
                    title="Previous turn with a failure, at first the last (E)"
                    onClick={() => toFailure(-1)}
                  >
                    <ArrowUp size={16} aria-hidden />
                  </Button>
                  <Button
                    look="plain"
                    className="px-1"
                    aria-label="Next turn with a failure"
                    title="Next turn with a failure (e)"
                    onClick={() => toFailure(1)}
                  >
                    <ArrowDown size={16} aria-hidden />
                  </Button>
                </span>
              )}
              <Button look="plain" title="End of the session (End)" onClick={toEnd}>
                To the end
              </Button>
            </>
          }
        >
          <SpeakersList session={session} />
        </PageHead>
        <p role="status" className="sr-only">
          {said}
        </p>
        <NotRefreshed error={query.error} onRetry={() => void query.refetch({ cancelRefetch: false })} />
        <SessionFind find={find} onFind={onFind} finding={finding} at={hitAt} onHit={toHit} />
        <div className={cx('flex max-lg:flex-col low:max-lg:shrink-0', PAGE_ROWS)}>
          <div className="min-h-0 min-w-0 grow low:max-lg:h-[min(16rem,70dvh)] low:max-lg:flex-none">
            <SessionTimeline
              key={`${key} ${since ?? ''}`}
              sessionKey={key}
              since={since}
              turns={turns}
              at={at}
              place={place}
              asked={asked}
              terms={terms}
              hit={hitAt}
              onChoose={choose}
            />
          </div>
          <SessionSide session={session} at={at} onChoose={choose} />
        </div>
      </div>
    </Speakers>
  );
}

/** Which part of a session the page is about, and the way to the others. */
function Part({ session, since }: { session: Session; since: string | undefined }) {
  const { key, turns } = session;
  const last = turns.at(-1)?.startTime;
  const wayTo = (label: string, search: SessionSearch) => (
    <Link to="/sessions/$session" params={{ session: key }} search={search} className="underline">
      {label}
    </Link>
  );
  const shown = `${turns.length.toLocaleString('en-US')} of ${session.traces.toLocaleString('en-US')} turns`;
  return (
    <>
      {since !== undefined && (
        <>
          Since <TimeCell iso={since} />, figures too. {wayTo('From its beginning', {})}{' '}
        </>
      )}
      {session.truncated && (
        <>
          The first {shown} are shown. {last !== undefined && wayTo('Go on from there', { since: last })}
        </>
      )}
    </>
  );
}
