CREATE DATABASE IF NOT EXISTS `candela`;

CREATE TABLE IF NOT EXISTS `candela`.`otel_traces`
(
  `Timestamp` DateTime64(9) CODEC(Delta(8), Default),
  `TraceId` String,
  `SpanId` String,
  `ParentSpanId` String,
  `TraceState` String,
  `SpanName` LowCardinality(String),
  `SpanKind` LowCardinality(String),
  `ServiceName` LowCardinality(String),
  `ResourceAttributes` Map(LowCardinality(String), String),
  `ScopeName` LowCardinality(String),
  `ScopeVersion` LowCardinality(String),
  `SpanAttributes` Map(LowCardinality(String), String),
  `Duration` UInt64 CODEC(T64, Default),
  `StatusCode` LowCardinality(String),
  `StatusMessage` String,
  `Events.Timestamp` Array(DateTime64(9)),
  `Events.Name` Array(LowCardinality(String)),
  `Events.Attributes` Array(Map(LowCardinality(String), String)),
  `Links.TraceId` Array(String),
  `Links.SpanId` Array(String),
  `Links.TraceState` Array(String),
  `Links.Attributes` Array(Map(LowCardinality(String), String)),
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedAt` DateTime64(3) CODEC(Delta(8), Default),
  `RetentionDays` UInt16,
  `ScopeAttributes` Map(LowCardinality(String), String),
  `Flags` UInt32,
  `ContentAttributes` Map(LowCardinality(String), String),
  `AttributeTypes` LowCardinality(String),
  `GenAiConvention` LowCardinality(String),
  `GenAiOperation` LowCardinality(String),
  `GenAiProvider` LowCardinality(String),
  `GenAiRequestModel` LowCardinality(String),
  `GenAiResponseModel` LowCardinality(String),
  `SessionId` String,
  `UserId` String,
  `AgentName` LowCardinality(String),
  `ToolName` LowCardinality(String),
  `ErrorType` LowCardinality(String),
  `InputTokens` UInt32,
  `CacheReadTokens` UInt32,
  `CacheWriteTokens` UInt32,
  `OutputTokens` UInt32,
  `ReasoningTokens` UInt32,
  `CountsUsage` UInt8,
  `CostUsd` Nullable(Float64),
  `EmitterCostUsd` Nullable(Float64),
  `ResponseId` String,
  `WorkflowName` LowCardinality(String),
  `PromptName` LowCardinality(String),
  `PromptVersion` LowCardinality(String),
  `FinishReason` LowCardinality(String),
  `TimeToFirstTokenMs` Nullable(Float64),
  INDEX idx_trace_id TraceId TYPE bloom_filter(0.001) GRANULARITY 1,
  INDEX idx_session_id SessionId TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_attributes arrayMap((k, v) -> concat(k, '=', v), mapKeys(SpanAttributes), mapValues(SpanAttributes)) TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_content lower(concat(SpanName, ' ', StatusMessage, ' ', arrayStringConcat(mapValues(ContentAttributes), ' '))) TYPE tokenbf_v1(65536, 2, 0) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, Timestamp)
TTL toDateTime(ReceivedAt) + toIntervalDay(if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

CREATE TABLE IF NOT EXISTS `candela`.`otel_logs`
(
  `Timestamp` DateTime64(9) CODEC(Delta(8), Default),
  `TraceId` String,
  `SpanId` String,
  `TraceFlags` UInt8,
  `SeverityText` LowCardinality(String),
  `SeverityNumber` UInt8,
  `ServiceName` LowCardinality(String),
  `Body` String,
  `ResourceSchemaUrl` LowCardinality(String),
  `ResourceAttributes` Map(LowCardinality(String), String),
  `ScopeSchemaUrl` LowCardinality(String),
  `ScopeName` LowCardinality(String),
  `ScopeVersion` LowCardinality(String),
  `ScopeAttributes` Map(LowCardinality(String), String),
  `LogAttributes` Map(LowCardinality(String), String),
  `EventName` LowCardinality(String),
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedAt` DateTime64(3) CODEC(Delta(8), Default),
  `RetentionDays` UInt16,
  `ObservedTimestamp` DateTime64(9) CODEC(Delta(8), Default),
  `AttributeTypes` LowCardinality(String),
  `GenAiConvention` LowCardinality(String),
  `GenAiOperation` LowCardinality(String),
  `GenAiProvider` LowCardinality(String),
  `GenAiRequestModel` LowCardinality(String),
  `GenAiResponseModel` LowCardinality(String),
  `SessionId` String,
  `UserId` String,
  `AgentName` LowCardinality(String),
  `ToolName` LowCardinality(String),
  `ErrorType` LowCardinality(String),
  `InputTokens` UInt32,
  `CacheReadTokens` UInt32,
  `CacheWriteTokens` UInt32,
  `OutputTokens` UInt32,
  `ReasoningTokens` UInt32,
  `CountsUsage` UInt8,
  `CostUsd` Nullable(Float64),
  `EmitterCostUsd` Nullable(Float64),
  INDEX idx_trace_id TraceId TYPE bloom_filter(0.001) GRANULARITY 1,
  INDEX idx_session_id SessionId TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_attributes arrayMap((k, v) -> concat(k, '=', v), mapKeys(LogAttributes), mapValues(LogAttributes)) TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_body lower(Body) TYPE tokenbf_v1(65536, 2, 0) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, Timestamp)
