import type { TelemetryStore } from '@candela/telemetry-store';

/**
 * Spans as a fleet of AI services sends them, made by the engine: traces of eight spans, 4 resource attributes,
 * 11 span attributes, 40 % model calls with about 1 kB of messages (a shared system prompt, then words of the user's
 * own). Written as `Native` files of 20,000 spans.
 */
export const SPANS_PER_FILE = 20_000;
/** Spans a second of the made-up fleet: it decides over how much time the data spreads. */
const SPANS_PER_SECOND = 500;

/** Epoch seconds of the first span. Fixed, so that runs compare. */
export const FIRST_SECOND = 1_795_000_000;

export function lastSecond(spans: number): number {
  return FIRST_SECOND + Math.ceil(spans / SPANS_PER_SECOND) + 1;
}

/** Writes spans `from` to `from + SPANS_PER_FILE` into `file`. */
export async function generateFile(store: TelemetryStore, file: string, from: number): Promise<void> {
  await store.command(
    `INSERT INTO FUNCTION file({file:String}, Native) ${generator()} FROM numbers({from:UInt64}, {count:UInt64})
SETTINGS engine_file_truncate_on_insert = 1, max_block_size = {count:UInt64}, max_threads = 1`,
    { file, from, count: SPANS_PER_FILE },
  );
}

const SYLLABLES = [
  'an',
  'ber',
  'co',
  'du',
  'el',
  'fi',
  'gra',
  'hin',
  'is',
  'jo',
  'ka',
  'lem',
  'mo',
  'nu',
  'or',
  'pe',
];

/** Writes the spans of `file` into `as` with other types of columns: what a client would send that knows them. */
export async function retype(
  store: TelemetryStore,
  file: string,
  as: string,
  columns: readonly string[],
  type: string,
): Promise<void> {
  const typed = columns.map((name) => `CAST(${name}, '${type}') AS ${name}`).join(', ');
  await store.command(
    `INSERT INTO FUNCTION file({as:String}, Native) SELECT * REPLACE (${typed}) FROM file({file:String}, Native)
SETTINGS engine_file_truncate_on_insert = 1, max_block_size = {count:UInt64}, max_threads = 1`,
    { file, as, count: SPANS_PER_FILE },
  );
}

/** 2,048 made-up words of two to four syllables. */
function vocabulary(): string {
  const words = Array.from({ length: 2_048 }, (_, n) => {
    const parts = 2 + (n % 3);
    return Array.from({ length: parts }, (_unused, k) => SYLLABLES[(n >> (k * 3)) & 15] ?? 'a').join('');
  });
  return `[${words.map((word) => `'${word}'`).join(',')}]`;
}

/** `count` words chosen by `seed`; small numbers are likelier, as in language. */
const words = (seed: string, count: string): string =>
  `arrayStringConcat(arrayMap(i -> vocabulary[1 + toUInt32(pow(2048, (sipHash64(${seed}, i) % 10007) / 10007.)) % 2048], range(${count})), ' ')`;

