import type { FieldName } from '@candela/contract';
import { isContentKey } from '@candela/semconv';
import { ATTRIBUTE_COLUMNS } from '../../schema/attribute-columns.ts';
import { AGENT_VERSION, SPAN_ATTRIBUTE_PAIRS, SPAN_ITEMS } from '../../schema/expressions.ts';
import { ENDED } from '../../schema/tables.ts';
import { BASE_MODEL_SQL, INPUT_TOKENS_SQL, MODEL_SQL, OUTPUT_TOKENS_SQL, tokens } from '../core/gen-ai.ts';
import { column, type Field, type Source } from '../core/source.ts';
import type { SpokenRole } from './role-texts.ts';
import { containsAnywhere, hasText, matchesAnywhere, roleWords, wordsAnywhere } from './span-words.ts';

const words = (part: 'prompt' | 'completion' | 'any'): Field => ({
  kind: 'words',
  together: part === 'any',
  exists: hasText(part),
  words: (text, params) => wordsAnywhere(part, text, params),
  contains: (text, params) => containsAnywhere(part, text, params),
  matches: (pattern, params) => matchesAnywhere(part, pattern, params),
});

/** Words that one speaker said. */
const said = (role: SpokenRole): Field => ({ kind: 'words', together: false, ...roleWords(role) });

const capitalised = (names: readonly string[]): ReadonlyMap<string, string> =>
  new Map(names.map((name) => [name, name.charAt(0).toUpperCase() + name.slice(1)]));

/** Fields that spans have; the contract's table says which these are, the compiler demands each of them here. */
export const SPAN_FIELDS: Record<
  Exclude<
    FieldName,
    'severity' | 'severity_text' | 'event' | 'body' | 'body_size' | 'message' | 'fingerprint' | 'metric'
  >,
  Field
> = {
  service: column('ServiceName'),
  environment: column('Environment'),
  name: column('SpanName'),
  kind: {
    kind: 'enum',
    sql: 'SpanKind',
    stored: capitalised(['internal', 'server', 'client', 'producer', 'consumer', 'unspecified']),
  },
  status: { kind: 'enum', sql: 'StatusCode', stored: capitalised(['ok', 'error', 'unset']) },
  status_message: column('StatusMessage'),
  duration_ms: { kind: 'number', sql: `if(${ENDED}, Duration, NULL)`, scale: 1e6, exists: ENDED },
  trace_id: { kind: 'id', sql: 'TraceId' },
  span_id: { kind: 'id', sql: 'SpanId' },
  root: { kind: 'boolean', sql: "ParentSpanId = ''" },
  model: { kind: 'text', sql: ['GenAiResponseModel', 'GenAiRequestModel'], show: MODEL_SQL },
  base_model: column(BASE_MODEL_SQL),
  request_model: column('GenAiRequestModel'),
  response_model: column('GenAiResponseModel'),
  provider: column('GenAiProvider'),
  operation: column('GenAiOperation'),
  session: column('SessionId'),
  user: column('UserId'),
  agent: column('AgentName'),
  agent_version: column(AGENT_VERSION),
  tool: column('ToolName'),
  workflow: column('WorkflowName'),
  prompt_name: column('PromptName'),
  prompt_version: column('PromptVersion'),
  finish_reason: column('FinishReason'),
  convention: column('GenAiConvention'),
  cost: { kind: 'number', sql: 'CostUsd', scale: 1, exists: 'isNotNull(CostUsd)' },
  input_tokens: tokens(INPUT_TOKENS_SQL),
  output_tokens: tokens(OUTPUT_TOKENS_SQL),
  ttft_ms: { kind: 'number', sql: 'TimeToFirstTokenMs', scale: 1, exists: 'isNotNull(TimeToFirstTokenMs)' },
  error_type: column('ErrorType'),
  scope_name: column('ScopeName'),
  prompt: words('prompt'),
  completion: words('completion'),
  user_said: said('user'),
  assistant_said: said('assistant'),
  system_prompt: said('system'),
  tool_result: said('tool'),
  text: words('any'),
};

/** The spans: one row each. */
export const SPANS: Source = {
  signal: 'spans',
  table: 'otel_traces',
  time: 'Timestamp',
  fields: SPAN_FIELDS,
  // Content lies apart from the other attributes; which keys are content is the same rule that wrote them.
  mapOf(source, key) {
    if (source === 'resource') return 'ResourceAttributes';
    if (source === 'scope') return 'ScopeAttributes';
    return isContentKey(key) ? 'ContentAttributes' : 'SpanAttributes';
  },
  columns: ATTRIBUTE_COLUMNS,
  items: { sql: SPAN_ITEMS, records: 'SpanAttributes', resources: 'ResourceAttributes' },
  pairs: new Map([['SpanAttributes', SPAN_ATTRIBUTE_PAIRS]]),
};