TTL toDateTime(ReceivedAt) + toIntervalDay(if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

CREATE TABLE IF NOT EXISTS `candela`.`otel_metrics_gauge`
(
  `ResourceAttributes` Map(LowCardinality(String), String),
  `ResourceSchemaUrl` LowCardinality(String),
  `ScopeName` LowCardinality(String),
  `ScopeVersion` LowCardinality(String),
  `ScopeAttributes` Map(LowCardinality(String), String),
  `ScopeDroppedAttrCount` UInt32,
  `ScopeSchemaUrl` LowCardinality(String),
  `ServiceName` LowCardinality(String),
  `MetricName` LowCardinality(String),
  `MetricDescription` LowCardinality(String),
  `MetricUnit` LowCardinality(String),
  `Attributes` Map(LowCardinality(String), String),
  `StartTimeUnix` DateTime64(9) CODEC(Delta(8), Default),
  `TimeUnix` DateTime64(9) CODEC(Delta(8), Default),
  `Flags` UInt32,
  `Value` Float64,
  `Exemplars.FilteredAttributes` Array(Map(LowCardinality(String), String)),
  `Exemplars.TimeUnix` Array(DateTime64(9)),
  `Exemplars.Value` Array(Float64),
  `Exemplars.SpanId` Array(String),
  `Exemplars.TraceId` Array(String),
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedAt` DateTime64(3) CODEC(Delta(8), Default),
  `RetentionDays` UInt16
)
ENGINE = MergeTree
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, MetricName, ServiceName, TimeUnix)
TTL toDateTime(ReceivedAt) + toIntervalDay(if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

CREATE TABLE IF NOT EXISTS `candela`.`otel_metrics_sum`
(
  `ResourceAttributes` Map(LowCardinality(String), String),
  `ResourceSchemaUrl` LowCardinality(String),
  `ScopeName` LowCardinality(String),
  `ScopeVersion` LowCardinality(String),
  `ScopeAttributes` Map(LowCardinality(String), String),
  `ScopeDroppedAttrCount` UInt32,
  `ScopeSchemaUrl` LowCardinality(String),
  `ServiceName` LowCardinality(String),
  `MetricName` LowCardinality(String),
  `MetricDescription` LowCardinality(String),
  `MetricUnit` LowCardinality(String),
  `Attributes` Map(LowCardinality(String), String),
  `StartTimeUnix` DateTime64(9) CODEC(Delta(8), Default),
  `TimeUnix` DateTime64(9) CODEC(Delta(8), Default),
  `Flags` UInt32,
  `Value` Float64,
  `AggregationTemporality` Int32,
  `IsMonotonic` Bool,
  `Exemplars.FilteredAttributes` Array(Map(LowCardinality(String), String)),
  `Exemplars.TimeUnix` Array(DateTime64(9)),
  `Exemplars.Value` Array(Float64),
  `Exemplars.SpanId` Array(String),
  `Exemplars.TraceId` Array(String),
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedAt` DateTime64(3) CODEC(Delta(8), Default),
  `RetentionDays` UInt16
)
ENGINE = MergeTree
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, MetricName, ServiceName, TimeUnix)
TTL toDateTime(ReceivedAt) + toIntervalDay(if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

CREATE TABLE IF NOT EXISTS `candela`.`otel_metrics_histogram`
(
  `ResourceAttributes` Map(LowCardinality(String), String),
  `ResourceSchemaUrl` LowCardinality(String),
  `ScopeName` LowCardinality(String),
  `ScopeVersion` LowCardinality(String),
  `ScopeAttributes` Map(LowCardinality(String), String),
  `ScopeDroppedAttrCount` UInt32,
  `ScopeSchemaUrl` LowCardinality(String),
  `ServiceName` LowCardinality(String),
  `MetricName` LowCardinality(String),
  `MetricDescription` LowCardinality(String),
  `MetricUnit` LowCardinality(String),
  `Attributes` Map(LowCardinality(String), String),
  `StartTimeUnix` DateTime64(9) CODEC(Delta(8), Default),
  `TimeUnix` DateTime64(9) CODEC(Delta(8), Default),
  `Flags` UInt32,
  `Count` UInt64,
  `Sum` Float64,
  `BucketCounts` Array(UInt64),
  `ExplicitBounds` Array(Float64),
  `Min` Nullable(Float64),
  `Max` Nullable(Float64),
  `AggregationTemporality` Int32,
  `Exemplars.FilteredAttributes` Array(Map(LowCardinality(String), String)),
  `Exemplars.TimeUnix` Array(DateTime64(9)),
  `Exemplars.Value` Array(Float64),
  `Exemplars.SpanId` Array(String),
  `Exemplars.TraceId` Array(String),
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedAt` DateTime64(3) CODEC(Delta(8), Default),
  `RetentionDays` UInt16
)
ENGINE = MergeTree
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, MetricName, ServiceName, TimeUnix)
TTL toDateTime(ReceivedAt) + toIntervalDay(if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

CREATE TABLE IF NOT EXISTS `candela`.`otel_metrics_exponential_histogram`
(
  `ResourceAttributes` Map(LowCardinality(String), String),
  `ResourceSchemaUrl` LowCardinality(String),
  `ScopeName` LowCardinality(String),
  `ScopeVersion` LowCardinality(String),
  `ScopeAttributes` Map(LowCardinality(String), String),
  `ScopeDroppedAttrCount` UInt32,
  `ScopeSchemaUrl` LowCardinality(String),
  `ServiceName` LowCardinality(String),
  `MetricName` LowCardinality(String),
  `MetricDescription` LowCardinality(String),
  `MetricUnit` LowCardinality(String),
  `Attributes` Map(LowCardinality(String), String),
  `StartTimeUnix` DateTime64(9) CODEC(Delta(8), Default),
  `TimeUnix` DateTime64(9) CODEC(Delta(8), Default),
  `Flags` UInt32,
  `Count` UInt64,
  `Sum` Float64,
  `Scale` Int32,
  `ZeroCount` UInt64,
  `PositiveOffset` Int32,
  `PositiveBucketCounts` Array(UInt64),
  `NegativeOffset` Int32,
  `NegativeBucketCounts` Array(UInt64),
  `Min` Nullable(Float64),
  `Max` Nullable(Float64),
  `AggregationTemporality` Int32,
  `Exemplars.FilteredAttributes` Array(Map(LowCardinality(String), String)),
  `Exemplars.TimeUnix` Array(DateTime64(9)),
  `Exemplars.Value` Array(Float64),
  `Exemplars.SpanId` Array(String),
  `Exemplars.TraceId` Array(String),
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedAt` DateTime64(3) CODEC(Delta(8), Default),
  `RetentionDays` UInt16
)
ENGINE = MergeTree
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, MetricName, ServiceName, TimeUnix)
TTL toDateTime(ReceivedAt) + toIntervalDay(if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

CREATE TABLE IF NOT EXISTS `candela`.`otel_metrics_summary`
(
  `ResourceAttributes` Map(LowCardinality(String), String),
  `ResourceSchemaUrl` LowCardinality(String),
  `ScopeName` LowCardinality(String),
  `ScopeVersion` LowCardinality(String),
  `ScopeAttributes` Map(LowCardinality(String), String),
  `ScopeDroppedAttrCount` UInt32,
  `ScopeSchemaUrl` LowCardinality(String),
  `ServiceName` LowCardinality(String),
  `MetricName` LowCardinality(String),
  `MetricDescription` LowCardinality(String),
  `MetricUnit` LowCardinality(String),
  `Attributes` Map(LowCardinality(String), String),
  `StartTimeUnix` DateTime64(9) CODEC(Delta(8), Default),
  `TimeUnix` DateTime64(9) CODEC(Delta(8), Default),
  `Flags` UInt32,
  `Count` UInt64,
  `Sum` Float64,
  `ValueAtQuantiles.Quantile` Array(Float64),
  `ValueAtQuantiles.Value` Array(Float64),
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedAt` DateTime64(3) CODEC(Delta(8), Default),
  `RetentionDays` UInt16
)
ENGINE = MergeTree
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, MetricName, ServiceName, TimeUnix)
TTL toDateTime(ReceivedAt) + toIntervalDay(if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

CREATE TABLE IF NOT EXISTS `candela`.`span_counts`
(
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedDay` Date,
  `RetentionDays` UInt16,
  `Bucket` DateTime CODEC(Delta(4), Default),
  `ServiceName` LowCardinality(String),
  `SpanName` LowCardinality(String),
  `SpanKind` LowCardinality(String),
  `StatusCode` LowCardinality(String),
  `GenAiOperation` LowCardinality(String),
  `GenAiProvider` LowCardinality(String),
  `GenAiRequestModel` LowCardinality(String),
  `GenAiResponseModel` LowCardinality(String),
  `AgentName` LowCardinality(String),
  `ToolName` LowCardinality(String),
  `ErrorType` LowCardinality(String),
  `Root` UInt8,
  `Spans` SimpleAggregateFunction(sum, UInt64),
  `DurationNs` SimpleAggregateFunction(sum, UInt64),
  `Counting` SimpleAggregateFunction(sum, UInt64),
  `InputTokens` SimpleAggregateFunction(sum, UInt64),
  `CacheReadTokens` SimpleAggregateFunction(sum, UInt64),
  `CacheWriteTokens` SimpleAggregateFunction(sum, UInt64),
  `OutputTokens` SimpleAggregateFunction(sum, UInt64),
  `ReasoningTokens` SimpleAggregateFunction(sum, UInt64),
  `Priced` SimpleAggregateFunction(sum, UInt64),
  `CostUsd` SimpleAggregateFunction(sum, Float64)
)
ENGINE = AggregatingMergeTree
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, Environment, Bucket, ServiceName, SpanName, SpanKind, StatusCode, GenAiOperation, GenAiProvider,
  GenAiRequestModel, GenAiResponseModel, AgentName, ToolName, ErrorType, Root)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

