import { CandelaError, type RequestContext } from '@candela/kernel';
import { userOfAttributes } from '../core/floor.ts';
import type { Params } from '../core/params.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { metricPoints } from '../metrics/metric-fields.ts';
import { DELTA } from '../metrics/variant.ts';

/** What a counter of an agent adds to of its session; negative factors take out what another counter includes. */
interface Rule {
  readonly metric: string;
  /** Conditions on attributes of the point. */
  readonly when?: string;
  readonly adds: readonly (readonly [counter: string, factor: number])[];
}

const label = (key: string) => `Attributes['${key}']`;
const of = (key: string, ...values: readonly string[]) =>
  `${label(key)} IN (${values.map((value) => `'${value}'`).join(', ')})`;
const one = (counter: string) => [[counter, 1]] as const;

const CLAUDE = (name: string, counter: string, when?: string): Rule => ({
  metric: `claude_code.${name}`,
  ...(when === undefined ? {} : { when }),
  adds: one(counter),
});
const DECISIONS = 'code_edit_tool.decision';
/** Of the settings or of a hook: nobody was asked. */
const BY_RULE = of('source', 'config', 'hook');
const SIDE = `NOT (${of('query_source', '', 'main', 'repl_main_thread', 'sdk')})`;
const SUBAGENT = `(startsWith(${label('query_source')}, 'subagent') OR startsWith(${label('query_source')}, 'agent'))`;

/**
 * The counters that agents send by themselves. Codex has none that names a session. Copilot CLI, Cursor, Windsurf and OpenCode have no
 * counters of these kinds.
 */
const RULES: readonly Rule[] = [
  { metric: 'claude_code.session.count', adds: [] },
  CLAUDE('lines_of_code.count', 'added', of('type', 'added')),
  CLAUDE('lines_of_code.count', 'removed', of('type', 'removed')),
  CLAUDE('commit.count', 'commits'),
  CLAUDE('pull_request.count', 'pullRequests'),
  CLAUDE(DECISIONS, 'rejects', of('decision', 'reject')),
  CLAUDE(DECISIONS, 'autoAccepts', `${of('decision', 'accept')} AND ${BY_RULE}`),
  CLAUDE(DECISIONS, 'accepts', `${of('decision', 'accept')} AND NOT (${BY_RULE})`),
  CLAUDE('token.usage', 'input', of('type', 'input')),
  CLAUDE('token.usage', 'output', of('type', 'output')),
  CLAUDE('token.usage', 'cacheRead', of('type', 'cacheRead')),
  CLAUDE('token.usage', 'cacheWrite', of('type', 'cacheCreation')),
  CLAUDE('cost.usage', 'costSub', SUBAGENT),
  CLAUDE('cost.usage', 'costSide', `${SIDE} AND NOT ${SUBAGENT}`),
  CLAUDE('cost.usage', 'costMain', `NOT (${SIDE})`),
  { metric: 'gemini_cli.session.count', adds: [] },
  {
    metric: 'gemini_cli.tool.call.count',
    when: of('success', 'false'),
    adds: [
      ['tools', 1],
      ['failedTools', 1],
    ],
  },
  {
    metric: 'gemini_cli.tool.call.count',
    when: `NOT (${of('success', 'false')})`,
    adds: one('tools'),
  },
  { metric: 'gemini_cli.lines.changed', when: of('type', 'added'), adds: one('added') },
  { metric: 'gemini_cli.lines.changed', when: of('type', 'removed'), adds: one('removed') },
  // Its input holds what came from the cache; thoughts stand beside its output.
  { metric: 'gemini_cli.token.usage', when: of('type', 'input', 'tool'), adds: one('input') },
  {
    metric: 'gemini_cli.token.usage',
    when: of('type', 'cache'),
    adds: [
      ['cacheRead', 1],
      ['input', -1],
    ],
  },
  { metric: 'gemini_cli.token.usage', when: of('type', 'output'), adds: one('output') },
  {
    metric: 'gemini_cli.token.usage',
    when: of('type', 'thought'),
    adds: [
      ['output', 1],
      ['reasoning', 1],
    ],
  },
];

/** A session as its agent's own counters tell of it in a window. Times are nanoseconds. */
export interface CountedSession {
  readonly agent: string;
  readonly session: string;
  readonly user: string;
  readonly model: string;
  readonly fromNs: string;
  readonly toNs: string;
  readonly names: readonly string[];
  readonly values: readonly number[];
}

