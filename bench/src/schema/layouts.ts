import { OTEL_TRACES } from '@candela/telemetry-store';

/** One way to lay out the span table. */
export interface Layout {
  readonly name: string;
  readonly why: string;
  readonly orderBy: string;
  readonly indexes: readonly string[];
  readonly projection?: string;
  readonly codec: (column: string) => string;
  readonly settings: string;
  /** Condition that finds a word in the messages, with `{word:String}`. */
  readonly tokenSearch: string;
  /** Condition that finds an attribute with `{key:String}` and `{value:String}`. */
  readonly attributeSearch: string;
}

const PAIRS = "arrayMap((k, v) -> concat(k, '=', v), mapKeys(SpanAttributes), mapValues(SpanAttributes))";
const CONTENT =
  "lower(concat(SpanName, ' ', StatusMessage, ' ', arrayStringConcat(mapValues(ContentAttributes), ' ')))";
const BY_PAIR = `has(${PAIRS}, concat({key:String}, '=', {value:String}))`;
const BY_TOKEN = `hasToken(${CONTENT}, {word:String})`;
const BY_TEXT = 'hasAllTokens(mapValues(ContentAttributes), {word:String})';

const TRACE_INDEX = 'INDEX idx_trace_id TraceId TYPE bloom_filter(0.001) GRANULARITY 1';
const SESSION_INDEX = 'INDEX idx_session_id SessionId TYPE bloom_filter(0.01) GRANULARITY 1';
const PAIR_INDEX = `INDEX idx_attributes ${PAIRS} TYPE bloom_filter(0.01) GRANULARITY 1`;
const TOKEN_INDEX = `INDEX idx_content ${CONTENT} TYPE tokenbf_v1(65536, 2, 0) GRANULARITY 1`;
const TEXT_INDEX = 'INDEX idx_content mapValues(ContentAttributes) TYPE text(tokenizer = splitByNonAlpha)';

const plain = (): string => 'CODEC(ZSTD(1))';
const byTime = (column: string): string =>
  column === 'Timestamp' || column === 'ReceivedAt'
    ? 'CODEC(Delta(8), Default)'
    : column === 'Duration'
      ? 'CODEC(T64, Default)'
      : '';
const OURS = 'min_bytes_for_wide_part = 134217728';

export const LAYOUTS: readonly Layout[] = [
  {
    name: 'exporter',
    why: "the OpenTelemetry exporter's own: by service, span name, second; blooms on map keys and values; wide parts, ZSTD(1)",
    orderBy: '(ServiceName, SpanName, toDateTime(Timestamp))',
    indexes: [
      TRACE_INDEX,
      'INDEX idx_attr_key mapKeys(SpanAttributes) TYPE bloom_filter(0.01) GRANULARITY 1',
      'INDEX idx_attr_value mapValues(SpanAttributes) TYPE bloom_filter(0.01) GRANULARITY 1',
      'INDEX idx_res_key mapKeys(ResourceAttributes) TYPE bloom_filter(0.01) GRANULARITY 1',
      'INDEX idx_res_value mapValues(ResourceAttributes) TYPE bloom_filter(0.01) GRANULARITY 1',
      'INDEX idx_duration Duration TYPE minmax GRANULARITY 1',
    ],
    codec: plain,
    settings: 'min_bytes_for_wide_part = 10485760',
    tokenSearch: BY_TOKEN,
    attributeSearch: 'SpanAttributes[{key:String}] = {value:String}',
  },
  {
    name: 'trace',
    why: 'by ten minutes, then trace: spans of a trace beside each other; our indexes',
    orderBy: '(ProjectId, toStartOfInterval(Timestamp, toIntervalMinute(10)), TraceId, Timestamp)',
    indexes: [TRACE_INDEX, SESSION_INDEX, PAIR_INDEX, TOKEN_INDEX],
    codec: byTime,
    settings: OURS,
    tokenSearch: BY_TOKEN,
    attributeSearch: BY_PAIR,
  },
  {
    name: 'time',
    why: 'by time: the newest rows first, merges that mostly append; our indexes',
    orderBy: '(ProjectId, Timestamp)',
    indexes: [TRACE_INDEX, SESSION_INDEX, PAIR_INDEX, TOKEN_INDEX],
    codec: byTime,
    settings: OURS,
    tokenSearch: BY_TOKEN,
    attributeSearch: BY_PAIR,
  },
  {
    name: 'time-text',
    why: 'as time, with an inverted text index on the messages instead of a token bloom, and a slim projection for lists',
    orderBy: '(ProjectId, Timestamp)',
    indexes: [TRACE_INDEX, SESSION_INDEX, PAIR_INDEX, TEXT_INDEX],
    projection:
      'PROJECTION slim (SELECT ProjectId, Environment, Timestamp, TraceId, SpanId, ParentSpanId, SpanName, ServiceName, StatusCode, Duration, GenAiRequestModel, SessionId, InputTokens, OutputTokens, CostUsd ORDER BY (ProjectId, Timestamp))',
    codec: byTime,
    settings: OURS,
    tokenSearch: BY_TEXT,
    attributeSearch: BY_PAIR,
  },
];

/** The statement that makes `layout` as table `table`. */
export function createTable(layout: Layout, table: string): string {
  const columns = OTEL_TRACES.columns.map(({ name, type }) =>
    `\`${name}\` ${type} ${layout.codec(name)}`.trimEnd(),
  );
  const parts = [
    ...columns,
    ...layout.indexes,
    ...(layout.projection === undefined ? [] : [layout.projection]),
  ];
  return `CREATE TABLE ${table} (${parts.join(', ')}) ENGINE = MergeTree
PARTITION BY (RetentionDays, toDate(ReceivedAt)) ORDER BY ${layout.orderBy}
SETTINGS non_replicated_deduplication_window = 20000, ttl_only_drop_parts = 1, ${layout.settings}`;
}
