import type { CodingFigures } from '@candela/contract';

const attribute = (key: string) => `SpanAttributes['${key}']`;
const resource = (key: string) => `ResourceAttributes['${key}']`;
const named = (name: string) => `SpanName = 'coding_agent.${name}'`;
const decision = (value: string) => `countIf(Decision = '${value}')`;

/** Spans of coding agents: those of hooks, and those that agents send by themselves. */
export const CODING_SPANS =
  "(startsWith(SpanName, 'coding_agent.') OR GenAiConvention IN ('claude-code', 'codex')) AND SessionId != ''";

/** The name of an agent, whatever its own telemetry calls its service. */
export const AGENT =
  "if(GenAiConvention IN ('claude-code', 'codex'), toString(GenAiConvention), toString(ServiceName))";

const CALLER = `if(${attribute('coding_agent.llm.source')} != '', ${attribute('coding_agent.llm.source')}, ${attribute('query_source')})`;
/** What a call of a model served. */
export const SOURCE = `multiIf(${CALLER} IN ('', 'main', 'repl_main_thread', 'sdk'), 'main', startsWith(${CALLER}, 'subagent') OR startsWith(${CALLER}, 'agent'), 'subagent', 'side')`;

/** What is read of a span; a span that was sent twice has the same id and is read once. */
export const SPAN_COLUMNS = `SpanId, TraceId, SpanName, ${AGENT} AS SpanAgent, SessionId, UserId AS SpanUser, Timestamp, Duration, StatusCode,
  startsWith(SpanName, 'coding_agent.') AS OfHook, GenAiResponseModel, CountsUsage, InputTokens, CacheReadTokens, CacheWriteTokens,
  OutputTokens, ReasoningTokens, CostUsd, GenAiOperation, ${SOURCE} AS Source,
  ${attribute('coding_agent.edit.decision')} AS Decision, toUInt64OrZero(${attribute('coding_agent.edit.lines.added')}) AS Added,
  toUInt64OrZero(${attribute('coding_agent.edit.lines.removed')}) AS Removed, ${attribute('coding_agent.session.outcome')} AS SpanOutcome,
  toUInt64OrZero(${attribute('coding_agent.permission.wait_ms')}) AS Waited,
  ${resource('vcs.repository.url.full')} AS SpanRepository, ${resource('vcs.ref.head.name')} AS SpanBranch,
  ${resource('code.cwd')} AS SpanFolder, ${resource('coding_agent.content_capture_mode')} AS SpanMode, '' AS Counter, toFloat64(0) AS Amount`;

const HOOK_CALL = `${named('llm.turn')} AND CountsUsage = 1`;
const NATIVE_CALL = 'NOT OfHook AND CountsUsage = 1';
/**
 * A figure of the calls of models. A session that both its hooks and the agent itself tell of counts by the agent's own calls: they know
 * those beside the conversation, too. Where some of them were lost on the way, the transcript knows more.
 */
const ofCalls = (figure: (calls: string) => string) =>
  `if(countIf(${NATIVE_CALL}) > 0 AND countIf(${NATIVE_CALL}) >= countIf(${HOOK_CALL}), ${figure(NATIVE_CALL)}, ${figure(HOOK_CALL)})`;
/** What an agent's own counter says. */
const counter = (name: string) => `greatest(sumIf(Amount, Counter = '${name}'), 0)`;
const counted = (name: string) => `toUInt64(round(${counter(name)}))`;
/** The counters are asked where no call is known. */
const HAS_CALLS = `(countIf(${NATIVE_CALL}) + countIf(${HOOK_CALL}) > 0)`;
const sumOfCalls = (column: string, name: string) =>
  `if(${HAS_CALLS}, ${ofCalls((calls) => `sumIf(${column}, ${calls})`)}, ${counted(name)})`;
const cost = (source: string, name: string) =>
  `if(${HAS_CALLS}, ${ofCalls((calls) => `sumIf(ifNull(CostUsd, 0), ${calls} AND Source = '${source}')`)}, ${counter(name)})`;
/** What hooks tell, and of a session without hooks what the counters do. */
const ofHooks = (figure: string, name: string) => `if(countIf(OfHook) > 0, ${figure}, ${counted(name)})`;
const isSpan = "Counter = ''";
/** Of the spans; of a session that has none, of its counters. */
const time = (join: 'min' | 'max', value: string) =>
  `if(countIf(${isSpan}) > 0, ${join}If(${value}, ${isSpan}), ${join}(${value}))`;
const nativeTool = "NOT OfHook AND GenAiOperation = 'execute_tool'";
const latest = (column: string) => `argMaxIf(${column}, Timestamp, ${column} != '')`;

/**
 * What a session did, summed over its spans. The latest of what may change. The best source of each fact: edits, commits and pull
 * requests of hooks, else of the agent's counters; tokens and cost of the agent's own calls, else of transcripts, else of the counters.
 */
