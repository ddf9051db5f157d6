import type { CodingEvent } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { SPANS } from '../spans/span-fields.ts';
import { iso, orNull } from '../spans/span-row.ts';
import { AGENT, CODING_SPANS, SOURCE } from './columns.ts';
import { type CodingSessionFacts, SESSION_TIMES, sessionOf, type SessionRow } from './sessions.ts';
import { pageOf, placeOf, sessionsStatement } from './statement.ts';
import { countedSessions } from './native-counters.ts';
import { placesOf } from './page-sessions.ts';

export interface CodingSessionInput {
  readonly sessionId: string;
  readonly agent: string | undefined;
  readonly window: Window;
  readonly limit: number;
  readonly cursor: string | undefined;
}

export interface CodingSessionPage {
  readonly data: CodingSessionFacts;
  readonly events: CodingEvent[];
  readonly nextCursor: string | null;
}

/** Kinds of events by the name of their span, and their order where they begin at the same time. */
const KINDS: ReadonlyMap<string, CodingEvent['kind']> = new Map([
  ['coding_agent.turn', 'turn'],
  ['claude_code.interaction', 'turn'],
  ['session_task.turn', 'turn'],
  ['invoke_agent', 'turn'],
  ['coding_agent.llm.turn', 'model'],
  ['claude_code.llm_request', 'model'],
  ['handle_responses', 'model'],
  ['chat', 'model'],
  ['llm_call', 'model'],
  ['coding_agent.subagent', 'subagent'],
  ['invoke_agent of', 'subagent'],
  ['coding_agent.tool.call', 'tool'],
  ['claude_code.tool', 'tool'],
  ['execute_tool', 'tool'],
  ['tool_call', 'tool'],
  ['coding_agent.edit.decision', 'edit'],
  ['coding_agent.git.commit', 'commit'],
  ['coding_agent.git.pull_request', 'pull_request'],
  ['coding_agent.session.compact', 'compaction'],
  ['coding_agent.session.permission_mode.changed', 'mode'],
  ['coding_agent.session', 'end'],
]);
/** The name of a span without what follows in it: the model, the tool or the sub-agent. */
const NAMED = `multiIf(startsWith(SpanName, 'chat '), 'chat', startsWith(SpanName, 'execute_tool '), 'execute_tool', startsWith(SpanName, 'invoke_agent '), 'invoke_agent of', SpanName)`;
const MOST_TEXT = 4_000;

const either = (...keys: string[]) =>
  keys
    .map((key) => `nullIf(ContentAttributes['${key}'], ''), nullIf(SpanAttributes['${key}'], '')`)
    .join(', ');
const text = (as: string, ...keys: string[]) => `coalesce(${either(...keys)}, '') AS ${as}`;
const EVENT_COLUMNS = `SpanId, ParentSpanId, TraceId, ${NAMED} AS NamedSpan, toString(toUnixTimestamp64Nano(Timestamp)) AS Ns, Duration, StatusCode, StatusMessage,
  ToolName, GenAiResponseModel, AgentName, CountsUsage, InputTokens, CacheReadTokens, CacheWriteTokens, OutputTokens, ReasoningTokens, CostUsd,
  ${SOURCE} AS Source, ${text('In', 'gen_ai.input.messages', 'gen_ai.tool.call.arguments', 'user_prompt', 'coding_agent.git.commit.message')},
  ${text('Out', 'gen_ai.output.messages', 'gen_ai.tool.call.result')}, ${text('Diff', 'coding_agent.edit.diff')},
  ${text('Path', 'code.file.path')}, ${text('Command', 'coding_agent.tool.command')}, ${text('Decision', 'coding_agent.edit.decision')},
  ${text('Named', 'coding_agent.git.commit.sha', 'coding_agent.git.pull_request.url', 'coding_agent.session.permission_mode.to', 'coding_agent.compaction.trigger', 'coding_agent.session.end.reason', 'coding_agent.hook.event')},
  SpanAttributes['coding_agent.edit.lines.added'] AS Added, SpanAttributes['coding_agent.edit.lines.removed'] AS Removed,
  SpanAttributes['coding_agent.permission.wait_ms'] AS Waited`;

interface EventRow {
  readonly SpanId: string;
  readonly ParentSpanId: string;
  readonly TraceId: string;
  readonly NamedSpan: string;
  readonly Ns: string;
  readonly Duration: number | string;
  readonly StatusCode: string;
  readonly StatusMessage: string;
  readonly ToolName: string;
  readonly GenAiResponseModel: string;
  readonly AgentName: string;
  readonly CountsUsage: number;
  readonly InputTokens: number;
  readonly CacheReadTokens: number;
  readonly CacheWriteTokens: number;
  readonly OutputTokens: number;
  readonly ReasoningTokens: number;
  readonly CostUsd: number | null;
  readonly Source: string;
  readonly In: string;
  readonly Out: string;
  readonly Diff: string;
  readonly Path: string;
  readonly Command: string;
  readonly Decision: string;
  readonly Named: string;
  readonly Added: string;
  readonly Removed: string;
  readonly Waited: string;
}

