import { type FieldName, SEVERITIES } from '@candela/contract';
import {
  LOG_ATTRIBUTE_PAIRS,
  LOG_ITEMS,
  LOG_SEVERITY,
  LOG_TEXT,
  LOG_WORDS,
} from '../../schema/expressions.ts';
import { column, type Field, type Source } from '../core/source.ts';
import { containsText, hasWords, type WordIndex } from '../core/words.ts';
import { BASE_MODEL_SQL, INPUT_TOKENS_SQL, MODEL_SQL, OUTPUT_TOKENS_SQL, tokens } from '../core/gen-ai.ts';

const INDEX: WordIndex = { table: 'otel_logs', words: LOG_WORDS };

const body: Field = {
  kind: 'words',
  together: true,
  exists: "Body != ''",
  words(text, params) {
    return hasWords(LOG_TEXT, text, params, { index: INDEX }) ?? this.contains(text.trim(), params);
  },
  contains: (text, params) => containsText('Body', text, params),
  matches: (pattern, params) => `match(Body, ${params.bind(pattern, 'String')})`,
};

type LogField = Exclude<
  FieldName,
  | 'name'
  | 'kind'
  | 'status'
  | 'status_message'
  | 'duration_ms'
  | 'root'
  | 'workflow'
  | 'prompt_name'
  | 'prompt_version'
  | 'finish_reason'
  | 'ttft_ms'
  | 'prompt'
  | 'completion'
  | 'user_said'
  | 'assistant_said'
  | 'system_prompt'
  | 'tool_result'
  | 'agent_version'
  | 'message'
  | 'fingerprint'
  | 'metric'
>;

const LOG_FIELDS: Record<LogField, Field> = {
  service: column('ServiceName'),
  environment: column('Environment'),
  trace_id: { kind: 'id', sql: 'TraceId' },
  span_id: { kind: 'id', sql: 'SpanId' },
  model: { kind: 'text', sql: ['GenAiResponseModel', 'GenAiRequestModel'], show: MODEL_SQL },
  base_model: column(BASE_MODEL_SQL),
  request_model: column('GenAiRequestModel'),
  response_model: column('GenAiResponseModel'),
  provider: column('GenAiProvider'),
  operation: column('GenAiOperation'),
  session: column('SessionId'),
  user: column('UserId'),
  agent: column('AgentName'),
  tool: column('ToolName'),
  convention: column('GenAiConvention'),
  cost: { kind: 'number', sql: 'CostUsd', scale: 1, exists: 'isNotNull(CostUsd)' },
  input_tokens: tokens(INPUT_TOKENS_SQL),
  output_tokens: tokens(OUTPUT_TOKENS_SQL),
  error_type: column('ErrorType'),
  scope_name: column('ScopeName'),
  severity: { kind: 'level', sql: LOG_SEVERITY, levels: SEVERITIES },
  severity_text: column('SeverityText'),
  event: column('EventName'),
  body,
  body_size: { kind: 'number', sql: 'length(Body)', scale: 1, exists: '1' },
  text: body,
};

/** The log records. */
export const LOGS: Source = {
  signal: 'logs',
  table: 'otel_logs',
  finer: 4,
  time: 'Timestamp',
  fields: LOG_FIELDS,
  mapOf(source) {
    if (source === 'resource') return 'ResourceAttributes';
    return source === 'scope' ? 'ScopeAttributes' : 'LogAttributes';
  },
  items: { sql: LOG_ITEMS, records: 'LogAttributes', resources: 'ResourceAttributes' },
  pairs: new Map([['LogAttributes', LOG_ATTRIBUTE_PAIRS]]),
};
