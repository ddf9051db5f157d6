import type { CodingSession, CodingSessionSort, CodingUser, CodingUserSort } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import { damagedCursor, decodeCursor, encodeCursor, listName } from '../core/cursor.ts';
import type { Page } from '../core/page.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { SPANS } from '../spans/span-fields.ts';
import { iso, orNull } from '../spans/span-row.ts';
import { withFloor } from './floor.ts';

export interface CodingInput<Sort> {
  readonly window: Window;
  readonly agent: string | undefined;
  readonly user: string | undefined;
  readonly repository: string | undefined;
  readonly sort: Sort;
  readonly limit: number;
  readonly cursor: string | undefined;
}

const attribute = (key: string) => `SpanAttributes['${key}']`;
const resource = (key: string) => `ResourceAttributes['${key}']`;
const named = (name: string) => `SpanName = 'coding_agent.${name}'`;
const decision = (value: string) => `countIf(Decision = '${value}')`;

/** What is read of a span; a span that was sent twice has the same id and is read once. */
const SPAN_COLUMNS = `SpanId, TraceId, SpanName, ServiceName, SessionId, UserId AS SpanUser, Timestamp, Duration, StatusCode,
  GenAiResponseModel, CountsUsage, InputTokens, CacheReadTokens, CacheWriteTokens, OutputTokens, ReasoningTokens, CostUsd,
  ${attribute('coding_agent.edit.decision')} AS Decision, toUInt64OrZero(${attribute('coding_agent.edit.lines.added')}) AS Added,
  toUInt64OrZero(${attribute('coding_agent.edit.lines.removed')}) AS Removed, ${attribute('coding_agent.session.outcome')} AS SpanOutcome,
  ${resource('vcs.repository.url.full')} AS SpanRepository, ${resource('vcs.ref.head.name')} AS SpanBranch,
  ${resource('code.cwd')} AS SpanFolder, ${resource('coding_agent.content_capture_mode')} AS SpanMode`;

const COUNTED = `${named('llm.turn')} AND CountsUsage = 1`;

/** What a session did, summed over its spans. The latest of what may change. */
const SESSION_COLUMNS = `ServiceName AS Agent, SessionId AS Session, argMaxIf(SpanUser, Timestamp, SpanUser != '') AS UserId,
  min(Timestamp) AS Started, max(Timestamp + toIntervalNanosecond(Duration)) AS Ended, any(TraceId) AS Trace,
  maxIf(Timestamp + toIntervalNanosecond(Duration), ${named('session')}) >= max(Timestamp + toIntervalNanosecond(Duration)) AS IsEnded,
  argMaxIf(SpanOutcome, Timestamp, SpanOutcome != '') AS Outcome, argMaxIf(SpanRepository, Timestamp, SpanRepository != '') AS Repository,
  argMaxIf(SpanBranch, Timestamp, SpanBranch != '') AS Branch, argMaxIf(SpanFolder, Timestamp, SpanFolder != '') AS Folder,
  argMaxIf(GenAiResponseModel, Timestamp, GenAiResponseModel != '') AS Model, argMax(SpanMode, Timestamp) AS Mode,
  countIf(${named('turn')}) AS Turns, countIf(${named('tool.call')}) AS Tools,
  countIf(${named('tool.call')} AND StatusCode = 'Error') AS Failed, countIf(${named('subagent')}) AS Subagents,
  sumIf(InputTokens, ${COUNTED}) AS Input, sumIf(CacheReadTokens, ${COUNTED}) AS CacheRead, sumIf(CacheWriteTokens, ${COUNTED}) AS CacheWrite,
  sumIf(OutputTokens, ${COUNTED}) AS Output, sumIf(ReasoningTokens, ${COUNTED}) AS Reasoning,
  sumIf(ifNull(CostUsd, 0), ${COUNTED}) AS Cost, countIf(${COUNTED} AND CostUsd IS NOT NULL) AS Priced, countIf(${COUNTED} AND CostUsd IS NULL) AS Unpriced,
  sumIf(Added, Decision != 'reject') AS LinesAdded, sumIf(Removed, Decision != 'reject') AS LinesRemoved,
  ${decision('accept')} AS Accepts, ${decision('auto_accepted')} AS AutoAccepts, ${decision('modify')} AS Modifies, ${decision('reject')} AS Rejects,
  countIf(${named('git.commit')}) AS Commits, countIf(${named('git.pull_request')}) AS PullRequests`;

