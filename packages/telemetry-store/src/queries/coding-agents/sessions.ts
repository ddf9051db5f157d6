import type { CodingSession, CodingSessionSort } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Page } from '../core/page.ts';
import type { Runner } from '../core/run.ts';
import { iso, orNull } from '../spans/span-row.ts';
import { type Figures, figuresOf, TOKENS } from './columns.ts';
import { type CodingInput, pageOf, placeOf, sessionsStatement } from './statement.ts';

const ORDER: Record<CodingSessionSort, string> = {
  '-start': 'Started DESC',
  start: 'Started',
  '-duration': 'Ended - Started DESC',
  '-cost': 'Cost DESC',
  '-tokens': `${TOKENS} DESC`,
  '-tools': 'Tools DESC',
};

/** A session as telemetry tells of it: what it is called is for people to say. */
export type CodingSessionFacts = Omit<CodingSession, 'classification'>;

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
  const [scope, sessions] = sessionsStatement(context, input, place.window);
  const rows = await runner.run<SessionRow>(
    scope,
    `SELECT *, ${SESSION_TIMES} FROM (${sessions}) WHERE NOT IsHidden
     ORDER BY ${ORDER[input.sort]}, Agent, Session LIMIT ${input.limit + 1} OFFSET ${place.offset}`,
  );
  return pageOf(rows, place, input.limit, (row) => sessionOf(row, nowMs));
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
