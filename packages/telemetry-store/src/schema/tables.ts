/**
 * The telemetry tables: names and types of the columns, the one truth that the migrations create (checked against
 * the engine in the conformance suite), the column writer fills and the queries read.
 *
 * Names and types of the OpenTelemetry ClickHouse exporter are kept, so that existing dashboards read them; ours
 * follow after. Codecs, keys and indexes are the migrations' business (docs/adr/ says how they were chosen).
 */
import type { Signal } from '@candela/kernel';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

/** Every type the column writer can encode as a `Native` column. */
export type ColumnType =
  | 'DateTime64(9)'
  | 'DateTime64(3)'
  | 'String'
  | 'LowCardinality(String)'
  | 'UInt8'
  | 'UInt16'
  | 'UInt32'
  | 'UInt64'
  | 'Int32'
  | 'Float64'
  | 'Nullable(Float64)'
  | 'Bool'
  | 'Map(LowCardinality(String), String)'
  | 'Array(DateTime64(9))'
  | 'Array(String)'
  | 'Array(LowCardinality(String))'
  | 'Array(UInt64)'
  | 'Array(Float64)'
  | 'Array(Map(LowCardinality(String), String))';

export interface Table {
  readonly name: string;
  readonly signal: Signal;
  readonly columns: readonly Column[];
}

const column = (name: string, type: ColumnType): Column => ({ name, type });
const MAP = 'Map(LowCardinality(String), String)';
const LC = 'LowCardinality(String)';

/** On every table: whose it is, when it arrived, how long it stays. */
const TENANCY = [
  column('ProjectId', LC),
  column('Environment', LC),
  /** Arrival, not event time: retention and partitions follow it, so a wrong clock can neither delete nor scatter. */
  column('ReceivedAt', 'DateTime64(3)'),
  column('RetentionDays', 'UInt16'),
];

/** Promoted GenAI facts, shared by spans and logs. */
const GEN_AI = [
  column('GenAiConvention', LC),
  column('GenAiOperation', LC),
  column('GenAiProvider', LC),
  column('GenAiRequestModel', LC),
  column('GenAiResponseModel', LC),
  column('SessionId', 'String'),
  column('UserId', 'String'),
  column('AgentName', LC),
  column('ToolName', LC),
  column('ErrorType', LC),
  /** Disjoint classes. On a span that counts nothing (see CountsUsage) they hold what the emitter reported. */
  column('InputTokens', 'UInt32'),
  column('CacheReadTokens', 'UInt32'),
  column('CacheWriteTokens', 'UInt32'),
  column('OutputTokens', 'UInt32'),
  column('ReasoningTokens', 'UInt32'),
  /**
   * 1 when tokens and cost of this row belong into a sum; 0 on what repeats another row. 2, 4 and 6 on a repeat that arrived
   * later and names what the counted row does not: a session or user, an agent, or both. It counts for these alone.
   */
  column('CountsUsage', 'UInt8'),
  /** USD by the price list at ingest; null when the model has no price. */
  column('CostUsd', 'Nullable(Float64)'),
  column('EmitterCostUsd', 'Nullable(Float64)'),
  /**
   * What a price may depend on besides the columns above, as JSON, '' where nothing does: `tier`, counts of `UsageDetails`, and
   * `by`, `person` where a person set the cost and `rejected` where counts were none.
   */
  column('PricingDetails', 'String'),
];

/** Bit 31 of a span's `Flags`: it was sent without an end (while it ran), and its `Duration` of 0 says nothing. */
export const UNFINISHED_FLAG = 0x8000_0000;

/** Of a span: what still runs has no duration yet, and did not take 0 ms. */
export const ENDED = `Flags < ${UNFINISHED_FLAG}`;

export const OTEL_TRACES: Table = {
  name: 'otel_traces',
  signal: 'traces',
  columns: [
    column('Timestamp', 'DateTime64(9)'),
    column('TraceId', 'String'),
    column('SpanId', 'String'),
    column('ParentSpanId', 'String'),
    column('TraceState', 'String'),
    column('SpanName', LC),
    column('SpanKind', LC),
    column('ServiceName', LC),
    column('ResourceAttributes', MAP),
    column('ScopeName', LC),
    column('ScopeVersion', LC),
    column('SpanAttributes', MAP),
    column('Duration', 'UInt64'),
    column('StatusCode', LC),
    column('StatusMessage', 'String'),
    column('Events.Timestamp', 'Array(DateTime64(9))'),
    column('Events.Name', 'Array(LowCardinality(String))'),
    column('Events.Attributes', 'Array(Map(LowCardinality(String), String))'),
    column('Links.TraceId', 'Array(String)'),
    column('Links.SpanId', 'Array(String)'),
    column('Links.TraceState', 'Array(String)'),
    column('Links.Attributes', 'Array(Map(LowCardinality(String), String))'),
    ...TENANCY,
    column('ScopeAttributes', MAP),
    /** As sent, in bits that OpenTelemetry uses (0 to 9); and {@link UNFINISHED_FLAG}. */
    column('Flags', 'UInt32'),
    /** Attributes that hold prompts, completions, tool definitions: out of SpanAttributes, so that lists never read them. */
    column('ContentAttributes', MAP),
    /** One letter an attribute, SpanAttributes then ContentAttributes: s text, i integer, d double, b boolean, j JSON of an array or map, x base64 of bytes, n null. */
    column('AttributeTypes', LC),
    ...GEN_AI,
    column('ResponseId', 'String'),
    column('WorkflowName', LC),
    column('PromptName', LC),
    column('PromptVersion', LC),
    column('FinishReason', LC),
    column('TimeToFirstTokenMs', 'Nullable(Float64)'),
  ],
};

