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
  /** Condition that finds a span attribute with `{value:String}`. */
  readonly attributeSearch: (key: string) => string;
  /** Value of a span attribute as text, empty where there is none. */
  readonly attribute: (key: string) => string;
  /** Attributes of spans and resources are stored as `JSON`; the blocks that are inserted hold such columns. */
  readonly json?: true;
  /** Columns beside those of the table. */
  readonly more?: readonly string[];
}

/** The attribute that the chart of the bench is grouped by: 5,000 values. */
export const CHARTED = 'url.path';

const PAIRS = "arrayMap((k, v) -> concat(k, '=', v), mapKeys(SpanAttributes), mapValues(SpanAttributes))";
const CONTENT =
  "lower(concat(SpanName, ' ', StatusMessage, ' ', arrayStringConcat(mapValues(ContentAttributes), ' ')))";
const byPair = (key: string): string => `has(${PAIRS}, concat('${key}', '=', {value:String}))`;
const byMap = (key: string): string => `SpanAttributes.values[indexOf(SpanAttributes.keys, '${key}')]`;
/** A path of a `JSON` column is read as a column; keys with dots are paths of as many steps. */
const byPath = (key: string): string => `SpanAttributes.${key}.:String`;
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
    attributeSearch: (key) => `SpanAttributes['${key}'] = {value:String}`,
    attribute: byMap,
  },
  {
    name: 'trace',
    why: 'by ten minutes, then trace: spans of a trace beside each other; our indexes',
    orderBy: '(ProjectId, toStartOfInterval(Timestamp, toIntervalMinute(10)), TraceId, Timestamp)',
    indexes: [TRACE_INDEX, SESSION_INDEX, PAIR_INDEX, TOKEN_INDEX],
    codec: byTime,
    settings: OURS,
    tokenSearch: BY_TOKEN,
    attributeSearch: byPair,
    attribute: byMap,
  },
  {
    name: 'time',
    why: 'by time: the newest rows first, merges that mostly append; our indexes',
    orderBy: '(ProjectId, Timestamp)',
    indexes: [TRACE_INDEX, SESSION_INDEX, PAIR_INDEX, TOKEN_INDEX],
    codec: byTime,
    settings: OURS,
    tokenSearch: BY_TOKEN,
    attributeSearch: byPair,
    attribute: byMap,
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
    attributeSearch: byPair,
    attribute: byMap,
  },
  {
    name: 'time-column',
    why: 'as time, with a column of its own for the attribute that the chart asks for',
    orderBy: '(ProjectId, Timestamp)',
    indexes: [TRACE_INDEX, SESSION_INDEX, PAIR_INDEX, TOKEN_INDEX],
    codec: byTime,
    settings: OURS,
    tokenSearch: BY_TOKEN,
    attributeSearch: byPair,
    attribute: (key) => (key === CHARTED ? 'Charted' : byMap(key)),
    more: [`Charted LowCardinality(String) MATERIALIZED SpanAttributes['${CHARTED}']`],
  },
  {
    name: 'json',
    why: 'as time, with attributes of spans and resources as `JSON`: a subcolumn for each key, made by the engine',
    orderBy: '(ProjectId, Timestamp)',
    indexes: [TRACE_INDEX, SESSION_INDEX, TOKEN_INDEX],
    codec: byTime,
    settings: OURS,
    tokenSearch: BY_TOKEN,
    attributeSearch: (key) => `${byPath(key)} = {value:String}`,
    attribute: (key) => `coalesce(${byPath(key)}, '')`,
    json: true,
  },
];

export const JSON_COLUMNS = ['ResourceAttributes', 'SpanAttributes'];
/** As many subcolumns as the engine makes by default; keys beyond them share one. */
export const JSON_TYPE = 'JSON(max_dynamic_paths = 1024)';

/** The statement that makes `layout` as table `table`. */
export function createTable(layout: Layout, table: string): string {
  const columns = OTEL_TRACES.columns.map(({ name, type }) =>
    `\`${name}\` ${layout.json && JSON_COLUMNS.includes(name) ? JSON_TYPE : type} ${layout.codec(name)}`.trimEnd(),
  );
  const parts = [
    ...columns,
    ...(layout.more ?? []),
    ...layout.indexes,
    ...(layout.projection === undefined ? [] : [layout.projection]),
  ];
  return `CREATE TABLE ${table} (${parts.join(', ')}) ENGINE = MergeTree
PARTITION BY (RetentionDays, toDate(ReceivedAt)) ORDER BY ${layout.orderBy}
SETTINGS non_replicated_deduplication_window = 20000, ttl_only_drop_parts = 1, ${layout.settings}`;
}
