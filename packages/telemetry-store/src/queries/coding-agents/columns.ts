import type { CodingFigures } from '@candela/contract';

const attribute = (key: string) => `SpanAttributes['${key}']`;
const resource = (key: string) => `ResourceAttributes['${key}']`;
const named = (name: string) => `SpanName = 'coding_agent.${name}'`;
const decision = (value: string) => `countIf(Decision = '${value}')`;

const NATIVE = "('claude-code', 'codex', 'copilot-cli', 'gemini-cli')";
/** Spans of coding agents: those of hooks, and those that agents send by themselves. */
export const CODING_SPANS = `(startsWith(SpanName, 'coding_agent.') OR GenAiConvention IN ${NATIVE}) AND SessionId != ''`;

/** The name of an agent, whatever its own telemetry calls its service. */
export const AGENT = `if(GenAiConvention IN ${NATIVE}, toString(GenAiConvention), toString(ServiceName))`;

const INITIATOR = attribute('github.copilot.initiator');
const CALLER = `multiIf(${attribute('coding_agent.llm.source')} != '', ${attribute('coding_agent.llm.source')}, ${INITIATOR} != '', if(${INITIATOR} = 'sub-agent', 'subagent', 'main'), ${attribute('query_source')})`;
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
/** Sums of the calls of models that fulfil a condition. Each expression of a statement costs the engine time to plan: they are arrays. */
const CALL_COUNTS =
  '[toUInt64(InputTokens), toUInt64(CacheReadTokens), toUInt64(CacheWriteTokens), toUInt64(OutputTokens), toUInt64(ReasoningTokens), toUInt64(CostUsd IS NOT NULL), toUInt64(CostUsd IS NULL)]';
const CALL_COSTS = `arrayMap(of -> if(Source = of, ifNull(CostUsd, 0), 0), ['main', 'subagent', 'side'])`;
const COUNTS = ['Input', 'CacheRead', 'CacheWrite', 'Output', 'Reasoning', 'Priced', 'Unpriced'] as const;
const COSTS = ['CostMain', 'CostSub', 'CostSide'] as const;
/**
 * Figures of the calls of models. A session that both its hooks and the agent itself tell of counts by the agent's own calls: they know
 * those beside the conversation, too. Where some of them were lost on the way, the transcript knows more.
 */
const CALLS = `countIf(${NATIVE_CALL}) AS NativeCalls, countIf(${HOOK_CALL}) AS HookCalls, NativeCalls > 0 AND NativeCalls >= HookCalls AS ByNative,
  if(ByNative, sumForEachIf(${CALL_COUNTS}, ${NATIVE_CALL}), sumForEachIf(${CALL_COUNTS}, ${HOOK_CALL})) AS CallCounts,
  if(ByNative, sumForEachIf(${CALL_COSTS}, ${NATIVE_CALL}), sumForEachIf(${CALL_COSTS}, ${HOOK_CALL})) AS CallCosts`;
const nativeTool = "NOT OfHook AND GenAiOperation = 'execute_tool'";
const latest = (column: string) => `argMaxIf(${column}, Timestamp, ${column} != '')`;
const isSpan = "Counter = ''";

/**
 * What a session did, summed over its spans. The latest of what may change. The best source of each fact: edits, commits and pull
 * requests of hooks, else of the agent's counters; tokens and cost of the agent's own calls, else of transcripts, else of the counters.
 * @param withCounters whether counters are among the rows
 */
export function sessionColumns(withCounters: boolean): string {
  const counter = (name: string) => `greatest(sumIf(Amount, Counter = '${name}'), 0)`;
  const whole = (name: string) => `toUInt64(round(${counter(name)}))`;
  /** What is known otherwise; without that, what a counter says. */
  const orCounter = (isKnown: string, known: string, counted: string) =>
    withCounters ? `if(${isKnown}, ${known}, ${counted})` : known;
  const ofCalls = (known: string, counted: string) =>
    orCounter('NativeCalls + HookCalls > 0', known, counted);
  const ofHooks = (known: string, name: string) => orCounter('Hooks > 0', known, whole(name));
  const time = (join: 'min' | 'max', value: string) =>
    withCounters
      ? `if(countIf(${isSpan}) > 0, ${join}If(${value}, ${isSpan}), ${join}(${value}))`
      : `${join}(${value})`;
  const counts = COUNTS.map((name, at) => {
    const known = `CallCounts[${at + 1}]`;
    if (name === 'Unpriced') return `${known} AS Unpriced`;
    if (name === 'Priced') return `${ofCalls(known, 'toUInt64(Cost > 0)')} AS Priced`;
    return `${ofCalls(known, whole(name[0]?.toLowerCase() + name.slice(1)))} AS ${name}`;
  });
  const costs = COSTS.map(
    (name, at) =>
      `${ofCalls(`CallCosts[${at + 1}]`, counter(name[0]?.toLowerCase() + name.slice(1)))} AS ${name}`,
  );
  const end = 'Timestamp + toIntervalNanosecond(Duration)';
  return `SpanAgent AS Agent, SessionId AS Session, argMaxIf(SpanUser, (OfHook, Timestamp), SpanUser != '') AS UserId,
  ${time('min', 'Timestamp')} AS Started, ${time('max', end)} AS Ended, argMaxIf(TraceId, OfHook, ${isSpan}) AS Trace, countIf(OfHook) AS Hooks,
  maxIf(${end}, ${named('session')}) >= maxIf(${end}, OfHook) AND Hooks > 0 AS IsEnded,
  ${latest('SpanOutcome')} AS Outcome, ${latest('SpanRepository')} AS Repository, ${latest('SpanBranch')} AS Branch,
  ${latest('SpanFolder')} AS Folder, ${latest('GenAiResponseModel')} AS Model, ${latest('SpanMode')} AS Mode,
  greatest(countIf(${named('turn')}), countIf(SpanName IN ('claude_code.interaction', 'session_task.turn', 'invoke_agent'))) AS Turns,
  countIf(${named('tool.call')}) AS HookTools, greatest(HookTools, countIf(${nativeTool})) AS KnownTools,
  ${orCounter('KnownTools > 0', 'KnownTools', whole('tools'))} AS Tools,
  ${orCounter('KnownTools > 0', `if(HookTools > 0, countIf(${named('tool.call')} AND StatusCode = 'Error'), countIf(${nativeTool} AND StatusCode = 'Error'))`, whole('failedTools'))} AS Failed,
  greatest(countIf(${named('subagent')}), countIf(startsWith(SpanName, 'invoke_agent '))) AS Subagents, ${CALLS}, ${costs.join(', ')}, CostMain + CostSub + CostSide AS Cost, ${counts.join(', ')},
  ${ofHooks("sumIf(Added, Decision != 'reject')", 'added')} AS LinesAdded, ${ofHooks("sumIf(Removed, Decision != 'reject')", 'removed')} AS LinesRemoved,
  ${ofHooks(decision('accept'), 'accepts')} AS Accepts, ${ofHooks(decision('auto_accepted'), 'autoAccepts')} AS AutoAccepts,
  ${decision('modify')} AS Modifies, ${ofHooks(decision('reject'), 'rejects')} AS Rejects,
  ${ofHooks(`countIf(${named('git.commit')})`, 'commits')} AS Commits, ${ofHooks(`countIf(${named('git.pull_request')})`, 'pullRequests')} AS PullRequests,
  sum(Waited) AS WaitedMs, countIf(${named('session.compact')}) AS Compactions`;
}

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