function generator(): string {
  return `WITH
  ${vocabulary()} AS vocabulary,
  intDiv(number, 8) AS trace,
  number % 8 AS k,
  sipHash64(number) AS h,
  sipHash64(trace, 'trace') AS th,
  concat('svc-', toString(th % 12)) AS service,
  k IN (2, 4, 5) OR (k = 6 AND th % 5 = 0) AS is_ai,
  ['gpt-5', 'gpt-5-mini', 'claude-sonnet-4-5', 'claude-haiku-4-5', 'gemini-2.5-pro'][1 + th % 5] AS model,
  ['openai', 'openai', 'anthropic', 'anthropic', 'google'][1 + th % 5] AS provider,
  concat('session-', lower(hex(sipHash64(intDiv(trace, 6), 's')))) AS session,
  concat('user-', toString(th % 20000)) AS user,
  toUInt32(200 + h % 3000) AS input_tokens,
  toUInt32(20 + h % 700) AS output_tokens,
  h % 50 = 0 AS is_error,
  ['POST /chat', 'retrieve documents', 'chat', 'SELECT documents', 'chat', 'execute_tool', 'embeddings', 'POST /v1/rerank'][1 + k] AS span_name,
  ${words("'system', th % 40", '70')} AS system_prompt,
  ${words("'user', number", '45')} AS question,
  ${words("'answer', number", '25')} AS answer
SELECT
  fromUnixTimestamp64Nano(toInt64(${FIRST_SECOND}000000000 + intDiv(trace * 8000000000, ${SPANS_PER_SECOND}) + k * 1700000 + h % 1000000)) AS Timestamp,
  lower(hex(sipHash128(trace))) AS TraceId,
  lower(hex(sipHash64(number, 'span'))) AS SpanId,
  if(k = 0, '', lower(hex(sipHash64(number - if(k < 3, k, k - 2), 'span')))) AS ParentSpanId,
  '' AS TraceState,
  toLowCardinality(span_name) AS SpanName,
  toLowCardinality(['Server', 'Internal', 'Client', 'Client', 'Client', 'Internal', 'Client', 'Client'][1 + k]) AS SpanKind,
  toLowCardinality(service) AS ServiceName,
  CAST(map('service.name', service, 'service.version', concat('1.', toString(th % 4), '.0'), 'deployment.environment.name', 'production', 'host.name', concat('host-', toString(th % 40))), 'Map(LowCardinality(String), String)') AS ResourceAttributes,
  toLowCardinality('bench') AS ScopeName,
  toLowCardinality('1.0.0') AS ScopeVersion,
  CAST(if(is_ai,
    map('gen_ai.operation.name', 'chat', 'gen_ai.provider.name', provider, 'gen_ai.request.model', model, 'gen_ai.response.model', model, 'gen_ai.usage.input_tokens', toString(input_tokens), 'gen_ai.usage.output_tokens', toString(output_tokens), 'gen_ai.request.temperature', '0.7', 'gen_ai.response.id', concat('chatcmpl-', lower(hex(h))), 'gen_ai.conversation.id', session, 'server.address', 'api.example.com', 'thread.id', toString(h % 64)),
    map('http.request.method', 'POST', 'url.path', concat('/v1/items/', toString(h % 5000)), 'http.response.status_code', if(is_error, '500', '200'), 'server.address', concat('10.0.0.', toString(h % 40)), 'server.port', '8080', 'network.protocol.version', '1.1', 'user_agent.original', 'bench/1.0', 'http.route', '/v1/items/:id', 'thread.id', toString(h % 64), 'request.id', lower(hex(sipHash64(h))), 'customer.tier', ['free', 'pro', 'team'][1 + th % 3])
  ), 'Map(LowCardinality(String), String)') AS SpanAttributes,
  toUInt64(1000000 + h % 900000000) AS Duration,
  toLowCardinality(if(is_error, 'Error', 'Unset')) AS StatusCode,
  if(is_error, 'upstream answered 500', '') AS StatusMessage,
  CAST([], 'Array(DateTime64(9))') AS \`Events.Timestamp\`,
  CAST([], 'Array(LowCardinality(String))') AS \`Events.Name\`,
  CAST([], 'Array(Map(LowCardinality(String), String))') AS \`Events.Attributes\`,
  CAST([], 'Array(String)') AS \`Links.TraceId\`,
  CAST([], 'Array(String)') AS \`Links.SpanId\`,
  CAST([], 'Array(String)') AS \`Links.TraceState\`,
  CAST([], 'Array(Map(LowCardinality(String), String))') AS \`Links.Attributes\`,
  toLowCardinality('default') AS ProjectId,
  toLowCardinality('production') AS Environment,
  toDateTime64(Timestamp, 3) AS ReceivedAt,
  toUInt16(30000) AS RetentionDays,
  CAST(map(), 'Map(LowCardinality(String), String)') AS ScopeAttributes,
  toUInt32(1) AS Flags,
  CAST(if(is_ai,
    map('gen_ai.input.messages', concat('[{"role":"system","parts":[{"type":"text","content":"', system_prompt, '"}]},{"role":"user","parts":[{"type":"text","content":"', question, '"}]}]'), 'gen_ai.output.messages', concat('[{"role":"assistant","parts":[{"type":"text","content":"', answer, '"}],"finish_reason":"stop"}]')),
    CAST(map(), 'Map(String, String)')
  ), 'Map(LowCardinality(String), String)') AS ContentAttributes,
  toLowCardinality(if(is_ai, 'ssssiidssssjj', 'ssisissssss')) AS AttributeTypes,
  toLowCardinality(if(is_ai, 'gen_ai', '')) AS GenAiConvention,
  toLowCardinality(if(is_ai, 'chat', '')) AS GenAiOperation,
  toLowCardinality(if(is_ai, provider, '')) AS GenAiProvider,
  toLowCardinality(if(is_ai, model, '')) AS GenAiRequestModel,
  toLowCardinality(if(is_ai, model, '')) AS GenAiResponseModel,
  if(is_ai, session, '') AS SessionId,
  if(is_ai, user, '') AS UserId,
  toLowCardinality(if(is_ai, 'planner', '')) AS AgentName,
  toLowCardinality(if(k = 5, 'search_documents', '')) AS ToolName,
  toLowCardinality(if(is_error, '500', '')) AS ErrorType,
  if(is_ai, input_tokens, toUInt32(0)) AS InputTokens,
  toUInt32(0) AS CacheReadTokens,
  toUInt32(0) AS CacheWriteTokens,
  if(is_ai, output_tokens, toUInt32(0)) AS OutputTokens,
  toUInt32(0) AS ReasoningTokens,
  toUInt8(is_ai) AS CountsUsage,
  CAST(if(is_ai, (input_tokens * 3 + output_tokens * 15) / 1000000., NULL), 'Nullable(Float64)') AS CostUsd,
  CAST(NULL, 'Nullable(Float64)') AS EmitterCostUsd,
  if(is_ai, concat('chatcmpl-', lower(hex(h))), '') AS ResponseId,
  toLowCardinality('') AS WorkflowName,
  toLowCardinality('') AS PromptName,
  toLowCardinality('') AS PromptVersion,
  toLowCardinality(if(is_ai, 'stop', '')) AS FinishReason,
  CAST(if(is_ai, h % 2000, NULL), 'Nullable(Float64)') AS TimeToFirstTokenMs`;
}