BACKFILL span_counts;

CREATE TABLE IF NOT EXISTS `candela`.`trace_figures`
(
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedDay` Date,
  `RetentionDays` UInt16,
  `Hour` DateTime CODEC(Delta(4), Default),
  `TraceHash` UInt64,
  `TraceId` String,
  `FirstNs` SimpleAggregateFunction(min, Int64) CODEC(T64, Default),
  `LastNs` SimpleAggregateFunction(max, Int64) CODEC(T64, Default),
  `EndNs` SimpleAggregateFunction(max, Int64) CODEC(T64, Default),
  `Spans` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `Errors` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `Tokens` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `Cost` SimpleAggregateFunction(sum, Int64) CODEC(T64, Default),
  `Priced` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `Services` SimpleAggregateFunction(groupUniqArrayArray, Array(String)),
  `Models` SimpleAggregateFunction(groupUniqArrayArray, Array(String)),
  `Operations` SimpleAggregateFunction(groupUniqArrayArray, Array(String)),
  `Agents` SimpleAggregateFunction(groupUniqArrayArray, Array(String))
)
ENGINE = AggregatingMergeTree
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, Environment, Hour, TraceHash, TraceId)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

BACKFILL trace_figures;

CREATE TABLE IF NOT EXISTS `candela`.`log_counts`
(
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedDay` Date,
  `RetentionDays` UInt16,
  `Bucket` DateTime CODEC(Delta(4), Default),
  `ServiceName` LowCardinality(String),
  `SeverityNumber` UInt8,
  `SeverityText` LowCardinality(String),
  `EventName` LowCardinality(String),
  `ScopeName` LowCardinality(String),
  `Records` SimpleAggregateFunction(sum, UInt64)
)
ENGINE = AggregatingMergeTree
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, Environment, Bucket, ServiceName, SeverityNumber, SeverityText, EventName, ScopeName)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

BACKFILL log_counts;

CREATE TABLE IF NOT EXISTS `candela`.`activity`
(
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedDay` Date,
  `RetentionDays` UInt16,
  `Bucket` DateTime CODEC(Delta(4), Default),
  `SessionHash` UInt64,
  `UserHash` UInt64,
  `SessionId` String,
  `UserId` String,
  `FirstNs` SimpleAggregateFunction(min, Int64) CODEC(T64, Default),
  `EndNs` SimpleAggregateFunction(max, Int64) CODEC(T64, Default),
  `OpeningNs` SimpleAggregateFunction(min, Int64) CODEC(T64, Default),
  `Spans` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `Errors` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `Counting` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `Input` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `CacheRead` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `CacheWrite` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `Output` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `Reasoning` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `Priced` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `Cost` SimpleAggregateFunction(sum, Int64) CODEC(T64, Default),
  `Traces` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)),
  `Models` SimpleAggregateFunction(groupUniqArrayArray, Array(String)),
  `Agents` SimpleAggregateFunction(groupUniqArrayArray, Array(String)),
  INDEX idx_session SessionHash TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_user UserHash TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = AggregatingMergeTree
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, Environment, Bucket, SessionHash, UserHash, SessionId, UserId)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

BACKFILL activity;

CREATE TABLE IF NOT EXISTS `candela`.`agent_figures`
(
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedDay` Date,
  `RetentionDays` UInt16,
  `Bucket` DateTime CODEC(Delta(4), Default),
  `AgentName` LowCardinality(String),
  `AgentVersion` LowCardinality(String),
  `GenAiOperation` LowCardinality(String),
  `GenAiProvider` LowCardinality(String),
  `Model` LowCardinality(String),
  `ToolName` LowCardinality(String),
  `ServiceName` LowCardinality(String),
  `GenAiConvention` LowCardinality(String),
  `ScopeName` LowCardinality(String),
  `FirstNs` SimpleAggregateFunction(min, Int64) CODEC(T64, Default),
  `LastNs` SimpleAggregateFunction(max, Int64) CODEC(T64, Default),
  `Spans` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `Errors` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `Counting` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `InTokens` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `OutTokens` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `Priced` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `Cost` SimpleAggregateFunction(sum, Int64) CODEC(T64, Default),
  `Durations` SimpleAggregateFunction(sumMap, Tuple(Array(UInt16), Array(UInt64)))
)
ENGINE = AggregatingMergeTree
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, Environment, Bucket, AgentName, AgentVersion, GenAiOperation, GenAiProvider, Model, ToolName,
  ServiceName, GenAiConvention, ScopeName)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

