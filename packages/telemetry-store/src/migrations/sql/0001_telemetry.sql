-- The telemetry tables. Columns: src/schema/tables.ts (compared with the engine by the conformance suite).
-- How keys, codecs and indexes were chosen: docs/adr/0002-telemetry-schema.md.

CREATE DATABASE IF NOT EXISTS ${database}${on_cluster};

CREATE TABLE IF NOT EXISTS ${table:otel_traces}${on_cluster}
(
  `Timestamp` DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  `TraceId` String CODEC(ZSTD(1)),
  `SpanId` String CODEC(ZSTD(1)),
  `ParentSpanId` String CODEC(ZSTD(1)),
  `TraceState` String CODEC(ZSTD(1)),
  `SpanName` LowCardinality(String) CODEC(ZSTD(1)),
  `SpanKind` LowCardinality(String) CODEC(ZSTD(1)),
  `ServiceName` LowCardinality(String) CODEC(ZSTD(1)),
  `ResourceAttributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  `ScopeName` LowCardinality(String) CODEC(ZSTD(1)),
  `ScopeVersion` LowCardinality(String) CODEC(ZSTD(1)),
  `SpanAttributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  `Duration` UInt64 CODEC(T64, ZSTD(1)),
  `StatusCode` LowCardinality(String) CODEC(ZSTD(1)),
  `StatusMessage` String CODEC(ZSTD(1)),
  `Events.Timestamp` Array(DateTime64(9)) CODEC(ZSTD(1)),
  `Events.Name` Array(LowCardinality(String)) CODEC(ZSTD(1)),
  `Events.Attributes` Array(Map(LowCardinality(String), String)) CODEC(ZSTD(1)),
  `Links.TraceId` Array(String) CODEC(ZSTD(1)),
  `Links.SpanId` Array(String) CODEC(ZSTD(1)),
  `Links.TraceState` Array(String) CODEC(ZSTD(1)),
  `Links.Attributes` Array(Map(LowCardinality(String), String)) CODEC(ZSTD(1)),
  `ProjectId` LowCardinality(String) CODEC(ZSTD(1)),
  `Environment` LowCardinality(String) CODEC(ZSTD(1)),
  `ReceivedAt` DateTime64(3) CODEC(Delta(8), ZSTD(1)),
  `RetentionDays` UInt16 CODEC(ZSTD(1)),
  `ScopeAttributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  `Flags` UInt32 CODEC(ZSTD(1)),
  `ContentAttributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  `AttributeTypes` LowCardinality(String) CODEC(ZSTD(1)),
  `GenAiConvention` LowCardinality(String) CODEC(ZSTD(1)),
  `GenAiOperation` LowCardinality(String) CODEC(ZSTD(1)),
  `GenAiProvider` LowCardinality(String) CODEC(ZSTD(1)),
  `GenAiRequestModel` LowCardinality(String) CODEC(ZSTD(1)),
  `GenAiResponseModel` LowCardinality(String) CODEC(ZSTD(1)),
  `SessionId` String CODEC(ZSTD(1)),
  `UserId` String CODEC(ZSTD(1)),
  `AgentName` LowCardinality(String) CODEC(ZSTD(1)),
  `ToolName` LowCardinality(String) CODEC(ZSTD(1)),
  `ErrorType` LowCardinality(String) CODEC(ZSTD(1)),
  `InputTokens` UInt32 CODEC(ZSTD(1)),
  `CacheReadTokens` UInt32 CODEC(ZSTD(1)),
  `CacheWriteTokens` UInt32 CODEC(ZSTD(1)),
  `OutputTokens` UInt32 CODEC(ZSTD(1)),
  `ReasoningTokens` UInt32 CODEC(ZSTD(1)),
  `CountsUsage` UInt8 CODEC(ZSTD(1)),
  `CostUsd` Nullable(Float64) CODEC(ZSTD(1)),
  `EmitterCostUsd` Nullable(Float64) CODEC(ZSTD(1)),
  `ResponseId` String CODEC(ZSTD(1)),
  `WorkflowName` LowCardinality(String) CODEC(ZSTD(1)),
  `PromptName` LowCardinality(String) CODEC(ZSTD(1)),
  `PromptVersion` LowCardinality(String) CODEC(ZSTD(1)),
  `FinishReason` LowCardinality(String) CODEC(ZSTD(1)),
  `TimeToFirstTokenMs` Nullable(Float64) CODEC(ZSTD(1)),
  INDEX idx_trace_id TraceId TYPE bloom_filter(0.001) GRANULARITY 1,
  INDEX idx_session_id SessionId TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_span_attributes arrayMap((k, v) -> concat(k, '=', v), mapKeys(SpanAttributes), mapValues(SpanAttributes)) TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ${merge_tree:otel_traces}
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, toStartOfInterval(Timestamp, toIntervalMinute(10)), TraceId, Timestamp)
TTL toDateTime(ReceivedAt) + toIntervalDay(RetentionDays)
SETTINGS ${settings};