export const SESSION_COLUMNS = `SpanAgent AS Agent, SessionId AS Session, argMaxIf(SpanUser, (OfHook, Timestamp), SpanUser != '') AS UserId,
  ${time('min', 'Timestamp')} AS Started, ${time('max', 'Timestamp + toIntervalNanosecond(Duration)')} AS Ended, argMaxIf(TraceId, OfHook, ${isSpan}) AS Trace, countIf(OfHook) AS Hooks,
  maxIf(Timestamp + toIntervalNanosecond(Duration), ${named('session')}) >= maxIf(Timestamp + toIntervalNanosecond(Duration), OfHook) AND Hooks > 0 AS IsEnded,
  ${latest('SpanOutcome')} AS Outcome, ${latest('SpanRepository')} AS Repository, ${latest('SpanBranch')} AS Branch,
  ${latest('SpanFolder')} AS Folder, ${latest('GenAiResponseModel')} AS Model, ${latest('SpanMode')} AS Mode,
  greatest(countIf(${named('turn')}), countIf(SpanName IN ('claude_code.interaction', 'session_task.turn'))) AS Turns,
  greatest(countIf(${named('tool.call')}), countIf(${nativeTool})) AS KnownTools, if(KnownTools > 0, KnownTools, ${counted('tools')}) AS Tools,
  multiIf(countIf(${named('tool.call')}) > 0, countIf(${named('tool.call')} AND StatusCode = 'Error'), KnownTools > 0, countIf(${nativeTool} AND StatusCode = 'Error'), ${counted('failedTools')}) AS Failed,
  countIf(${named('subagent')}) AS Subagents,
  ${sumOfCalls('InputTokens', 'input')} AS Input, ${sumOfCalls('CacheReadTokens', 'cacheRead')} AS CacheRead,
  ${sumOfCalls('CacheWriteTokens', 'cacheWrite')} AS CacheWrite, ${sumOfCalls('OutputTokens', 'output')} AS Output,
  ${sumOfCalls('ReasoningTokens', 'reasoning')} AS Reasoning, ${cost('main', 'costMain')} AS CostMain, ${cost('subagent', 'costSub')} AS CostSub,
  ${cost('side', 'costSide')} AS CostSide, CostMain + CostSub + CostSide AS Cost,
  if(${HAS_CALLS}, ${ofCalls((calls) => `countIf(${calls} AND CostUsd IS NOT NULL)`)}, toUInt64(Cost > 0)) AS Priced, ${ofCalls((calls) => `countIf(${calls} AND CostUsd IS NULL)`)} AS Unpriced,
  ${ofHooks("sumIf(Added, Decision != 'reject')", 'added')} AS LinesAdded, ${ofHooks("sumIf(Removed, Decision != 'reject')", 'removed')} AS LinesRemoved,
  ${ofHooks(decision('accept'), 'accepts')} AS Accepts, ${ofHooks(decision('auto_accepted'), 'autoAccepts')} AS AutoAccepts,
  ${decision('modify')} AS Modifies, ${ofHooks(decision('reject'), 'rejects')} AS Rejects,
  ${ofHooks(`countIf(${named('git.commit')})`, 'commits')} AS Commits, ${ofHooks(`countIf(${named('git.pull_request')})`, 'pullRequests')} AS PullRequests,
  sum(Waited) AS WaitedMs, countIf(${named('session.compact')}) AS Compactions`;

/** Columns of a session that add up over sessions. */
export const SUMMED = [
  'Turns',
  'Tools',
  'Failed',
  'Input',
  'CacheRead',
  'CacheWrite',
  'Output',
  'Reasoning',
  'Cost',
  'CostMain',
  'CostSub',
  'CostSide',
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
  'WaitedMs',
  'Compactions',
] as const;
export type Figures = Readonly<Record<(typeof SUMMED)[number], number | string>>;

/** All tokens of a session. */
export const TOKENS = 'Input + CacheRead + CacheWrite + Output';

/** The figures of a row as answers write them. */
export function figuresOf(row: Figures): CodingFigures {
  const n = (name: (typeof SUMMED)[number]) => Number(row[name]);
  const decided = n('Accepts') + n('AutoAccepts') + n('Rejects');
  const read = n('Input') + n('CacheRead') + n('CacheWrite');
  return {
    turns: n('Turns'),
    toolCalls: n('Tools'),
    failedToolCalls: n('Failed'),
    tokens: {
      input: n('Input'),
      cacheRead: n('CacheRead'),
      cacheWrite: n('CacheWrite'),
      output: n('Output'),
      reasoning: n('Reasoning'),
    },
    costUsd: n('Priced') === 0 ? null : n('Cost'),
    unpricedCalls: n('Unpriced'),
    lines: { added: n('LinesAdded'), removed: n('LinesRemoved') },
    edits: {
      accept: n('Accepts'),
      autoAccepted: n('AutoAccepts'),
      modify: n('Modifies'),
      reject: n('Rejects'),
    },
    acceptance: decided === 0 ? null : (n('Accepts') + n('AutoAccepts')) / decided,
    commits: n('Commits'),
    pullRequests: n('PullRequests'),
    costBySource: { main: n('CostMain'), subagent: n('CostSub'), side: n('CostSide') },
    cacheHitRatio: read === 0 ? null : n('CacheRead') / read,
    waitedMs: n('WaitedMs'),
    compactions: n('Compactions'),
  };
}