const SUMMED = [
  'Turns',
  'Tools',
  'Failed',
  'Input',
  'CacheRead',
  'CacheWrite',
  'Output',
  'Reasoning',
  'Cost',
  'Priced',
  'Unpriced',
  'LinesAdded',
  'LinesRemoved',
  'Accepts',
  'AutoAccepts',
  'Modifies',
  'Rejects',
  'Commits',
  'PullRequests',
] as const;
type Figures = Readonly<Record<(typeof SUMMED)[number], number | string>>;

const TOKENS = 'Input + CacheRead + CacheWrite + Output';
const SESSION_ORDER: Record<CodingSessionSort, string> = {
  '-start': 'Started DESC',
  start: 'Started',
  '-duration': 'Ended - Started DESC',
  '-cost': 'Cost DESC',
  '-tokens': `${TOKENS} DESC`,
  '-tools': 'Tools DESC',
};
const USER_ORDER: Record<CodingUserSort, string> = {
  '-last': 'Last DESC',
  '-sessions': 'Sessions DESC',
  '-cost': 'Cost DESC',
  '-tokens': `${TOKENS} DESC`,
  '-tools': 'Tools DESC',
};

/** Pages further back are refused: a list of which nobody reads so much is narrowed. */
const MOST_OFFSET = 100_000;
const HOUR = 3_600_000_000_000n;

/** Whole hours: two windows that differ by seconds would tell what one user did between. */
function wholeHours({ from, to }: Window): Window {
  return { from: from - (from % HOUR), to: to + ((HOUR - (to % HOUR)) % HOUR) };
}

/** The statement of sessions of the window, masked by the floor first and chosen then. */
function statement<Sort>(
  context: RequestContext,
  input: CodingInput<Sort>,
  window: Window,
): readonly [Scope, string] {
  const scope = Scope.of(context, SPANS)
    .during(window)
    .and("startsWith(SpanName, 'coding_agent.') AND SessionId != ''");
  const sessions = `SELECT ${SESSION_COLUMNS} FROM (SELECT ${SPAN_COLUMNS} ${scope.from} LIMIT 1 BY TraceId, SpanId) GROUP BY ServiceName, SessionId`;
  const chosen = (
    [
      ['Agent', input.agent],
      ['UserId', input.user],
      ['Repository', input.repository],
    ] as const
  ).flatMap(([column, value]) =>
    value === undefined ? [] : [`${column} = ${scope.params.bind(value, 'String')}`],
  );
  const where = chosen.length === 0 ? '' : ` WHERE ${chosen.join(' AND ')}`;
  return [scope, `SELECT * FROM (${withFloor(sessions, context.principal)})${where}`];
}

interface Place {
  readonly list: string;
  readonly window: Window;
  readonly offset: number;
}

function placeOf<Sort>(name: string, context: RequestContext, input: CodingInput<Sort>): Place {
  const { agent, user, repository, sort } = input;
  const list = listName(name, context, agent ?? null, user ?? null, repository ?? null, sort);
  if (input.cursor === undefined) return { list, window: wholeHours(input.window), offset: 0 };
  const { from, to, after } = decodeCursor(input.cursor, list, 1);
  const offset = Number(after[0]);
  if (!Number.isSafeInteger(offset) || offset < 0) throw damagedCursor();
  if (offset > MOST_OFFSET)
    throw fail('bad_query', { detail: 'The list is too long to be read so far. Narrow the window.' });
  return { list, window: { from, to }, offset };
}

function pageOf<Row, Item>(
  rows: readonly Row[],
  { list, window, offset }: Place,
  limit: number,
  item: (row: Row) => Item,
): Page<Item> {
  const more = rows.length > limit;
  return {
    data: rows.slice(0, limit).map((row) => item(row)),
    nextCursor: more ? encodeCursor({ list, ...window, after: [String(offset + limit)] }) : null,
  };
}

