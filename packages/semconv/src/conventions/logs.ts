/**
 * Log records of AI applications: OpenTelemetry's GenAI events and the native logs of coding agents, which may arrive
 * without any trace.
 */
import { buildFacts } from '../facts/facts.ts';
import { compileFields, type FieldKeys } from '../facts/fields.ts';
import { GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL } from '../facts/gen-ai-fields.ts';
import { canonicalOperation } from '../facts/operation.ts';
import { textOf } from '../facts/values.ts';
import type { AttributeReader, GenAiFacts, LogReader } from '../types.ts';

type ReadFields = ReturnType<typeof compileFields>;

/** One family of log events. */
interface LogConvention {
  readonly id: string;
  readonly prefix: string;
  readonly agent: string;
  readonly provider: string;
  /** The event that carries the usage of one model call. */
  readonly callEvents: ReadonlySet<string>;
  readonly operations: ReadonlyMap<string, string>;
  readonly inputIncludesCache: boolean;
  readonly outputIncludesReasoning: boolean;
  readonly readFields: ReadFields;
}

const agentFields = (own: FieldKeys): ReadFields =>
  compileFields(own, GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL, {
    errorType: ['error_type', 'error.message', 'error', 'status_code', 'http.response.status_code'],
    requestModel: ['model'],
    toolName: ['tool_name', 'function_name'],
    userId: ['user.account_uuid', 'user.account_id', 'installation.id'],
  });

const AGENTS: readonly LogConvention[] = [
  {
    id: 'claude-code',
    prefix: 'claude_code.',
    agent: 'claude-code',
    provider: 'anthropic',
    callEvents: new Set(['api_request']),
    operations: new Map([
      ['api_request', 'chat'],
      ['api_error', 'chat'],
      ['tool_result', 'execute_tool'],
    ]),
    inputIncludesCache: false,
    outputIncludesReasoning: true,
    readFields: agentFields({
      inputTokens: ['input_tokens'],
      outputTokens: ['output_tokens'],
      cacheReadTokens: ['cache_read_tokens'],
      cacheWriteTokens: ['cache_creation_tokens'],
      costUsd: ['cost_usd'],
      responseId: ['request_id'],
      firstTokenMs: ['ttft_ms'],
    }),
  },
  {
    id: 'codex',
    prefix: 'codex.',
    agent: 'codex',
    provider: 'openai',
    callEvents: new Set(['sse_event', 'websocket_event']),
    operations: new Map([
      ['sse_event', 'chat'],
      ['websocket_event', 'chat'],
      ['api_request', 'chat'],
      ['tool_result', 'execute_tool'],
    ]),
    inputIncludesCache: true,
    outputIncludesReasoning: true,
    readFields: agentFields({
      sessionId: ['conversation.id'],
      inputTokens: ['input_token_count'],
      outputTokens: ['output_token_count'],
      cacheReadTokens: ['cached_token_count'],
      reasoningTokens: ['reasoning_token_count'],
    }),
  },
  {
    id: 'gemini-cli',
    prefix: 'gemini_cli.',
    agent: 'gemini-cli',
    provider: 'google',
    callEvents: new Set(['api_response']),
    operations: new Map([
      ['api_response', 'chat'],
      ['api_error', 'chat'],
      ['tool_call', 'execute_tool'],
    ]),
    inputIncludesCache: true,
    outputIncludesReasoning: false,
    readFields: agentFields({
      inputTokens: ['input_token_count'],
      outputTokens: ['output_token_count'],
      totalTokens: ['total_token_count'],
      cacheReadTokens: ['cached_content_token_count'],
      reasoningTokens: ['thoughts_token_count'],
      finishReason: ['finish_reasons'],
    }),
  },
];

const readGenAi = compileFields(GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL);

/** The event's name: at record level, as an attribute, or as the whole body. */
export function eventNameOf(log: LogReader): string {
  if (log.eventName !== '') return log.eventName;
  const named = log.attributes.get('event.name');
  if (typeof named === 'string' && named !== '') return named;
  const body = log.body;
  return body !== undefined && body.length < 100 && PREFIXES.test(body) ? body : '';
}

const PREFIXES = /^(gen_ai|claude_code|codex|gemini_cli)\.[a-z_.]+$/;

export function logFacts(log: LogReader): GenAiFacts | undefined {
  const name = eventNameOf(log);
  const service = name.includes('.') ? '' : textOf(log.resource.get('service.name'));
  for (const agent of AGENTS) {
    // Claude Code names its events without the prefix; the body has it, and the service or scope tells.
    const prefixed = name.startsWith(agent.prefix);
    const bare =
      !prefixed &&
      name !== '' &&
      !name.includes('.') &&
      ((log.body?.startsWith(agent.prefix) ?? false) ||
        service === agent.agent ||
        log.scopeName.includes(agent.prefix.slice(0, -1)));
    if (!prefixed && !bare) continue;
    return agentFacts(agent, prefixed ? name.slice(agent.prefix.length) : name, log);
  }
  if (!name.startsWith('gen_ai.') && !isGenAi(log.attributes)) return undefined;
  const fields = readGenAi(log.attributes);
  const operation =
    name === 'gen_ai.evaluation.result' ? 'evaluate' : canonicalOperation(textOf(fields.get('operation')));
  // The span of the same call counts its usage; the event repeats it.
  return buildFacts(fields, { convention: 'gen-ai', operation, isModelCall: false }, log);
}

function agentFacts(agent: LogConvention, event: string, log: LogReader): GenAiFacts {
  const fields = agent.readFields(log.attributes);
  const usable = agent.callEvents.has(event);
  const facts = buildFacts(
    fields,
    {
      convention: agent.id,
      operation: agent.operations.get(event) ?? event.slice(0, 100),
      provider: agent.provider,
      agentName: agent.agent,
      inputIncludesCache: agent.inputIncludesCache,
      outputIncludesReasoning: agent.outputIncludesReasoning,
      isModelCall: usable,
      ...(usable ? {} : { usage: 'none' as const }),
      ...(isFailure(event, log.attributes) ? {} : { errorType: '' }),
    },
    log,
  );
  // A stream has many events; only the one that carries tokens is the call.
  return usable && facts.usage === undefined ? { ...facts, isModelCall: false } : facts;
}

function isFailure(event: string, attributes: AttributeReader): boolean {
  if (event === 'api_error') return true;
  return ['error', 'error.message', 'error_type', 'error.type'].some((key) => attributes.has(key));
}

const isGenAi = (attributes: AttributeReader): boolean =>
  attributes.has('gen_ai.operation.name') ||
  attributes.has('gen_ai.provider.name') ||
  attributes.has('gen_ai.system');