/** A session with what it did in sum, and a page of its events. @throws bad_query, not_found */
export async function getSession(
  runner: Runner,
  context: RequestContext,
  input: CodingSessionInput,
  nowMs: number,
): Promise<CodingSessionPage> {
  const { sessionId, agent, limit } = input;
  const selection = { agent, user: undefined, repository: undefined };
  const place = placeOf('coding events', context, { ...input, ...selection }, sessionId);
  const [counted, [known]] = await Promise.all([
    countedSessions(runner, context, place.window, sessionId),
    placesOf(runner, context, place.window, [sessionId]),
  ]);
  // Where its spans lie is known before they are looked for among those of a month.
  const window = known ?? place.window;
  const only = { sessions: [sessionId], windows: [] };
  const [scope, sessions] = sessionsStatement(context, selection, { window, counted, only });
  const [row] = await runner.run<SessionRow>(
    scope,
    `SELECT *, ${SESSION_TIMES} FROM (${sessions}) ORDER BY Started DESC LIMIT 1`,
  );
  const visible = await runner.visible(context);
  // Of a user below the floor it is not known either.
  if (row === undefined || visible?.users.includes(row.UserId) === false)
    throw fail('not_found', {
      detail: 'No coding agent has a session of this id in the time range. Ask with an earlier "from".',
    });
  const data = sessionOf(row, nowMs);
  const spans = Scope.masking(context, SPANS).during(window).and(CODING_SPANS);
  const bound = (value: string) => spans.params.bind(value, 'String');
  const names = [...KINDS.keys()].map((name) => bound(name)).join(', ');
  // Where hooks tell of a session, the agent's own spans tell the same again.
  const ofHooks =
    Number(row.Hooks) > 0 ? " AND startsWith(SpanName, 'coding_agent.')" : ` AND ${NAMED} IN (${names})`;
  const rows = await runner.run<EventRow>(
    spans,
    `SELECT ${EVENT_COLUMNS} ${spans.and(`SessionId = ${bound(sessionId)} AND ${AGENT} = ${bound(row.Agent)}${ofHooks}`).from}
     ORDER BY Timestamp, indexOf([${names}], ${NAMED}), SpanId LIMIT 1 BY TraceId, SpanId LIMIT ${limit + 1} OFFSET ${place.offset}`,
  );
  const { data: events, nextCursor } = pageOf(rows, place, limit, eventOf);
  return { data, events, nextCursor };
}

function eventOf(row: EventRow): CodingEvent {
  const kind = KINDS.get(row.NamedSpan) ?? 'other';
  const names: Partial<Record<CodingEvent['kind'], string>> = {
    tool: row.ToolName,
    model: row.GenAiResponseModel,
    subagent: row.AgentName,
  };
  const isCall = kind === 'model';
  return {
    id: row.SpanId,
    parentId: orNull(row.ParentSpanId),
    traceId: row.TraceId,
    kind,
    at: iso(BigInt(row.Ns)),
    durationMs: Number(row.Duration) / 1e6,
    failed: row.StatusCode === 'Error',
    error: orNull(row.StatusMessage),
    name: orNull(names[kind] ?? row.Named),
    path: orNull(row.Path),
    command: orNull(row.Command),
    input: orNull(wordsOf(row.In)),
    output: orNull(wordsOf(row.Out)),
    diff: orNull(row.Diff),
    decision: orNull(row.Decision),
    lines: kind === 'edit' ? { added: Number(row.Added), removed: Number(row.Removed) } : null,
    tokens: isCall
      ? {
          input: row.InputTokens,
          cacheRead: row.CacheReadTokens,
          cacheWrite: row.CacheWriteTokens,
          output: row.OutputTokens,
          reasoning: row.ReasoningTokens,
        }
      : null,
    costUsd: isCall ? row.CostUsd : null,
    source: isCall ? row.Source : null,
    waitedMs: row.Waited === '' ? null : Number(row.Waited),
  };
}

/** The text of messages in the form of the conventions; anything else as it is. */
function wordsOf(stored: string): string {
  let found = stored;
  if (stored.startsWith('[{"role"')) {
    try {
      const messages = JSON.parse(stored) as { parts?: { type?: string; content?: unknown }[] }[];
      found = messages
        .flatMap(({ parts }) => (Array.isArray(parts) ? parts : []))
        .flatMap(({ type, content }) => (type === 'text' && typeof content === 'string' ? [content] : []))
        .join('\n\n');
    } catch {
      // Cut by the sender: it is shown as it is.
    }
  }
  return found.length > MOST_TEXT ? `${found.slice(0, MOST_TEXT)} …` : found;
}