BACKFILL agent_figures;

CREATE TABLE IF NOT EXISTS `candela`.`exceptions`
(
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedDay` Date,
  `RetentionDays` UInt16,
  `Timestamp` DateTime64(9) CODEC(Delta(8), Default),
  `Fingerprint` UInt64,
  `Occurrence` UInt64,
  `Source` LowCardinality(String),
  `Type` LowCardinality(String),
  `ServiceName` LowCardinality(String),
  `TraceId` String,
  `SpanId` String,
  `GenAiProvider` LowCardinality(String),
  `AgentName` LowCardinality(String),
  `ToolName` LowCardinality(String),
  `UserId` String,
  `SessionId` String,
  `SpanName` LowCardinality(String),
  `Model` LowCardinality(String),
  `Version` LowCardinality(String),
  `Message` SimpleAggregateFunction(max, String),
  `Stacktrace` SimpleAggregateFunction(max, String),
  `Escaped` SimpleAggregateFunction(max, UInt8),
  INDEX idx_fingerprint Fingerprint TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_trace_id TraceId TYPE bloom_filter(0.001) GRANULARITY 1
)
ENGINE = AggregatingMergeTree
PARTITION BY (RetentionDays, ReceivedDay)
PRIMARY KEY (ProjectId, Timestamp)
ORDER BY (ProjectId, Timestamp, Environment, Fingerprint, Occurrence, Source, Type, ServiceName, TraceId, SpanId,
  GenAiProvider, AgentName, ToolName, UserId, SessionId, SpanName, Model, Version)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

BACKFILL exceptions;

CREATE TABLE IF NOT EXISTS `candela`.`exception_groups`
(
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedDay` Date,
  `RetentionDays` UInt16,
  `Fingerprint` UInt64,
  `FirstNs` SimpleAggregateFunction(min, Int64),
  `LastNs` SimpleAggregateFunction(max, Int64)
)
ENGINE = AggregatingMergeTree
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, Environment, Fingerprint)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

BACKFILL exception_groups;

CREATE TABLE IF NOT EXISTS `candela`.`host_points`
(
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedDay` Date,
  `RetentionDays` UInt16,
  `MetricName` LowCardinality(String),
  `TimeUnix` DateTime64(9) CODEC(Delta(8), Default),
  `Host` LowCardinality(String),
  `Agent` LowCardinality(String),
  `Device` LowCardinality(String),
  `Part` LowCardinality(String),
  `Series` UInt64,
  `Kind` UInt8,
  `Value` SimpleAggregateFunction(max, Float64)
)
ENGINE = AggregatingMergeTree
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, MetricName, TimeUnix, Environment, Host, Agent, Device, Part, Series, Kind)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

BACKFILL host_points;

CREATE TABLE IF NOT EXISTS `candela`.`host_calls`
(
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedDay` Date,
  `RetentionDays` UInt16,
  `Bucket` DateTime CODEC(Delta(4), Default),
  `Host` LowCardinality(String),
  `ServiceName` LowCardinality(String),
  `GenAiProvider` LowCardinality(String),
  `Model` LowCardinality(String),
  `Calls` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `Errors` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `Counting` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `InTokens` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `OutTokens` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `Priced` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  `Cost` SimpleAggregateFunction(sum, Int64) CODEC(T64, Default),
  `Durations` SimpleAggregateFunction(sumMap, Tuple(Array(UInt16), Array(UInt64)))
)
ENGINE = AggregatingMergeTree
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, Environment, Host, Bucket, ServiceName, GenAiProvider, Model)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

BACKFILL host_calls;

ALTER TABLE `candela`.`otel_metrics_gauge` ADD COLUMN IF NOT EXISTS SeriesId UInt64 MATERIALIZED cityHash64('gauge', MetricName, MetricUnit, Environment, ScopeName, ScopeVersion, mapSort(Attributes), mapSort(ResourceAttributes), mapSort(ScopeAttributes));

ALTER TABLE `candela`.`otel_metrics_sum` ADD COLUMN IF NOT EXISTS SeriesId UInt64 MATERIALIZED cityHash64('sum', MetricName, MetricUnit, Environment, AggregationTemporality, IsMonotonic, ScopeName, ScopeVersion, mapSort(Attributes), mapSort(ResourceAttributes), mapSort(ScopeAttributes));

ALTER TABLE `candela`.`otel_metrics_histogram` ADD COLUMN IF NOT EXISTS SeriesId UInt64 MATERIALIZED cityHash64('histogram', MetricName, MetricUnit, Environment, AggregationTemporality, ScopeName, ScopeVersion, mapSort(Attributes), mapSort(ResourceAttributes), mapSort(ScopeAttributes));

ALTER TABLE `candela`.`otel_metrics_exponential_histogram` ADD COLUMN IF NOT EXISTS SeriesId UInt64 MATERIALIZED cityHash64('exponential_histogram', MetricName, MetricUnit, Environment, AggregationTemporality, ScopeName, ScopeVersion, mapSort(Attributes), mapSort(ResourceAttributes), mapSort(ScopeAttributes));

ALTER TABLE `candela`.`otel_metrics_summary` ADD COLUMN IF NOT EXISTS SeriesId UInt64 MATERIALIZED cityHash64('summary', MetricName, MetricUnit, Environment, ScopeName, ScopeVersion, mapSort(Attributes), mapSort(ResourceAttributes), mapSort(ScopeAttributes));