${distributed:otel_traces:cityHash64(TraceId)}

CREATE TABLE IF NOT EXISTS ${table:otel_logs}${on_cluster}
(
  `Timestamp` DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  `TraceId` String CODEC(ZSTD(1)),
  `SpanId` String CODEC(ZSTD(1)),
  `TraceFlags` UInt8 CODEC(ZSTD(1)),
  `SeverityText` LowCardinality(String) CODEC(ZSTD(1)),
  `SeverityNumber` UInt8 CODEC(ZSTD(1)),
  `ServiceName` LowCardinality(String) CODEC(ZSTD(1)),
  `Body` String CODEC(ZSTD(1)),
  `ResourceSchemaUrl` LowCardinality(String) CODEC(ZSTD(1)),
  `ResourceAttributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  `ScopeSchemaUrl` LowCardinality(String) CODEC(ZSTD(1)),
  `ScopeName` LowCardinality(String) CODEC(ZSTD(1)),
  `ScopeVersion` LowCardinality(String) CODEC(ZSTD(1)),
  `ScopeAttributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  `LogAttributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  `EventName` LowCardinality(String) CODEC(ZSTD(1)),
  `ProjectId` LowCardinality(String) CODEC(ZSTD(1)),
  `Environment` LowCardinality(String) CODEC(ZSTD(1)),
  `ReceivedAt` DateTime64(3) CODEC(Delta(8), ZSTD(1)),
  `RetentionDays` UInt16 CODEC(ZSTD(1)),
  `ObservedTimestamp` DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  `AttributeTypes` LowCardinality(String) CODEC(ZSTD(1)),
  `GenAiConvention` LowCardinality(String) CODEC(ZSTD(1)),
  `GenAiOperation` LowCardinality(String) CODEC(ZSTD(1)),
  `GenAiProvider` LowCardinality(String) CODEC(ZSTD(1)),
  `GenAiRequestModel` LowCardinality(String) CODEC(ZSTD(1)),
  `GenAiResponseModel` LowCardinality(String) CODEC(ZSTD(1)),
  `SessionId` String CODEC(ZSTD(1)),
  `UserId` String CODEC(ZSTD(1)),
  `AgentName` LowCardinality(String) CODEC(ZSTD(1)),
  `ToolName` LowCardinality(String) CODEC(ZSTD(1)),
  `ErrorType` LowCardinality(String) CODEC(ZSTD(1)),
  `InputTokens` UInt32 CODEC(ZSTD(1)),
  `CacheReadTokens` UInt32 CODEC(ZSTD(1)),
  `CacheWriteTokens` UInt32 CODEC(ZSTD(1)),
  `OutputTokens` UInt32 CODEC(ZSTD(1)),
  `ReasoningTokens` UInt32 CODEC(ZSTD(1)),
  `CountsUsage` UInt8 CODEC(ZSTD(1)),
  `CostUsd` Nullable(Float64) CODEC(ZSTD(1)),
  `EmitterCostUsd` Nullable(Float64) CODEC(ZSTD(1)),
  INDEX idx_trace_id TraceId TYPE bloom_filter(0.001) GRANULARITY 1,
  INDEX idx_session_id SessionId TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_log_attributes arrayMap((k, v) -> concat(k, '=', v), mapKeys(LogAttributes), mapValues(LogAttributes)) TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_body lower(Body) TYPE tokenbf_v1(32768, 3, 0) GRANULARITY 8
)
ENGINE = ${merge_tree:otel_logs}
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, toStartOfInterval(Timestamp, toIntervalMinute(10)), ServiceName, Timestamp)
TTL toDateTime(ReceivedAt) + toIntervalDay(RetentionDays)
SETTINGS ${settings};

${distributed:otel_logs:cityHash64(TraceId, ServiceName)}

CREATE TABLE IF NOT EXISTS ${table:otel_metrics_gauge}${on_cluster}
(
  `ResourceAttributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  `ResourceSchemaUrl` LowCardinality(String) CODEC(ZSTD(1)),
  `ScopeName` LowCardinality(String) CODEC(ZSTD(1)),
  `ScopeVersion` LowCardinality(String) CODEC(ZSTD(1)),
  `ScopeAttributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  `ScopeDroppedAttrCount` UInt32 CODEC(ZSTD(1)),
  `ScopeSchemaUrl` LowCardinality(String) CODEC(ZSTD(1)),
  `ServiceName` LowCardinality(String) CODEC(ZSTD(1)),
  `MetricName` LowCardinality(String) CODEC(ZSTD(1)),
  `MetricDescription` LowCardinality(String) CODEC(ZSTD(1)),
  `MetricUnit` LowCardinality(String) CODEC(ZSTD(1)),
  `Attributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  `StartTimeUnix` DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  `TimeUnix` DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  `Flags` UInt32 CODEC(ZSTD(1)),
  `Value` Float64 CODEC(ZSTD(1)),
  `Exemplars.FilteredAttributes` Array(Map(LowCardinality(String), String)) CODEC(ZSTD(1)),
  `Exemplars.TimeUnix` Array(DateTime64(9)) CODEC(ZSTD(1)),
  `Exemplars.Value` Array(Float64) CODEC(ZSTD(1)),
  `Exemplars.SpanId` Array(String) CODEC(ZSTD(1)),
  `Exemplars.TraceId` Array(String) CODEC(ZSTD(1)),
  `ProjectId` LowCardinality(String) CODEC(ZSTD(1)),
  `Environment` LowCardinality(String) CODEC(ZSTD(1)),
  `ReceivedAt` DateTime64(3) CODEC(Delta(8), ZSTD(1)),
  `RetentionDays` UInt16 CODEC(ZSTD(1))
)
ENGINE = ${merge_tree:otel_metrics_gauge}
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, ServiceName, MetricName, Attributes, toUnixTimestamp64Nano(TimeUnix))
TTL toDateTime(ReceivedAt) + toIntervalDay(RetentionDays)
SETTINGS ${settings};

