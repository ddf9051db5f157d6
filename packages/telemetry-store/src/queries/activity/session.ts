import { MAX_SESSION_TRACES, type ResponseOf, type ROUTES, type SessionTrace } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import { INPUT_TOKENS_SQL, MODEL_SQL, OUTPUT_TOKENS_SQL } from '../core/gen-ai.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { COST_UNITS_SQL } from '../../rollups/rollup.ts';
import { SPANS } from '../spans/span-fields.ts';
import { iso, ms } from '../spans/span-row.ts';
import { toSessionRow, usdOf } from './figures.ts';
import { figuresOfOne } from './list.ts';

export type SessionDetail = ResponseOf<typeof ROUTES.getSession>['data'];

interface RawTurn {
  readonly TraceId: string;
  readonly StartNs: string;
  readonly EndNs: string;
  readonly Name: string;
  readonly SpanCount: number;
  readonly ErrorCount: number;
  readonly Counted: number;
  readonly TokensIn: number;
  readonly TokensOut: number;
  readonly PricedCount: number;
  readonly CostUnits: number;
  readonly Models: string[];
  readonly Agents: string[];
  readonly Users: string[];
  readonly Services: string[];
  readonly Environments: string[];
}

const ROOT = "tuple(ParentSpanId != '', Timestamp, SpanId)";
const TURN_COLUMNS = `TraceId, toString(toUnixTimestamp64Nano(min(Timestamp))) AS StartNs,
  toString(max(toUnixTimestamp64Nano(Timestamp) + toInt64(Duration))) AS EndNs,
  argMin(SpanName, ${ROOT}) AS Name, count() AS SpanCount, countIf(StatusCode = 'Error') AS ErrorCount,
  countIf(CountsUsage IN (1, 2, 6)) AS Counted, sumIf(${INPUT_TOKENS_SQL}, CountsUsage IN (1, 2, 6)) AS TokensIn,
  sumIf(${OUTPUT_TOKENS_SQL}, CountsUsage IN (1, 2, 6)) AS TokensOut,
  countIf(CountsUsage IN (1, 2, 6) AND isNotNull(CostUsd)) AS PricedCount,
  sumIf(${COST_UNITS_SQL}, CountsUsage IN (1, 2, 6)) AS CostUnits,
  arraySort(groupUniqArrayIf(10)(${MODEL_SQL}, ${MODEL_SQL} != '')) AS Models,
  arraySort(groupUniqArrayIf(10)(AgentName, AgentName != '')) AS Agents,
  arraySort(groupUniqArrayIf(10)(UserId, UserId != '')) AS Users,
  groupUniqArray(20)(ServiceName) AS Services, groupUniqArray(20)(Environment) AS Environments`;

/** One session: figures, and its traces in order. @throws not_found, also for a session of another project */
export async function readSession(
  runner: Runner,
  context: RequestContext,
  input: { sessionId: string; window: Window },
): Promise<SessionDetail> {
  const { sessionId, window } = input;
  const figures = await figuresOfOne(runner, context, 'sessions', { window, id: sessionId });
  if (figures === undefined) throw fail('not_found', { what: 'The session' });
  const during = within(window, { from: BigInt(figures.StartNs), to: BigInt(figures.LastNs) + 1n });
  const scope = sessionScope(context, sessionId, during);
  const raws = await runner.run<RawTurn>(
    scope,
    `SELECT ${TURN_COLUMNS} ${scope.from} GROUP BY TraceId
     ORDER BY min(Timestamp), TraceId LIMIT ${MAX_SESSION_TRACES + 1}`,
  );
  const all = (names: (raw: RawTurn) => readonly string[]) => [...new Set(raws.flatMap(names))].sort();
  const { openingNs: _, ...row } = toSessionRow(figures);
  return {
    ...row,
    services: all((raw) => raw.Services),
    environments: all((raw) => raw.Environments),
    turns: toTurns(raws.slice(0, MAX_SESSION_TRACES)),
    truncated: raws.length > MAX_SESSION_TRACES,
  };
}

function toTurns(raws: readonly RawTurn[]): SessionTrace[] {
  let end: bigint | undefined;
  return raws.map((raw) => {
    const start = BigInt(raw.StartNs);
    const last = BigInt(raw.EndNs);
    const gapMs = end === undefined ? null : ms(start - end);
    if (end === undefined || last > end) end = last;
    const counted = raw.Counted > 0;
    return {
      traceId: raw.TraceId,
      name: raw.Name,
      startTime: iso(start),
      durationMs: ms(last - start),
      gapMs,
      spans: raw.SpanCount,
      errors: raw.ErrorCount,
      inputTokens: counted ? raw.TokensIn : null,
      outputTokens: counted ? raw.TokensOut : null,
      costUsd: usdOf(raw.CostUnits, raw.PricedCount),
      models: raw.Models,
      agents: raw.Agents,
      users: raw.Users,
    };
  });
}

/** A trace of a session, as far as its place in it goes. */
export interface TracePlace {
  readonly TraceId: string;
  readonly StartNs: string;
  readonly EndNs: string;
}

/** The traces of a session in order, as many as a session shows. */
export function tracePlaces(
  runner: Runner,
  context: RequestContext,
  input: { sessionId: string; window: Window },
): Promise<TracePlace[]> {
  const scope = sessionScope(context, input.sessionId, input.window);
  return runner.run<TracePlace>(
    scope,
    `SELECT TraceId, toString(toUnixTimestamp64Nano(min(Timestamp))) AS StartNs,
       toString(max(toUnixTimestamp64Nano(Timestamp) + toInt64(Duration))) AS EndNs
     ${scope.from} GROUP BY TraceId ORDER BY min(Timestamp), TraceId LIMIT ${MAX_SESSION_TRACES}`,
  );
}

function sessionScope(context: RequestContext, sessionId: string, during: Window): Scope {
  const scope = Scope.of(context, SPANS).during(during);
  return scope.and(`SessionId = ${scope.params.bind(sessionId, 'String')}`);
}

const within = (window: Window, part: Window): Window => ({
  from: part.from > window.from ? part.from : window.from,
  to: part.to < window.to ? part.to : window.to,
});