CREATE TABLE IF NOT EXISTS `candela`.`metric_series`
(
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedDay` Date,
  `RetentionDays` UInt16,
  `MetricName` LowCardinality(String),
  `Kind` LowCardinality(String),
  `MetricUnit` LowCardinality(String),
  `Temporality` Int32,
  `Monotonic` UInt8,
  `ServiceName` LowCardinality(String),
  `ScopeName` LowCardinality(String),
  `ScopeVersion` LowCardinality(String),
  `SeriesId` UInt64,
  `MetricDescription` SimpleAggregateFunction(max, String),
  `Attributes` SimpleAggregateFunction(any, Map(String, String)),
  `ResourceAttributes` SimpleAggregateFunction(any, Map(String, String)),
  `ScopeAttributes` SimpleAggregateFunction(any, Map(String, String)),
  `FirstNs` SimpleAggregateFunction(min, Int64),
  `LastNs` SimpleAggregateFunction(max, Int64),
  `Points` SimpleAggregateFunction(sum, UInt64),
  `LastPoint` SimpleAggregateFunction(max, Tuple(Int64, Float64))
)
ENGINE = AggregatingMergeTree
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, MetricName, Kind, SeriesId, Environment, MetricUnit, Temporality, Monotonic, ServiceName,
  ScopeName, ScopeVersion)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

BACKFILL metric_series;

ALTER TABLE `candela`.`otel_metrics_histogram` ADD COLUMN IF NOT EXISTS ShapeId UInt64 MATERIALIZED cityHash64(ExplicitBounds, length(BucketCounts));

ALTER TABLE `candela`.`trace_figures`
  MODIFY COLUMN `TraceHash` CODEC(LZ4),
  MODIFY COLUMN `FirstNs` CODEC(T64, LZ4),
  MODIFY COLUMN `LastNs` CODEC(T64, LZ4),
  MODIFY COLUMN `EndNs` CODEC(T64, LZ4),
  MODIFY COLUMN `Spans` CODEC(T64, LZ4),
  MODIFY COLUMN `Errors` CODEC(T64, LZ4),
  MODIFY COLUMN `Tokens` CODEC(T64, LZ4),
  MODIFY COLUMN `Cost` CODEC(T64, LZ4),
  MODIFY COLUMN `Priced` CODEC(T64, LZ4),
  MODIFY COLUMN `Services` CODEC(LZ4),
  MODIFY COLUMN `Models` CODEC(LZ4),
  MODIFY COLUMN `Operations` CODEC(LZ4),
  MODIFY COLUMN `Agents` CODEC(LZ4);

ALTER TABLE `candela`.`activity`
  MODIFY COLUMN `SessionHash` CODEC(LZ4),
  MODIFY COLUMN `UserHash` CODEC(LZ4),
  MODIFY COLUMN `SessionId` CODEC(LZ4),
  MODIFY COLUMN `UserId` CODEC(LZ4),
  MODIFY COLUMN `FirstNs` CODEC(T64, LZ4),
  MODIFY COLUMN `EndNs` CODEC(T64, LZ4),
  MODIFY COLUMN `OpeningNs` CODEC(T64, LZ4),
  MODIFY COLUMN `Spans` CODEC(T64, LZ4),
  MODIFY COLUMN `Errors` CODEC(T64, LZ4),
  MODIFY COLUMN `Counting` CODEC(T64, LZ4),
  MODIFY COLUMN `Input` CODEC(T64, LZ4),
  MODIFY COLUMN `CacheRead` CODEC(T64, LZ4),
  MODIFY COLUMN `CacheWrite` CODEC(T64, LZ4),
  MODIFY COLUMN `Output` CODEC(T64, LZ4),
  MODIFY COLUMN `Reasoning` CODEC(T64, LZ4),
  MODIFY COLUMN `Priced` CODEC(T64, LZ4),
  MODIFY COLUMN `Cost` CODEC(T64, LZ4),
  MODIFY COLUMN `Traces` CODEC(LZ4),
  MODIFY COLUMN `Models` CODEC(LZ4),
  MODIFY COLUMN `Agents` CODEC(LZ4);

ALTER TABLE `candela`.`otel_metrics_histogram`
  MODIFY COLUMN `BucketCounts` CODEC(T64, Default);

ALTER TABLE `candela`.`otel_metrics_exponential_histogram`
  MODIFY COLUMN `PositiveBucketCounts` CODEC(T64, Default),
  MODIFY COLUMN `NegativeBucketCounts` CODEC(T64, Default);

ALTER TABLE `candela`.`otel_traces` ADD COLUMN IF NOT EXISTS HttpRoute LowCardinality(String) MATERIALIZED SpanAttributes['http.route'];

ALTER TABLE `candela`.`otel_traces` ADD COLUMN IF NOT EXISTS HttpRequestMethod LowCardinality(String) MATERIALIZED SpanAttributes['http.request.method'];

ALTER TABLE `candela`.`otel_traces` ADD COLUMN IF NOT EXISTS HttpResponseStatusCode LowCardinality(String) MATERIALIZED SpanAttributes['http.response.status_code'];

ALTER TABLE `candela`.`otel_traces` ADD COLUMN IF NOT EXISTS ServerAddress LowCardinality(String) MATERIALIZED SpanAttributes['server.address'];

ALTER TABLE `candela`.`otel_traces` ADD COLUMN IF NOT EXISTS DbSystemName LowCardinality(String) MATERIALIZED SpanAttributes['db.system.name'];

ALTER TABLE `candela`.`otel_traces` ADD COLUMN IF NOT EXISTS DbCollectionName LowCardinality(String) MATERIALIZED SpanAttributes['db.collection.name'];

ALTER TABLE `candela`.`otel_traces` ADD COLUMN IF NOT EXISTS DbOperationName LowCardinality(String) MATERIALIZED SpanAttributes['db.operation.name'];

ALTER TABLE `candela`.`otel_traces` ADD COLUMN IF NOT EXISTS RpcMethod LowCardinality(String) MATERIALIZED SpanAttributes['rpc.method'];

ALTER TABLE `candela`.`otel_traces` ADD COLUMN IF NOT EXISTS MessagingDestinationName LowCardinality(String) MATERIALIZED SpanAttributes['messaging.destination.name'];

ALTER TABLE `candela`.`otel_traces` ADD COLUMN IF NOT EXISTS McpMethodName LowCardinality(String) MATERIALIZED SpanAttributes['mcp.method.name'];

ALTER TABLE `candela`.`otel_traces`
  MATERIALIZE COLUMN HttpRoute,
  MATERIALIZE COLUMN HttpRequestMethod,
  MATERIALIZE COLUMN HttpResponseStatusCode,
  MATERIALIZE COLUMN ServerAddress,
  MATERIALIZE COLUMN DbSystemName,
  MATERIALIZE COLUMN DbCollectionName,
  MATERIALIZE COLUMN DbOperationName,
  MATERIALIZE COLUMN RpcMethod,
  MATERIALIZE COLUMN MessagingDestinationName,
  MATERIALIZE COLUMN McpMethodName
SETTINGS mutations_sync = 0;

CREATE TABLE IF NOT EXISTS `candela`.attribute_use
(
  At DateTime64(3) DEFAULT now64(3),
  Kind LowCardinality(String),
  TableName LowCardinality(String),
  MapName LowCardinality(String),
  Key String,
  Asks UInt32
)
ENGINE = MergeTree
ORDER BY (Kind, At)
TTL toDateTime(At) + INTERVAL 14 DAY;

ALTER TABLE `candela`.`trace_figures` DROP COLUMN IF EXISTS `Services`;

ALTER TABLE `candela`.`trace_figures` DROP COLUMN IF EXISTS `Models`;

ALTER TABLE `candela`.`trace_figures` DROP COLUMN IF EXISTS `Operations`;

ALTER TABLE `candela`.`trace_figures` DROP COLUMN IF EXISTS `Agents`;

ALTER TABLE `candela`.`trace_figures` ADD COLUMN IF NOT EXISTS `ServiceHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4);