${distributed:otel_metrics_gauge:cityHash64(ServiceName, MetricName)}

CREATE TABLE IF NOT EXISTS ${table:otel_metrics_sum}${on_cluster}
(
  `ResourceAttributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  `ResourceSchemaUrl` LowCardinality(String) CODEC(ZSTD(1)),
  `ScopeName` LowCardinality(String) CODEC(ZSTD(1)),
  `ScopeVersion` LowCardinality(String) CODEC(ZSTD(1)),
  `ScopeAttributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  `ScopeDroppedAttrCount` UInt32 CODEC(ZSTD(1)),
  `ScopeSchemaUrl` LowCardinality(String) CODEC(ZSTD(1)),
  `ServiceName` LowCardinality(String) CODEC(ZSTD(1)),
  `MetricName` LowCardinality(String) CODEC(ZSTD(1)),
  `MetricDescription` LowCardinality(String) CODEC(ZSTD(1)),
  `MetricUnit` LowCardinality(String) CODEC(ZSTD(1)),
  `Attributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  `StartTimeUnix` DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  `TimeUnix` DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  `Flags` UInt32 CODEC(ZSTD(1)),
  `Value` Float64 CODEC(ZSTD(1)),
  `AggregationTemporality` Int32 CODEC(ZSTD(1)),
  `IsMonotonic` Bool CODEC(ZSTD(1)),
  `Exemplars.FilteredAttributes` Array(Map(LowCardinality(String), String)) CODEC(ZSTD(1)),
  `Exemplars.TimeUnix` Array(DateTime64(9)) CODEC(ZSTD(1)),
  `Exemplars.Value` Array(Float64) CODEC(ZSTD(1)),
  `Exemplars.SpanId` Array(String) CODEC(ZSTD(1)),
  `Exemplars.TraceId` Array(String) CODEC(ZSTD(1)),
  `ProjectId` LowCardinality(String) CODEC(ZSTD(1)),
  `Environment` LowCardinality(String) CODEC(ZSTD(1)),
  `ReceivedAt` DateTime64(3) CODEC(Delta(8), ZSTD(1)),
  `RetentionDays` UInt16 CODEC(ZSTD(1))
)
ENGINE = ${merge_tree:otel_metrics_sum}
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, ServiceName, MetricName, Attributes, toUnixTimestamp64Nano(TimeUnix))
TTL toDateTime(ReceivedAt) + toIntervalDay(RetentionDays)
SETTINGS ${settings};

${distributed:otel_metrics_sum:cityHash64(ServiceName, MetricName)}

CREATE TABLE IF NOT EXISTS ${table:otel_metrics_histogram}${on_cluster}
(
  `ResourceAttributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  `ResourceSchemaUrl` LowCardinality(String) CODEC(ZSTD(1)),
  `ScopeName` LowCardinality(String) CODEC(ZSTD(1)),
  `ScopeVersion` LowCardinality(String) CODEC(ZSTD(1)),
  `ScopeAttributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  `ScopeDroppedAttrCount` UInt32 CODEC(ZSTD(1)),
  `ScopeSchemaUrl` LowCardinality(String) CODEC(ZSTD(1)),
  `ServiceName` LowCardinality(String) CODEC(ZSTD(1)),
  `MetricName` LowCardinality(String) CODEC(ZSTD(1)),
  `MetricDescription` LowCardinality(String) CODEC(ZSTD(1)),
  `MetricUnit` LowCardinality(String) CODEC(ZSTD(1)),
  `Attributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  `StartTimeUnix` DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  `TimeUnix` DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  `Flags` UInt32 CODEC(ZSTD(1)),
  `Count` UInt64 CODEC(ZSTD(1)),
  `Sum` Float64 CODEC(ZSTD(1)),
  `BucketCounts` Array(UInt64) CODEC(ZSTD(1)),
  `ExplicitBounds` Array(Float64) CODEC(ZSTD(1)),
  `Min` Nullable(Float64) CODEC(ZSTD(1)),
  `Max` Nullable(Float64) CODEC(ZSTD(1)),
  `AggregationTemporality` Int32 CODEC(ZSTD(1)),
  `Exemplars.FilteredAttributes` Array(Map(LowCardinality(String), String)) CODEC(ZSTD(1)),
  `Exemplars.TimeUnix` Array(DateTime64(9)) CODEC(ZSTD(1)),
  `Exemplars.Value` Array(Float64) CODEC(ZSTD(1)),
  `Exemplars.SpanId` Array(String) CODEC(ZSTD(1)),
  `Exemplars.TraceId` Array(String) CODEC(ZSTD(1)),
  `ProjectId` LowCardinality(String) CODEC(ZSTD(1)),
  `Environment` LowCardinality(String) CODEC(ZSTD(1)),
  `ReceivedAt` DateTime64(3) CODEC(Delta(8), ZSTD(1)),
  `RetentionDays` UInt16 CODEC(ZSTD(1))
)
ENGINE = ${merge_tree:otel_metrics_histogram}
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, ServiceName, MetricName, Attributes, toUnixTimestamp64Nano(TimeUnix))
TTL toDateTime(ReceivedAt) + toIntervalDay(RetentionDays)
SETTINGS ${settings};

