import type { CodingSession, CodingSessionSort } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Page } from '../core/page.ts';
import type { Runner } from '../core/run.ts';
import type { Window } from '../core/scope.ts';
import { iso, orNull } from '../spans/span-row.ts';
import { type Figures, figuresOf, TOKENS } from './columns.ts';
import { type CountedSession, countedSessions } from './native-counters.ts';
import { firstSessions, hullOf, type Place } from './page-sessions.ts';
import { type CodingInput, cursorAt, pageOf, placeOf, sessionsStatement } from './statement.ts';

const ORDER: Record<CodingSessionSort, string> = {
  '-start': 'Started DESC',
  start: 'Started',
  '-duration': 'Ended - Started DESC',
  '-cost': 'Cost DESC',
  '-tokens': `${TOKENS} DESC`,
  '-tools': 'Tools DESC',
};

/** A session as telemetry tells of it: what it is called and what scanners found are told elsewhere. */
export type CodingSessionFacts = Omit<CodingSession, 'classification' | 'openFindings'>;

export type SessionRow = Figures & {
  readonly Agent: string;
  readonly Session: string;
  readonly UserId: string;
  readonly StartedNs: string;
  readonly EndedNs: string;
  readonly IsEnded: boolean | number;
  readonly Hooks: number | string;
  readonly Outcome: string;
  readonly Repository: string;
  readonly Branch: string;
  readonly Folder: string;
  readonly Model: string;
  readonly Mode: string;
  readonly Subagents: number | string;
  readonly Trace: string;
};

/** Times of a session as texts, which hold every nanosecond. */
export const SESSION_TIMES =
  'toString(toUnixTimestamp64Nano(Started)) AS StartedNs, toString(toUnixTimestamp64Nano(Ended)) AS EndedNs';

/** Sessions of coding agents in the window, without those of users below the floor. @throws bad_query */
export async function searchSessions(
  runner: Runner,
  context: RequestContext,
  input: CodingInput<CodingSessionSort>,
  nowMs: number,
): Promise<Page<CodingSessionFacts>> {
  const place = placeOf('coding sessions', context, input, input.sort);
  const { window, offset } = place;
  const counted = await countedSessions(runner, context, window);
  for (let [begin, round] = [offset, 0]; ; begin += input.limit, round += 1) {
    const end = begin + input.limit;
    const first = await firstSessions(runner, context, { ...input, window, counted, count: end + 1 });
    if (first === undefined) break;
    const rows = await sessionsOf(runner, context, input, { window, counted, page: first.slice(begin, end) });
    const more = first.length > end;
    // Where none of them turned out to be one, the next ones are the page.
    if (rows.length === 0 && more && round < MOST_EMPTY) continue;
    return { data: rows.map((row) => sessionOf(row, nowMs)), nextCursor: more ? cursorAt(place, end) : null };
  }
  const [scope, sessions] = sessionsStatement(context, input, { window, counted });
  const rows = await runner.run<SessionRow>(
    scope,
    `SELECT *, ${SESSION_TIMES} FROM (${sessions}) WHERE NOT IsHidden
     ORDER BY ${ORDER[input.sort]}, Agent, Session LIMIT ${input.limit + 1} OFFSET ${offset}`,
  );
  return pageOf(rows, place, input.limit, (row) => sessionOf(row, nowMs));
}

const MOST_EMPTY = 8;
/**
 * So many windows help the index where the sessions lie far apart; each takes the engine about a millisecond to plan, so those that lie
 * together are looked for between the first and the last.
 */
const MOST_WINDOWS = 100;
const CLOSE = 24n * 3_600_000_000_000n;

/** The figures of the sessions of a page, from their spans alone. */
async function sessionsOf(
  runner: Runner,
  context: RequestContext,
  input: CodingInput<CodingSessionSort>,
  { window, counted, page }: { window: Window; counted: readonly CountedSession[]; page: readonly Place[] },
): Promise<SessionRow[]> {
  const near = hullOf(page);
  if (near === undefined) return [];
  const within = {
    from: near.from > window.from ? near.from : window.from,
    to: near.to < window.to ? near.to : window.to,
  };
  const only = {
    sessions: page.map(({ session }) => session),
    windows: page.length > MOST_WINDOWS || within.to - within.from < CLOSE ? [] : page,
  };
  const [scope, sessions] = sessionsStatement(context, input, { window: within, counted, only });
  const rows = await runner.run<SessionRow>(
    scope,
    `SELECT *, ${SESSION_TIMES} FROM (${sessions}) ORDER BY ${ORDER[input.sort]}, Agent, Session`,
  );
  const visible = await runner.visible(context);
  return rows.filter(({ UserId }) => visible === undefined || visible.users.includes(UserId));
}

/** A session as answers write it. */
export function sessionOf(row: SessionRow, nowMs: number): CodingSessionFacts {
  const [started, ended] = [BigInt(row.StartedNs), BigInt(row.EndedNs)];
  return {
    sessionId: row.Session,
    agent: row.Agent,
    user: orNull(row.UserId),
    startedAt: iso(started),
    endedAt: iso(ended),
    state: stateOf(Boolean(row.IsEnded), nowMs - Number(ended / 1_000_000n)),
    durationMs: Number((ended - started) / 1_000_000n),
    ...figuresOf(row),
    subagents: Number(row.Subagents),
    repository: orNull(row.Repository),
    branch: orNull(row.Branch),
    workingFolder: orNull(row.Folder),
    model: orNull(row.Model),
    captureMode: orNull(row.Mode),
    outcome: orNull(row.Outcome),
    traceId: row.Trace,
  };
}

const RUNNING_MS = 15 * 60_000;
const LOST_MS = 6 * 3_600_000;

function stateOf(isEnded: boolean, sinceMs: number): CodingSession['state'] {
  if (isEnded) return 'ended';
  return sinceMs < RUNNING_MS ? 'running' : sinceMs < LOST_MS ? 'idle' : 'lost';
}