ALTER TABLE `candela`.`trace_figures` ADD COLUMN IF NOT EXISTS `ModelHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4);

ALTER TABLE `candela`.`trace_figures` ADD COLUMN IF NOT EXISTS `OperationHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4);

ALTER TABLE `candela`.`trace_figures` ADD COLUMN IF NOT EXISTS `AgentHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4);

BACKFILL trace_figures;

ALTER TABLE `candela`.`activity` ADD COLUMN IF NOT EXISTS `ServiceHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4);

ALTER TABLE `candela`.`activity` ADD COLUMN IF NOT EXISTS `ModelHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4);

ALTER TABLE `candela`.`activity` ADD COLUMN IF NOT EXISTS `OperationHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4);

ALTER TABLE `candela`.`activity` ADD COLUMN IF NOT EXISTS `AgentHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4);

BACKFILL activity;

ALTER TABLE `candela`.`otel_traces` ADD COLUMN IF NOT EXISTS SessionHash UInt64 MATERIALIZED cityHash64(SessionId);

ALTER TABLE `candela`.`otel_traces` ADD COLUMN IF NOT EXISTS UserHash UInt64 MATERIALIZED cityHash64(UserId);

CREATE TABLE IF NOT EXISTS `candela`.`session_figures`
(
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedDay` Date,
  `RetentionDays` UInt16,
  `Bucket` DateTime CODEC(Delta(4), Default),
  `SessionHash` UInt64 CODEC(LZ4),
  `UserHash` UInt64 CODEC(LZ4),
  `SessionId` String CODEC(LZ4),
  `UserId` String CODEC(LZ4),
  `FirstNs` SimpleAggregateFunction(min, Int64) CODEC(T64, LZ4),
  `EndNs` SimpleAggregateFunction(max, Int64) CODEC(T64, LZ4),
  `OpeningNs` SimpleAggregateFunction(min, Int64) CODEC(T64, LZ4),
  `Spans` SimpleAggregateFunction(sum, UInt64) CODEC(T64, LZ4),
  `Errors` SimpleAggregateFunction(sum, UInt64) CODEC(T64, LZ4),
  `Counting` SimpleAggregateFunction(sum, UInt64) CODEC(T64, LZ4),
  `Input` SimpleAggregateFunction(sum, UInt64) CODEC(T64, LZ4),
  `CacheRead` SimpleAggregateFunction(sum, UInt64) CODEC(T64, LZ4),
  `CacheWrite` SimpleAggregateFunction(sum, UInt64) CODEC(T64, LZ4),
  `Output` SimpleAggregateFunction(sum, UInt64) CODEC(T64, LZ4),
  `Reasoning` SimpleAggregateFunction(sum, UInt64) CODEC(T64, LZ4),
  `Priced` SimpleAggregateFunction(sum, UInt64) CODEC(T64, LZ4),
  `Cost` SimpleAggregateFunction(sum, Int64) CODEC(T64, LZ4),
  `Traces` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4),
  `Models` SimpleAggregateFunction(groupUniqArrayArray, Array(String)) CODEC(LZ4),
  `Agents` SimpleAggregateFunction(groupUniqArrayArray, Array(String)) CODEC(LZ4),
  `ServiceHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4),
  `ModelHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4),
  `OperationHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4),
  `AgentHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4),
  INDEX idx_session SessionHash TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_user UserHash TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = AggregatingMergeTree
PARTITION BY (RetentionDays, ReceivedDay)
PRIMARY KEY (ProjectId, Environment, intDiv(toUInt32(Bucket), 21600), SessionHash)
ORDER BY (ProjectId, Environment, intDiv(toUInt32(Bucket), 21600), SessionHash, UserHash, Bucket, SessionId, UserId)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000, min_compress_block_size = 8192;

BACKFILL session_figures;

DROP TABLE IF EXISTS `candela`.`activity` SYNC;

ALTER TABLE `candela`.`otel_traces` ADD COLUMN IF NOT EXISTS `TotalTokens` UInt64 MATERIALIZED InputTokens + CacheReadTokens + CacheWriteTokens + OutputTokens + ReasoningTokens;

ALTER TABLE `candela`.`otel_traces` MODIFY SETTING min_compress_block_size = 8192;

ALTER TABLE `candela`.`otel_traces` MODIFY COLUMN `TraceId` MODIFY SETTING max_compress_block_size = 32768;

ALTER TABLE `candela`.`otel_traces` MODIFY COLUMN `SpanId` MODIFY SETTING max_compress_block_size = 32768;

ALTER TABLE `candela`.`otel_traces` MODIFY COLUMN `ParentSpanId` MODIFY SETTING max_compress_block_size = 32768;

ALTER TABLE `candela`.`otel_traces` MODIFY COLUMN `SessionId` MODIFY SETTING max_compress_block_size = 32768;

ALTER TABLE `candela`.`otel_traces` ADD COLUMN IF NOT EXISTS `CostStep` UInt32 MATERIALIZED if(CostUsd > 0, toUInt32(bitShiftRight(reinterpretAsUInt64(assumeNotNull(CostUsd)), 40)), 0);

ALTER TABLE `candela`.`otel_traces` ADD INDEX IF NOT EXISTS idx_duration Duration TYPE minmax GRANULARITY 1;