${distributed:otel_metrics_histogram:cityHash64(ServiceName, MetricName)}

CREATE TABLE IF NOT EXISTS ${table:otel_metrics_exponential_histogram}${on_cluster}
(
  `ResourceAttributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  `ResourceSchemaUrl` LowCardinality(String) CODEC(ZSTD(1)),
  `ScopeName` LowCardinality(String) CODEC(ZSTD(1)),
  `ScopeVersion` LowCardinality(String) CODEC(ZSTD(1)),
  `ScopeAttributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  `ScopeDroppedAttrCount` UInt32 CODEC(ZSTD(1)),
  `ScopeSchemaUrl` LowCardinality(String) CODEC(ZSTD(1)),
  `ServiceName` LowCardinality(String) CODEC(ZSTD(1)),
  `MetricName` LowCardinality(String) CODEC(ZSTD(1)),
  `MetricDescription` LowCardinality(String) CODEC(ZSTD(1)),
  `MetricUnit` LowCardinality(String) CODEC(ZSTD(1)),
  `Attributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  `StartTimeUnix` DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  `TimeUnix` DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  `Flags` UInt32 CODEC(ZSTD(1)),
  `Count` UInt64 CODEC(ZSTD(1)),
  `Sum` Float64 CODEC(ZSTD(1)),
  `Scale` Int32 CODEC(ZSTD(1)),
  `ZeroCount` UInt64 CODEC(ZSTD(1)),
  `PositiveOffset` Int32 CODEC(ZSTD(1)),
  `PositiveBucketCounts` Array(UInt64) CODEC(ZSTD(1)),
  `NegativeOffset` Int32 CODEC(ZSTD(1)),
  `NegativeBucketCounts` Array(UInt64) CODEC(ZSTD(1)),
  `Min` Nullable(Float64) CODEC(ZSTD(1)),
  `Max` Nullable(Float64) CODEC(ZSTD(1)),
  `AggregationTemporality` Int32 CODEC(ZSTD(1)),
  `Exemplars.FilteredAttributes` Array(Map(LowCardinality(String), String)) CODEC(ZSTD(1)),
  `Exemplars.TimeUnix` Array(DateTime64(9)) CODEC(ZSTD(1)),
  `Exemplars.Value` Array(Float64) CODEC(ZSTD(1)),
  `Exemplars.SpanId` Array(String) CODEC(ZSTD(1)),
  `Exemplars.TraceId` Array(String) CODEC(ZSTD(1)),
  `ProjectId` LowCardinality(String) CODEC(ZSTD(1)),
  `Environment` LowCardinality(String) CODEC(ZSTD(1)),
  `ReceivedAt` DateTime64(3) CODEC(Delta(8), ZSTD(1)),
  `RetentionDays` UInt16 CODEC(ZSTD(1))
)
ENGINE = ${merge_tree:otel_metrics_exponential_histogram}
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, ServiceName, MetricName, Attributes, toUnixTimestamp64Nano(TimeUnix))
TTL toDateTime(ReceivedAt) + toIntervalDay(RetentionDays)
SETTINGS ${settings};

${distributed:otel_metrics_exponential_histogram:cityHash64(ServiceName, MetricName)}

CREATE TABLE IF NOT EXISTS ${table:otel_metrics_summary}${on_cluster}
(
  `ResourceAttributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  `ResourceSchemaUrl` LowCardinality(String) CODEC(ZSTD(1)),
  `ScopeName` LowCardinality(String) CODEC(ZSTD(1)),
  `ScopeVersion` LowCardinality(String) CODEC(ZSTD(1)),
  `ScopeAttributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  `ScopeDroppedAttrCount` UInt32 CODEC(ZSTD(1)),
  `ScopeSchemaUrl` LowCardinality(String) CODEC(ZSTD(1)),
  `ServiceName` LowCardinality(String) CODEC(ZSTD(1)),
  `MetricName` LowCardinality(String) CODEC(ZSTD(1)),
  `MetricDescription` LowCardinality(String) CODEC(ZSTD(1)),
  `MetricUnit` LowCardinality(String) CODEC(ZSTD(1)),
  `Attributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  `StartTimeUnix` DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  `TimeUnix` DateTime64(9) CODEC(Delta(8), ZSTD(1)),
  `Flags` UInt32 CODEC(ZSTD(1)),
  `Count` UInt64 CODEC(ZSTD(1)),
  `Sum` Float64 CODEC(ZSTD(1)),
  `ValueAtQuantiles.Quantile` Array(Float64) CODEC(ZSTD(1)),
  `ValueAtQuantiles.Value` Array(Float64) CODEC(ZSTD(1)),
  `ProjectId` LowCardinality(String) CODEC(ZSTD(1)),
  `Environment` LowCardinality(String) CODEC(ZSTD(1)),
  `ReceivedAt` DateTime64(3) CODEC(Delta(8), ZSTD(1)),
  `RetentionDays` UInt16 CODEC(ZSTD(1))
)
ENGINE = ${merge_tree:otel_metrics_summary}
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, ServiceName, MetricName, Attributes, toUnixTimestamp64Nano(TimeUnix))
TTL toDateTime(ReceivedAt) + toIntervalDay(RetentionDays)
SETTINGS ${settings};

${distributed:otel_metrics_summary:cityHash64(ServiceName, MetricName)}