type SessionRow = Figures & {
  readonly Agent: string;
  readonly Session: string;
  readonly UserId: string;
  readonly StartedNs: string;
  readonly EndedNs: string;
  readonly IsEnded: boolean | number;
  readonly Outcome: string;
  readonly Repository: string;
  readonly Branch: string;
  readonly Folder: string;
  readonly Model: string;
  readonly Mode: string;
  readonly Subagents: number | string;
  readonly Trace: string;
};

/** Sessions of coding agents in the window. @throws bad_query */
export async function searchSessions(
  runner: Runner,
  context: RequestContext,
  input: CodingInput<CodingSessionSort>,
  nowMs: number,
): Promise<Page<CodingSession>> {
  const place = placeOf('coding sessions', context, input);
  const [scope, sessions] = statement(context, input, place.window);
  const rows = await runner.run<SessionRow>(
    scope,
    `SELECT *, toString(toUnixTimestamp64Nano(Started)) AS StartedNs, toString(toUnixTimestamp64Nano(Ended)) AS EndedNs FROM (${sessions})
     ORDER BY ${SESSION_ORDER[input.sort]}, Agent, Session LIMIT ${input.limit + 1} OFFSET ${place.offset}`,
  );
  return pageOf(rows, place, input.limit, (row) => {
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
  });
}

const RUNNING_MS = 15 * 60_000;
const LOST_MS = 6 * 3_600_000;

function stateOf(isEnded: boolean, sinceMs: number): CodingSession['state'] {
  if (isEnded) return 'ended';
  return sinceMs < RUNNING_MS ? 'running' : sinceMs < LOST_MS ? 'idle' : 'lost';
}

type UserRow = Figures & {
  readonly UserId: string;
  readonly Hidden: boolean | number;
  readonly People: number | string;
  readonly Sessions: number | string;
  readonly LastNs: string;
  readonly TopAgent: string;
};

/** Users of coding agents in the window. Those below the floor are one row, and none where it would be a single person. @throws bad_query */
export async function searchUsers(
  runner: Runner,
  context: RequestContext,
  input: CodingInput<CodingUserSort>,
): Promise<Page<CodingUser>> {
  const place = placeOf('coding users', context, input);
  const [scope, sessions] = statement(context, input, place.window);
  const sums = SUMMED.map((name) => `sum(S.${name}) AS ${name}`).join(', ');
  const rows = await runner.run<UserRow>(
    scope,
    `SELECT UserId, IsHidden AS Hidden, uniqExact(Person) AS People, count() AS Sessions, max(Ended) AS Last,
       toString(toUnixTimestamp64Nano(max(Ended))) AS LastNs, topK(1)(Agent)[1] AS TopAgent, ${sums}
     FROM (${sessions}) AS S WHERE UserId != '' OR IsHidden GROUP BY UserId, IsHidden HAVING NOT IsHidden OR People >= 2
     ORDER BY ${USER_ORDER[input.sort]}, UserId LIMIT ${input.limit + 1} OFFSET ${place.offset}`,
  );
  return pageOf(rows, place, input.limit, (row) => ({
    user: row.Hidden ? null : row.UserId,
    users: Number(row.People),
    sessions: Number(row.Sessions),
    lastSeen: iso(BigInt(row.LastNs)),
    topAgent: row.TopAgent,
    ...figuresOf(row),
  }));
}

function figuresOf(row: Figures) {
  const [accept, autoAccepted, modify, reject] = [
    row.Accepts,
    row.AutoAccepts,
    row.Modifies,
    row.Rejects,
  ].map(Number) as [number, number, number, number];
  const decided = accept + autoAccepted + reject;
  return {
    turns: Number(row.Turns),
    toolCalls: Number(row.Tools),
    failedToolCalls: Number(row.Failed),
    tokens: {
      input: Number(row.Input),
      cacheRead: Number(row.CacheRead),
      cacheWrite: Number(row.CacheWrite),
      output: Number(row.Output),
      reasoning: Number(row.Reasoning),
    },
    costUsd: Number(row.Priced) === 0 ? null : Number(row.Cost),
    unpricedCalls: Number(row.Unpriced),
    lines: { added: Number(row.LinesAdded), removed: Number(row.LinesRemoved) },
    edits: { accept, autoAccepted, modify, reject },
    acceptance: decided === 0 ? null : (accept + autoAccepted) / decided,
    commits: Number(row.Commits),
    pullRequests: Number(row.PullRequests),
  };
}