ALTER TABLE `candela`.`otel_traces` ADD INDEX IF NOT EXISTS idx_total_tokens TotalTokens TYPE minmax GRANULARITY 1;

ALTER TABLE `candela`.`otel_traces` ADD INDEX IF NOT EXISTS idx_cost_step CostStep TYPE minmax GRANULARITY 1;

ALTER TABLE `candela`.`otel_traces`
  MATERIALIZE COLUMN TotalTokens,
  MATERIALIZE COLUMN CostStep,
  MATERIALIZE INDEX idx_duration,
  MATERIALIZE INDEX idx_total_tokens,
  MATERIALIZE INDEX idx_cost_step
SETTINGS mutations_sync = 0;

ALTER TABLE `candela`.`trace_figures` ADD COLUMN IF NOT EXISTS `ProviderHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4);

BACKFILL trace_figures;

ALTER TABLE `candela`.`session_figures` ADD COLUMN IF NOT EXISTS `ProviderHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4);

BACKFILL session_figures;

ALTER TABLE `candela`.`trace_figures` ADD COLUMN IF NOT EXISTS `LongestSpan` SimpleAggregateFunction(max, UInt64) CODEC(T64, LZ4);

ALTER TABLE `candela`.`trace_figures` ADD COLUMN IF NOT EXISTS `DearestSpan` SimpleAggregateFunction(max, Float64) CODEC(LZ4);

ALTER TABLE `candela`.`trace_figures` ADD COLUMN IF NOT EXISTS `MostInput` SimpleAggregateFunction(max, UInt64) CODEC(T64, LZ4);

ALTER TABLE `candela`.`trace_figures` ADD COLUMN IF NOT EXISTS `MostOutput` SimpleAggregateFunction(max, UInt64) CODEC(T64, LZ4);

BACKFILL trace_figures;

ALTER TABLE `candela`.`session_figures` ADD COLUMN IF NOT EXISTS `LongestSpan` SimpleAggregateFunction(max, UInt64) CODEC(T64, LZ4);

ALTER TABLE `candela`.`session_figures` ADD COLUMN IF NOT EXISTS `DearestSpan` SimpleAggregateFunction(max, Float64) CODEC(LZ4);

ALTER TABLE `candela`.`session_figures` ADD COLUMN IF NOT EXISTS `MostInput` SimpleAggregateFunction(max, UInt64) CODEC(T64, LZ4);

ALTER TABLE `candela`.`session_figures` ADD COLUMN IF NOT EXISTS `MostOutput` SimpleAggregateFunction(max, UInt64) CODEC(T64, LZ4);

BACKFILL session_figures;

ALTER TABLE `candela`.`otel_traces` ADD COLUMN IF NOT EXISTS TraceHash UInt64 MATERIALIZED cityHash64(TraceId);

ALTER TABLE `candela`.`otel_traces` MATERIALIZE COLUMN TraceHash SETTINGS mutations_sync = 0;

ALTER TABLE `candela`.`trace_figures` ADD COLUMN IF NOT EXISTS `FailedHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4);

BACKFILL trace_figures;

ALTER TABLE `candela`.`session_figures` ADD COLUMN IF NOT EXISTS `FailedHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4);

BACKFILL session_figures;

ALTER TABLE `candela`.`session_figures` MODIFY SETTING deduplicate_merge_projection_mode = 'rebuild';

ALTER TABLE `candela`.`session_figures` ADD PROJECTION IF NOT EXISTS by_user (
  SELECT ProjectId, Environment, Bucket, SessionHash, UserHash, UserId, FirstNs, EndNs, OpeningNs, Spans, Errors, Counting,
    Input, CacheRead, CacheWrite, Output, Reasoning, Priced, Cost, Traces, Models, Agents
  ORDER BY ProjectId, Environment, UserHash, Bucket
);

ALTER TABLE `candela`.`session_figures` MATERIALIZE PROJECTION by_user SETTINGS mutations_sync = 0;

ALTER TABLE `candela`.`session_figures` DROP INDEX IF EXISTS idx_user;

ALTER TABLE `candela`.`trace_figures` ADD COLUMN IF NOT EXISTS `NameHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4) AFTER `ProviderHashes`;

BACKFILL trace_figures;

ALTER TABLE `candela`.`session_figures` ADD COLUMN IF NOT EXISTS `NameHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4) AFTER `ProviderHashes`;

BACKFILL session_figures;

BACKFILL agent_figures;

BACKFILL host_calls;

ALTER TABLE `candela`.`host_points` ADD COLUMN IF NOT EXISTS `SinceNs` SimpleAggregateFunction(max, Int64) CODEC(Delta(8), Default);

BACKFILL host_points;

ALTER TABLE `candela`.`exceptions` ADD COLUMN IF NOT EXISTS `Records` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default);

BACKFILL exceptions;

ALTER TABLE `candela`.`metric_series` ADD COLUMN IF NOT EXISTS `Host` LowCardinality(String) MATERIALIZED coalesce(nullIf(ResourceAttributes['host.name'], ''), nullIf(ResourceAttributes['host.id'], ''), nullIf(ResourceAttributes['k8s.node.name'], ''), '');

ALTER TABLE `candela`.`metric_series` MATERIALIZE COLUMN Host SETTINGS mutations_sync = 0;

ALTER TABLE `candela`.`otel_metrics_exponential_histogram` ADD COLUMN IF NOT EXISTS ZeroThreshold Float64 AFTER `ZeroCount`;

ALTER TABLE `candela`.`otel_traces`
  MODIFY COLUMN `Timestamp` CODEC(Delta(8), LZ4),
  MODIFY COLUMN `TraceHash` CODEC(LZ4),
  MODIFY COLUMN `SessionHash` CODEC(LZ4),
  MODIFY COLUMN `UserHash` CODEC(LZ4);

ALTER TABLE `candela`.`otel_traces`
  MATERIALIZE COLUMN TraceHash,
  MATERIALIZE COLUMN SessionHash,
  MATERIALIZE COLUMN UserHash
SETTINGS mutations_sync = 0;

ALTER TABLE `candela`.`otel_logs` MODIFY COLUMN `Timestamp` CODEC(Delta(8), LZ4);

DROP EMPTY otel_logs;