/** So many sessions are known by counters, the latest: they go along with each statement. */
const MOST_SESSIONS = 500;
const SESSION = `coalesce(nullIf(${label('session.id')}, ''), nullIf(${label('conversation.id')}, ''), ResourceAttributes['session.id'])`;
const AGENT = "if(startsWith(MetricName, 'claude_code.'), 'claude-code', 'gemini-cli')";
const NAMES = [...new Set(RULES.map(({ metric }) => `'${metric}'`))].join(', ');
/** It only says that the session is there: sums of nothing are left out by the engine. */
const THERE = "('sessions', toFloat64(1))";
const ADDS = `multiIf(${RULES.map(({ metric, when, adds }) => {
  const list = adds.map(([counter, factor]) => `('${counter}', toFloat64(${factor}))`).join(', ');
  return `MetricName = '${metric}'${when === undefined ? '' : ` AND ${when}`}, [${list === '' ? THERE : list}]`;
}).join(', ')}, [${THERE}])`;

/**
 * Sessions of the window of which counters of the agents themselves tell: all of a tenant, or one. A counter that goes on is worth its
 * highest value of each of its starts, one of changes their sum; a point that was sent twice counts once.
 */
export async function countedSessions(
  runner: Runner,
  context: RequestContext,
  window: Window,
  session?: string,
): Promise<readonly CountedSession[]> {
  const all = Scope.masking(context, metricPoints('sum')).during(window).and(`MetricName IN (${NAMES})`);
  const known = all.and(`${SESSION} != ''`);
  const scope =
    session === undefined ? known : known.and(`${SESSION} = ${known.params.bind(session, 'String')}`);
  const points = `SELECT SeriesId, StartTimeUnix, TimeUnix, MetricName, Attributes, ResourceAttributes, AggregationTemporality, Value
    ${scope.from} ORDER BY Value DESC LIMIT 1 BY SeriesId, StartTimeUnix, TimeUnix`;
  const runs = `SELECT any(${AGENT}) AS agent, any(${SESSION}) AS session, any(${userOfAttributes('Attributes')}) AS user,
      any(${label('model')}) AS model, any(${ADDS}) AS adds, min(TimeUnix) AS begin, max(TimeUnix) AS end,
      if(any(AggregationTemporality) = ${DELTA}, sum(Value), max(Value)) AS amount
    FROM (${points}) GROUP BY SeriesId, StartTimeUnix`;
  try {
    // Most installations have none, which is known in a moment.
    if ((await runner.run(all, `SELECT 1 ${all.from} LIMIT 1`)).length === 0) return [];
    return await runner.run<CountedSession>(
      scope,
      `SELECT agent, session, argMaxIf(user, end, user != '') AS user, argMaxIf(model, end, model != '') AS model,
         toString(toUnixTimestamp64Nano(min(begin))) AS fromNs, toString(toUnixTimestamp64Nano(max(end))) AS toNs,
         (sumMap([add.1], [amount * add.2]) AS sums).1 AS names, sums.2 AS values
       FROM (${runs}) ARRAY JOIN adds AS add GROUP BY agent, session ORDER BY max(end) DESC, session LIMIT ${MOST_SESSIONS}`,
    );
  } catch (thrown) {
    // Without metrics there are no counters.
    if (thrown instanceof CandelaError && ELSEWHERE.has(thrown.code)) return [];
    throw thrown;
  }
}

const ELSEWHERE: ReadonlySet<string> = new Set([
  'signal_unbound',
  'connector_unavailable',
  'choose_environment',
]);

/** The same as rows among spans: one for each counter. Undefined where there are none. */
export function countersAmongSpans(sessions: readonly CountedSession[], params: Params): string | undefined {
  if (sessions.length === 0) return undefined;
  const told = sessions.map(({ agent, session, user, model, fromNs, toNs, names, values }) => [
    agent,
    session.slice(0, 512),
    user.slice(0, 512),
    model.slice(0, 256),
    fromNs,
    toNs,
    names,
    values.map(Number),
  ]);
  const rows = `SELECT arrayJoin(JSONExtract(${params.bind(JSON.stringify(told), 'String')}, 'Array(Tuple(String, String, String, String, String, String, Array(String), Array(Float64)))')) AS r`;
  return `SELECT '' AS SpanId, '' AS TraceId, 'counter' AS SpanName, r.1 AS SpanAgent, r.2 AS SessionId, r.3 AS SpanUser,
    fromUnixTimestamp64Nano(toInt64(r.5)) AS Timestamp, toUInt64(toInt64(r.6) - toInt64(r.5)) AS Duration, 'Unset' AS StatusCode, 0 AS OfHook,
    r.4 AS GenAiResponseModel, 0 AS CountsUsage, 0 AS InputTokens, 0 AS CacheReadTokens, 0 AS CacheWriteTokens, 0 AS OutputTokens,
    0 AS ReasoningTokens, NULL AS CostUsd, '' AS GenAiOperation, '' AS Source, '' AS Decision, 0 AS Added, 0 AS Removed, '' AS SpanOutcome,
    0 AS Waited, '' AS SpanRepository, '' AS SpanBranch, '' AS SpanFolder, '' AS SpanMode, counter AS Counter, amount AS Amount
    FROM (${rows}) ARRAY JOIN r.7 AS counter, r.8 AS amount`;
}