export const OTEL_LOGS: Table = {
  name: 'otel_logs',
  signal: 'logs',
  columns: [
    column('Timestamp', 'DateTime64(9)'),
    column('TraceId', 'String'),
    column('SpanId', 'String'),
    column('TraceFlags', 'UInt8'),
    column('SeverityText', LC),
    column('SeverityNumber', 'UInt8'),
    column('ServiceName', LC),
    column('Body', 'String'),
    column('ResourceSchemaUrl', LC),
    column('ResourceAttributes', MAP),
    column('ScopeSchemaUrl', LC),
    column('ScopeName', LC),
    column('ScopeVersion', LC),
    column('ScopeAttributes', MAP),
    column('LogAttributes', MAP),
    column('EventName', LC),
    ...TENANCY,
    column('ObservedTimestamp', 'DateTime64(9)'),
    column('AttributeTypes', LC),
    ...GEN_AI,
  ],
};

const METRIC_IDENTITY = [
  column('ResourceAttributes', MAP),
  column('ResourceSchemaUrl', LC),
  column('ScopeName', LC),
  column('ScopeVersion', LC),
  column('ScopeAttributes', MAP),
  column('ScopeDroppedAttrCount', 'UInt32'),
  column('ScopeSchemaUrl', LC),
  column('ServiceName', LC),
  column('MetricName', LC),
  column('MetricDescription', LC),
  column('MetricUnit', LC),
  column('Attributes', MAP),
  column('StartTimeUnix', 'DateTime64(9)'),
  column('TimeUnix', 'DateTime64(9)'),
  column('Flags', 'UInt32'),
];

const EXEMPLARS = [
  column('Exemplars.FilteredAttributes', 'Array(Map(LowCardinality(String), String))'),
  column('Exemplars.TimeUnix', 'Array(DateTime64(9))'),
  column('Exemplars.Value', 'Array(Float64)'),
  column('Exemplars.SpanId', 'Array(String)'),
  column('Exemplars.TraceId', 'Array(String)'),
];

const metricTable = (kind: string, own: readonly Column[], exemplars = true): Table => ({
  name: `otel_metrics_${kind}`,
  signal: 'metrics',
  columns: [...METRIC_IDENTITY, ...own, ...(exemplars ? EXEMPLARS : []), ...TENANCY],
});

export const OTEL_METRICS_GAUGE = metricTable('gauge', [column('Value', 'Float64')]);

export const OTEL_METRICS_SUM = metricTable('sum', [
  column('Value', 'Float64'),
  column('AggregationTemporality', 'Int32'),
  column('IsMonotonic', 'Bool'),
]);

export const OTEL_METRICS_HISTOGRAM = metricTable('histogram', [
  column('Count', 'UInt64'),
  /** NaN of a point that was sent without one. */
  column('Sum', 'Float64'),
  column('BucketCounts', 'Array(UInt64)'),
  column('ExplicitBounds', 'Array(Float64)'),
  column('Min', 'Nullable(Float64)'),
  column('Max', 'Nullable(Float64)'),
  column('AggregationTemporality', 'Int32'),
]);

export const OTEL_METRICS_EXPONENTIAL_HISTOGRAM = metricTable('exponential_histogram', [
  column('Count', 'UInt64'),
  /** NaN of a point that was sent without one. */
  column('Sum', 'Float64'),
  column('Scale', 'Int32'),
  column('ZeroCount', 'UInt64'),
  /** What is not farther from zero than this is counted in ZeroCount. */
  column('ZeroThreshold', 'Float64'),
  column('PositiveOffset', 'Int32'),
  column('PositiveBucketCounts', 'Array(UInt64)'),
  column('NegativeOffset', 'Int32'),
  column('NegativeBucketCounts', 'Array(UInt64)'),
  column('Min', 'Nullable(Float64)'),
  column('Max', 'Nullable(Float64)'),
  column('AggregationTemporality', 'Int32'),
]);

export const OTEL_METRICS_SUMMARY = metricTable(
  'summary',
  [
    column('Count', 'UInt64'),
    column('Sum', 'Float64'),
    column('ValueAtQuantiles.Quantile', 'Array(Float64)'),
    column('ValueAtQuantiles.Value', 'Array(Float64)'),
  ],
  false,
);

/** Every telemetry table; the explicit registry. */
export const TABLES: readonly Table[] = [
  OTEL_TRACES,
  OTEL_LOGS,
  OTEL_METRICS_GAUGE,
  OTEL_METRICS_SUM,
  OTEL_METRICS_HISTOGRAM,
  OTEL_METRICS_EXPONENTIAL_HISTOGRAM,
  OTEL_METRICS_SUMMARY,
];