CREATE TABLE IF NOT EXISTS `candela`.`otel_logs`
(
  `Timestamp` DateTime64(9) CODEC(Delta(8), LZ4),
  `TraceId` String,
  `SpanId` String,
  `TraceFlags` UInt8,
  `SeverityText` LowCardinality(String),
  `SeverityNumber` UInt8,
  `ServiceName` LowCardinality(String),
  `Body` String,
  `ResourceSchemaUrl` LowCardinality(String),
  `ResourceAttributes` Map(LowCardinality(String), String),
  `ScopeSchemaUrl` LowCardinality(String),
  `ScopeName` LowCardinality(String),
  `ScopeVersion` LowCardinality(String),
  `ScopeAttributes` Map(LowCardinality(String), String),
  `LogAttributes` Map(LowCardinality(String), String),
  `EventName` LowCardinality(String),
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedAt` DateTime64(3) CODEC(Delta(8), Default),
  `RetentionDays` UInt16,
  `ObservedTimestamp` DateTime64(9) CODEC(Delta(8), Default),
  `AttributeTypes` LowCardinality(String),
  `GenAiConvention` LowCardinality(String),
  `GenAiOperation` LowCardinality(String),
  `GenAiProvider` LowCardinality(String),
  `GenAiRequestModel` LowCardinality(String),
  `GenAiResponseModel` LowCardinality(String),
  `SessionId` String,
  `UserId` String,
  `AgentName` LowCardinality(String),
  `ToolName` LowCardinality(String),
  `ErrorType` LowCardinality(String),
  `InputTokens` UInt32,
  `CacheReadTokens` UInt32,
  `CacheWriteTokens` UInt32,
  `OutputTokens` UInt32,
  `ReasoningTokens` UInt32,
  `CountsUsage` UInt8,
  `CostUsd` Nullable(Float64),
  `EmitterCostUsd` Nullable(Float64),
  INDEX idx_trace_id TraceId TYPE bloom_filter(0.001) GRANULARITY 4,
  INDEX idx_session_id SessionId TYPE bloom_filter(0.01) GRANULARITY 4,
  INDEX idx_attributes arrayMap((k, v) -> concat(k, '=', v), mapKeys(LogAttributes), mapValues(LogAttributes)) TYPE bloom_filter(0.01) GRANULARITY 4,
  INDEX idx_body lower(Body) TYPE tokenbf_v1(65536, 2, 0) GRANULARITY 4
)
ENGINE = MergeTree
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, Timestamp)
TTL toDateTime(ReceivedAt) + toIntervalDay(if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 2048, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000, index_granularity_bytes = 2621440;

ALTER TABLE `candela`.`otel_metrics_histogram`
  MODIFY COLUMN `BucketCounts` CODEC(T64, LZ4);

ALTER TABLE `candela`.`otel_metrics_exponential_histogram`
  MODIFY COLUMN `PositiveBucketCounts` CODEC(T64, LZ4),
  MODIFY COLUMN `NegativeBucketCounts` CODEC(T64, LZ4);

ALTER TABLE `candela`.`session_figures` ADD PROJECTION IF NOT EXISTS by_session (
  SELECT ProjectId, Environment, Bucket, SessionHash, SessionId, UserId, FirstNs, EndNs, OpeningNs, Spans, Errors, Counting,
    Input, CacheRead, CacheWrite, Output, Reasoning, Priced, Cost, Traces, Models, Agents
  ORDER BY ProjectId, Environment, SessionHash, Bucket
);

ALTER TABLE `candela`.`session_figures` MATERIALIZE PROJECTION by_session SETTINGS mutations_sync = 0;

ALTER TABLE `candela`.`session_figures` DROP INDEX IF EXISTS idx_session;

ALTER TABLE `candela`.`otel_traces`
  MODIFY COLUMN `Duration` CODEC(T64, LZ4),
  MODIFY COLUMN `SpanName` CODEC(LZ4),
  MODIFY COLUMN `SpanKind` CODEC(LZ4),
  MODIFY COLUMN `ServiceName` CODEC(LZ4),
  MODIFY COLUMN `ScopeName` CODEC(LZ4),
  MODIFY COLUMN `StatusCode` CODEC(LZ4),
  MODIFY COLUMN `ProjectId` CODEC(LZ4),
  MODIFY COLUMN `Environment` CODEC(LZ4),
  MODIFY COLUMN `Flags` CODEC(LZ4),
  MODIFY COLUMN `GenAiConvention` CODEC(LZ4),
  MODIFY COLUMN `GenAiOperation` CODEC(LZ4),
  MODIFY COLUMN `GenAiProvider` CODEC(LZ4),
  MODIFY COLUMN `GenAiRequestModel` CODEC(LZ4),
  MODIFY COLUMN `GenAiResponseModel` CODEC(LZ4),
  MODIFY COLUMN `AgentName` CODEC(LZ4),
  MODIFY COLUMN `ToolName` CODEC(LZ4),
  MODIFY COLUMN `ErrorType` CODEC(LZ4),
  MODIFY COLUMN `InputTokens` CODEC(LZ4),
  MODIFY COLUMN `CacheReadTokens` CODEC(LZ4),
  MODIFY COLUMN `CacheWriteTokens` CODEC(LZ4),
  MODIFY COLUMN `OutputTokens` CODEC(LZ4),
  MODIFY COLUMN `ReasoningTokens` CODEC(LZ4),
  MODIFY COLUMN `CountsUsage` CODEC(LZ4),
  MODIFY COLUMN `CostUsd` CODEC(LZ4),
  MODIFY COLUMN `EmitterCostUsd` CODEC(LZ4),
  MODIFY COLUMN `TimeToFirstTokenMs` CODEC(LZ4),
  MODIFY COLUMN `FinishReason` CODEC(LZ4),
  MODIFY COLUMN `HttpRoute` CODEC(LZ4),
  MODIFY COLUMN `HttpRequestMethod` CODEC(LZ4),
  MODIFY COLUMN `HttpResponseStatusCode` CODEC(LZ4);

ALTER TABLE `candela`.`trace_figures`
  MODIFY COLUMN `ServiceHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `ModelHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `OperationHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `AgentHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `ProviderHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `NameHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `FailedHashes` CODEC(LZ4HC(3));

ALTER TABLE `candela`.`session_figures`
  MODIFY COLUMN `ServiceHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `ModelHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `OperationHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `AgentHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `ProviderHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `NameHashes` CODEC(LZ4HC(3)),
  MODIFY COLUMN `FailedHashes` CODEC(LZ4HC(3));
