import type { FieldName } from '@candela/contract';

/** How a filter field is read from `otel_traces`. */
export type SpanField =
  /** Any of the expressions may match. */
  | { readonly kind: 'text'; readonly sql: readonly string[]; readonly show: string }
  | { readonly kind: 'enum'; readonly sql: string; readonly stored: ReadonlyMap<string, string> }
  /** `sql` is null or a number; `scale` turns the filter's unit into the column's. */
  | { readonly kind: 'number'; readonly sql: string; readonly scale: number; readonly exists: string }
  | { readonly kind: 'id'; readonly sql: string }
  | { readonly kind: 'boolean'; readonly sql: string }
  | { readonly kind: 'words'; readonly part: 'prompt' | 'completion' | 'any' };

const column = (name: string): SpanField => ({ kind: 'text', sql: [name], show: name });

export const MODEL_SQL = "if(GenAiResponseModel != '', GenAiResponseModel, GenAiRequestModel)";
export const INPUT_TOKENS_SQL = '(InputTokens + CacheReadTokens + CacheWriteTokens)';
export const OUTPUT_TOKENS_SQL = '(OutputTokens + ReasoningTokens)';

const capitalised = (names: readonly string[]): ReadonlyMap<string, string> =>
  new Map(names.map((name) => [name, name.charAt(0).toUpperCase() + name.slice(1)]));

/** Fields that spans have; the contract's table says which these are, the compiler demands each of them here. */
export const SPAN_FIELDS: Record<Exclude<FieldName, 'severity' | 'body' | 'metric'>, SpanField> = {
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
  duration_ms: { kind: 'number', sql: 'Duration', scale: 1e6, exists: '1' },
  trace_id: { kind: 'id', sql: 'TraceId' },
  span_id: { kind: 'id', sql: 'SpanId' },
  root: { kind: 'boolean', sql: "ParentSpanId = ''" },
  model: { kind: 'text', sql: ['GenAiResponseModel', 'GenAiRequestModel'], show: MODEL_SQL },
  provider: column('GenAiProvider'),
  operation: column('GenAiOperation'),
  session: column('SessionId'),
  user: column('UserId'),
  agent: column('AgentName'),
  tool: column('ToolName'),
  workflow: column('WorkflowName'),
  prompt_name: column('PromptName'),
  prompt_version: column('PromptVersion'),
  finish_reason: column('FinishReason'),
  convention: column('GenAiConvention'),
  cost: { kind: 'number', sql: 'CostUsd', scale: 1, exists: 'isNotNull(CostUsd)' },
  input_tokens: { kind: 'number', sql: INPUT_TOKENS_SQL, scale: 1, exists: `${INPUT_TOKENS_SQL} > 0` },
  output_tokens: { kind: 'number', sql: OUTPUT_TOKENS_SQL, scale: 1, exists: `${OUTPUT_TOKENS_SQL} > 0` },
  ttft_ms: { kind: 'number', sql: 'TimeToFirstTokenMs', scale: 1, exists: 'isNotNull(TimeToFirstTokenMs)' },
  error_type: column('ErrorType'),
  scope_name: column('ScopeName'),
  prompt: { kind: 'words', part: 'prompt' },
  completion: { kind: 'words', part: 'completion' },
  text: { kind: 'words', part: 'any' },
};
