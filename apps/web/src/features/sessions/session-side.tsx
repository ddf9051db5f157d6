import type { getSession, ResponseOf } from '@candela/contract';
import { printFilter } from '@candela/contract/filter';
import { entityKey } from '@candela/kernel';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { exact, formatCost, formatCount, formatDuration } from '../../lib/format.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { TimeCell } from '../explore/cells.tsx';
import { FiguresList } from './figures-list.tsx';
import { Speaker } from './speakers.tsx';
import { TurnBars } from './turn-bars.tsx';

const SessionScores = lazy(async () => ({
  default: (await import('../evaluations/scores-tab.tsx')).SessionScores,
}));

type Session = ResponseOf<typeof getSession>['data'];

/** Figures of a session, cost by turn, and the ways on from here. */
export function SessionSide(props: { session: Session; at: number; onChoose: (index: number) => void }) {
  const { session } = props;
  const { usage } = session;
  const q = printFilter({ field: 'session', op: '=', value: session.sessionId });
  const range = { from: session.firstSeen, to: after(session.lastSeen) };
  return (
    <aside
      aria-label="About the session"
      className="flex w-76 shrink-0 flex-col gap-5 overflow-auto border-l border-line p-4 max-lg:max-h-72 max-lg:w-full max-lg:border-t max-lg:border-l-0"
    >
      <FiguresList
        items={[
          ['Began', <TimeCell iso={session.firstSeen} />],
          ['Last active', <TimeCell iso={session.lastSeen} />],
          [
            'Duration',
            <span title={exact(session.durationMs, ' ms')}>{formatDuration(session.durationMs)}</span>,
          ],
          ['Turns', <span title={exact(session.traces)}>{formatCount(session.traces)}</span>],
          ['Model calls', <span title={exact(session.modelCalls)}>{formatCount(session.modelCalls)}</span>],
          ['Spans', <span title={exact(session.spans)}>{formatCount(session.spans)}</span>],
          [
            'Failed spans',
            <span className={session.errors > 0 ? 'text-danger' : ''} title={exact(session.errors)}>
              {formatCount(session.errors)}
            </span>,
          ],
          ['Cost', <span title={exact(session.costUsd, ' USD')}>{formatCost(session.costUsd)}</span>],
        ]}
      />
      <TurnBars turns={session.turns} at={props.at} onChoose={props.onChoose} />
      {session.inputTokens !== null && (
        <div>
          <h3 className="mb-1 text-sm text-muted">Tokens</h3>
          <FiguresList
            items={[
              ['Input', <span title={exact(usage.input)}>{formatCount(usage.input)}</span>],
              ['Cache read', <span title={exact(usage.cacheRead)}>{formatCount(usage.cacheRead)}</span>],
              ['Cache write', <span title={exact(usage.cacheWrite)}>{formatCount(usage.cacheWrite)}</span>],
              ['Output', <span title={exact(usage.output)}>{formatCount(usage.output)}</span>],
              ['Reasoning', <span title={exact(usage.reasoning)}>{formatCount(usage.reasoning)}</span>],
            ]}
          />
        </div>
      )}
      <Names title="Users" names={session.users} count={session.userCount} to="/users/$user" />
      <Names title="Agents" names={session.agents} to="/agents/$agent" />
      <Names title="Models" names={session.models} />
      <Names title="Services" names={session.services} />
      <Names title="Environments" names={session.environments} />
      <Suspense fallback={null}>
        <SessionScores sessionId={session.sessionId} />
      </Suspense>
      <div className="flex flex-col gap-1">
        <Link to="/traces" search={{ q, ...range }} className="text-accent hover:underline">
          Traces of this session
        </Link>
        <Link to="/traces" search={{ q, view: 'spans', ...range }} className="text-accent hover:underline">
          Spans of this session
        </Link>
      </div>
    </aside>
  );
}

/** A window ends before its end: the last span is to be in it. */
const after = (iso: string): string => new Date(Date.parse(iso) + 1).toISOString();

/** A titled list of names, as links where there is a page for them. */
function Names(props: {
  title: string;
  names: readonly string[];
  /** How many there are, where `names` may be the first of them only. */
  count?: number;
  to?: '/users/$user' | '/agents/$agent';
}) {
  if (props.names.length === 0) return null;
  const more = (props.count ?? 0) - props.names.length;
  return (
    <div>
      <h3 className="mb-1 text-sm text-muted">{props.title}</h3>
      <ul className="flex flex-wrap gap-x-3 gap-y-1">
        {props.names.map((name) => (
          <li key={name} className="flex max-w-full min-w-0">
            {props.to === undefined ? (
              <MiddleTruncation name={name} />
            ) : props.to === '/users/$user' ? (
              <Speaker name={name} />
            ) : (
              <Link
                to="/agents/$agent"
                params={{ agent: entityKey(name) }}
                className="flex min-w-0 text-accent hover:underline"
              >
                <MiddleTruncation name={name} />
              </Link>
            )}
          </li>
        ))}
        {more > 0 && (
          <li className="text-muted">
            the first {props.names.length} of {exact(props.count ?? null)}
          </li>
        )}
      </ul>
    </div>
  );
}
