CREATE DATABASE IF NOT EXISTS `candela`;

CREATE TABLE IF NOT EXISTS `candela`.`otel_traces`
(
  `Timestamp` DateTime64(9) CODEC(Delta(8), LZ4),
  `TraceId` String,
  `SpanId` String,
  `ParentSpanId` String,
  `TraceState` String,
  `SpanName` LowCardinality(String) CODEC(LZ4),
  `SpanKind` LowCardinality(String) CODEC(LZ4),
  `ServiceName` LowCardinality(String) CODEC(LZ4),
  `ResourceAttributes` Map(LowCardinality(String), String),
  `ScopeName` LowCardinality(String) CODEC(LZ4),
  `ScopeVersion` LowCardinality(String),
  `SpanAttributes` Map(LowCardinality(String), String),
  `Duration` UInt64 CODEC(T64, LZ4),
  `StatusCode` LowCardinality(String) CODEC(LZ4),
  `StatusMessage` String,
  `Events.Timestamp` Array(DateTime64(9)),
  `Events.Name` Array(LowCardinality(String)),
  `Events.Attributes` Array(Map(LowCardinality(String), String)),
  `Links.TraceId` Array(String),
  `Links.SpanId` Array(String),
  `Links.TraceState` Array(String),
  `Links.Attributes` Array(Map(LowCardinality(String), String)),
  `ProjectId` LowCardinality(String) CODEC(LZ4),
  `Environment` LowCardinality(String) CODEC(LZ4),
  `ReceivedAt` DateTime64(3) CODEC(Delta(8), Default),
  `RetentionDays` UInt16,
  `ScopeAttributes` Map(LowCardinality(String), String),
  `Flags` UInt32 CODEC(LZ4),
  `ContentAttributes` Map(LowCardinality(String), String),
  `AttributeTypes` LowCardinality(String),
  `GenAiConvention` LowCardinality(String) CODEC(LZ4),
  `GenAiOperation` LowCardinality(String) CODEC(LZ4),
  `GenAiProvider` LowCardinality(String) CODEC(LZ4),
  `GenAiRequestModel` LowCardinality(String) CODEC(LZ4),
  `GenAiResponseModel` LowCardinality(String) CODEC(LZ4),
  `SessionId` String,
  `UserId` String,
  `AgentName` LowCardinality(String) CODEC(LZ4),
  `ToolName` LowCardinality(String) CODEC(LZ4),
  `ErrorType` LowCardinality(String) CODEC(LZ4),
  `InputTokens` UInt32 CODEC(LZ4),
  `CacheReadTokens` UInt32 CODEC(LZ4),
  `CacheWriteTokens` UInt32 CODEC(LZ4),
  `OutputTokens` UInt32 CODEC(LZ4),
  `ReasoningTokens` UInt32 CODEC(LZ4),
  `CountsUsage` UInt8 CODEC(LZ4),
  `CostUsd` Nullable(Float64) CODEC(LZ4),
  `EmitterCostUsd` Nullable(Float64) CODEC(LZ4),
  `ResponseId` String,
  `WorkflowName` LowCardinality(String),
  `PromptName` LowCardinality(String),
  `PromptVersion` LowCardinality(String),
  `FinishReason` LowCardinality(String) CODEC(LZ4),
  `TimeToFirstTokenMs` Nullable(Float64) CODEC(LZ4),
  `HttpRoute` LowCardinality(String) MATERIALIZED SpanAttributes['http.route'] CODEC(LZ4),
  `HttpRequestMethod` LowCardinality(String) MATERIALIZED SpanAttributes['http.request.method'] CODEC(LZ4),
  `HttpResponseStatusCode` LowCardinality(String) MATERIALIZED SpanAttributes['http.response.status_code'] CODEC(LZ4),
  `ServerAddress` LowCardinality(String) MATERIALIZED SpanAttributes['server.address'],
  `DbSystemName` LowCardinality(String) MATERIALIZED SpanAttributes['db.system.name'],
  `DbCollectionName` LowCardinality(String) MATERIALIZED SpanAttributes['db.collection.name'],
  `DbOperationName` LowCardinality(String) MATERIALIZED SpanAttributes['db.operation.name'],
  `RpcMethod` LowCardinality(String) MATERIALIZED SpanAttributes['rpc.method'],
  `MessagingDestinationName` LowCardinality(String) MATERIALIZED SpanAttributes['messaging.destination.name'],
  `McpMethodName` LowCardinality(String) MATERIALIZED SpanAttributes['mcp.method.name'],
  `SessionHash` UInt64 MATERIALIZED cityHash64(SessionId) CODEC(LZ4),
  `UserHash` UInt64 MATERIALIZED cityHash64(UserId) CODEC(LZ4),
  `TotalTokens` UInt64 MATERIALIZED InputTokens + CacheReadTokens + CacheWriteTokens + OutputTokens + ReasoningTokens,
  `CostStep` UInt32 MATERIALIZED if(CostUsd > 0, toUInt32(bitShiftRight(reinterpretAsUInt64(assumeNotNull(CostUsd)), 40)), 0),
  `TraceHash` UInt64 MATERIALIZED cityHash64(TraceId) CODEC(LZ4),
  INDEX idx_trace_id TraceId TYPE bloom_filter(0.001) GRANULARITY 1,
  INDEX idx_session_id SessionId TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_attributes arrayMap((k, v) -> concat(k, '=', v), mapKeys(SpanAttributes), mapValues(SpanAttributes)) TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_content lower(concat(SpanName, ' ', StatusMessage, ' ', arrayStringConcat(mapValues(ContentAttributes), ' '))) TYPE tokenbf_v1(65536, 2, 0) GRANULARITY 1,
  INDEX idx_duration Duration TYPE minmax GRANULARITY 1,
  INDEX idx_total_tokens TotalTokens TYPE minmax GRANULARITY 1,
  INDEX idx_cost_step CostStep TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, Timestamp)
TTL toDateTime(ReceivedAt) + toIntervalDay(if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000, min_compress_block_size = 8192;

ALTER TABLE `candela`.`otel_traces` MODIFY COLUMN `TraceId` MODIFY SETTING max_compress_block_size = 32768;

ALTER TABLE `candela`.`otel_traces` MODIFY COLUMN `SpanId` MODIFY SETTING max_compress_block_size = 32768;

ALTER TABLE `candela`.`otel_traces` MODIFY COLUMN `ParentSpanId` MODIFY SETTING max_compress_block_size = 32768;

ALTER TABLE `candela`.`otel_traces` MODIFY COLUMN `SessionId` MODIFY SETTING max_compress_block_size = 32768;

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
  `RetentionDays` UInt16,
  `SeriesId` UInt64 MATERIALIZED cityHash64('gauge', MetricName, MetricUnit, Environment, ScopeName, ScopeVersion, mapSort(Attributes), mapSort(ResourceAttributes), mapSort(ScopeAttributes))
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
  `RetentionDays` UInt16,
  `SeriesId` UInt64 MATERIALIZED cityHash64('sum', MetricName, MetricUnit, Environment, AggregationTemporality, IsMonotonic, ScopeName, ScopeVersion, mapSort(Attributes), mapSort(ResourceAttributes), mapSort(ScopeAttributes))
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
  `BucketCounts` Array(UInt64) CODEC(T64, LZ4),
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
  `RetentionDays` UInt16,
  `SeriesId` UInt64 MATERIALIZED cityHash64('histogram', MetricName, MetricUnit, Environment, AggregationTemporality, ScopeName, ScopeVersion, mapSort(Attributes), mapSort(ResourceAttributes), mapSort(ScopeAttributes)),
  `ShapeId` UInt64 MATERIALIZED cityHash64(ExplicitBounds, length(BucketCounts))
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
  `ZeroThreshold` Float64,
  `PositiveOffset` Int32,
  `PositiveBucketCounts` Array(UInt64) CODEC(T64, LZ4),
  `NegativeOffset` Int32,
  `NegativeBucketCounts` Array(UInt64) CODEC(T64, LZ4),
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
  `RetentionDays` UInt16,
  `SeriesId` UInt64 MATERIALIZED cityHash64('exponential_histogram', MetricName, MetricUnit, Environment, AggregationTemporality, ScopeName, ScopeVersion, mapSort(Attributes), mapSort(ResourceAttributes), mapSort(ScopeAttributes))
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
  `RetentionDays` UInt16,
  `SeriesId` UInt64 MATERIALIZED cityHash64('summary', MetricName, MetricUnit, Environment, ScopeName, ScopeVersion, mapSort(Attributes), mapSort(ResourceAttributes), mapSort(ScopeAttributes))
)
ENGINE = MergeTree
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, MetricName, ServiceName, TimeUnix)
TTL toDateTime(ReceivedAt) + toIntervalDay(if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

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
  `LastPoint` SimpleAggregateFunction(max, Tuple(
      Int64,
      Float64)),
  `Host` LowCardinality(String) MATERIALIZED coalesce(nullIf(ResourceAttributes['host.name'], ''), nullIf(ResourceAttributes['host.id'], ''), nullIf(ResourceAttributes['k8s.node.name'], ''), '')
)
ENGINE = AggregatingMergeTree
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, MetricName, Kind, SeriesId, Environment, MetricUnit, Temporality, Monotonic, ServiceName, ScopeName, ScopeVersion)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
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
ORDER BY (ProjectId, Environment, Bucket, ServiceName, SpanName, SpanKind, StatusCode, GenAiOperation, GenAiProvider, GenAiRequestModel, GenAiResponseModel, AgentName, ToolName, ErrorType, Root)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

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

CREATE TABLE IF NOT EXISTS `candela`.`trace_figures`
(
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedDay` Date,
  `RetentionDays` UInt16,
  `Hour` DateTime CODEC(Delta(4), Default),
  `TraceHash` UInt64 CODEC(LZ4),
  `TraceId` String,
  `FirstNs` SimpleAggregateFunction(min, Int64) CODEC(T64, LZ4),
  `LastNs` SimpleAggregateFunction(max, Int64) CODEC(T64, LZ4),
  `EndNs` SimpleAggregateFunction(max, Int64) CODEC(T64, LZ4),
  `Spans` SimpleAggregateFunction(sum, UInt64) CODEC(T64, LZ4),
  `Errors` SimpleAggregateFunction(sum, UInt64) CODEC(T64, LZ4),
  `Tokens` SimpleAggregateFunction(sum, UInt64) CODEC(T64, LZ4),
  `Cost` SimpleAggregateFunction(sum, Int64) CODEC(T64, LZ4),
  `Priced` SimpleAggregateFunction(sum, UInt64) CODEC(T64, LZ4),
  `ServiceHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4HC(3)),
  `ModelHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4HC(3)),
  `OperationHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4HC(3)),
  `AgentHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4HC(3)),
  `ProviderHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4HC(3)),
  `NameHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4HC(3)),
  `LongestSpan` SimpleAggregateFunction(max, UInt64) CODEC(T64, LZ4),
  `DearestSpan` SimpleAggregateFunction(max, Float64) CODEC(LZ4),
  `MostInput` SimpleAggregateFunction(max, UInt64) CODEC(T64, LZ4),
  `MostOutput` SimpleAggregateFunction(max, UInt64) CODEC(T64, LZ4),
  `FailedHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4HC(3))
)
ENGINE = AggregatingMergeTree
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, Environment, Hour, TraceHash, TraceId)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

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
  `ServiceHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4HC(3)),
  `ModelHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4HC(3)),
  `OperationHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4HC(3)),
  `AgentHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4HC(3)),
  `ProviderHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4HC(3)),
  `NameHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4HC(3)),
  `LongestSpan` SimpleAggregateFunction(max, UInt64) CODEC(T64, LZ4),
  `DearestSpan` SimpleAggregateFunction(max, Float64) CODEC(LZ4),
  `MostInput` SimpleAggregateFunction(max, UInt64) CODEC(T64, LZ4),
  `MostOutput` SimpleAggregateFunction(max, UInt64) CODEC(T64, LZ4),
  `FailedHashes` SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64)) CODEC(LZ4HC(3)),
  PROJECTION by_user (
    SELECT ProjectId, Environment, Bucket, SessionHash, UserHash, UserId, FirstNs, EndNs, OpeningNs, Spans,
      Errors, Counting, Input, CacheRead, CacheWrite, Output, Reasoning, Priced, Cost, Traces, Models,
      Agents
    ORDER BY ProjectId, Environment, UserHash, Bucket
  ),
  PROJECTION by_session (
    SELECT ProjectId, Environment, Bucket, SessionHash, SessionId, UserId, FirstNs, EndNs, OpeningNs, Spans,
      Errors, Counting, Input, CacheRead, CacheWrite, Output, Reasoning, Priced, Cost, Traces, Models,
      Agents
    ORDER BY ProjectId, Environment, SessionHash, Bucket
  )
)
ENGINE = AggregatingMergeTree
PARTITION BY (RetentionDays, ReceivedDay)
PRIMARY KEY (ProjectId, Environment, intDiv(toUInt32(Bucket), 21600), SessionHash)
ORDER BY (ProjectId, Environment, intDiv(toUInt32(Bucket), 21600), SessionHash, UserHash, Bucket, SessionId, UserId)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000, min_compress_block_size = 8192, deduplicate_merge_projection_mode = 'rebuild';

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
  `Durations` SimpleAggregateFunction(sumMap, Tuple(
      Array(UInt16),
      Array(UInt64)))
)
ENGINE = AggregatingMergeTree
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, Environment, Bucket, AgentName, AgentVersion, GenAiOperation, GenAiProvider, Model, ToolName, ServiceName, GenAiConvention, ScopeName)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

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
  `Records` SimpleAggregateFunction(sum, UInt64) CODEC(T64, Default),
  INDEX idx_fingerprint Fingerprint TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_trace_id TraceId TYPE bloom_filter(0.001) GRANULARITY 1
)
ENGINE = AggregatingMergeTree
PARTITION BY (RetentionDays, ReceivedDay)
PRIMARY KEY (ProjectId, Timestamp)
ORDER BY (ProjectId, Timestamp, Environment, Fingerprint, Occurrence, Source, Type, ServiceName, TraceId, SpanId, GenAiProvider, AgentName, ToolName, UserId, SessionId, SpanName, Model, Version)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

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
  `Value` SimpleAggregateFunction(max, Float64),
  `SinceNs` SimpleAggregateFunction(max, Int64) CODEC(Delta(8), Default)
)
ENGINE = AggregatingMergeTree
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, MetricName, TimeUnix, Environment, Host, Agent, Device, Part, Series, Kind)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

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
  `Durations` SimpleAggregateFunction(sumMap, Tuple(
      Array(UInt16),
      Array(UInt64)))
)
ENGINE = AggregatingMergeTree
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, Environment, Host, Bucket, ServiceName, GenAiProvider, Model)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

ALTER TABLE `candela`.`otel_traces` ADD COLUMN IF NOT EXISTS `PricingDetails` String AFTER `EmitterCostUsd`;

ALTER TABLE `candela`.`otel_logs` ADD COLUMN IF NOT EXISTS `PricingDetails` String AFTER `EmitterCostUsd`;

CREATE TABLE IF NOT EXISTS `candela`.`scores`
(
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedDay` Date,
  `RetentionDays` UInt16,
  `Timestamp` DateTime64(9) CODEC(Delta(8), Default),
  `Name` LowCardinality(String),
  `ScoreId` String,
  `TraceId` String,
  `SpanId` String,
  `SessionId` SimpleAggregateFunction(max, String),
  `UserId` SimpleAggregateFunction(max, String),
  `ServiceName` SimpleAggregateFunction(max, String),
  `AgentName` SimpleAggregateFunction(max, String),
  `Model` SimpleAggregateFunction(max, String),
  `PromptName` SimpleAggregateFunction(max, String),
  `PromptVersion` SimpleAggregateFunction(max, String),
  `Source` SimpleAggregateFunction(max, String),
  `Evaluator` SimpleAggregateFunction(max, String),
  `Version` SimpleAggregateFunction(max, String),
  `Verdict` SimpleAggregateFunction(max, String),
  `JudgeModel` SimpleAggregateFunction(max, String),
  `RunId` SimpleAggregateFunction(max, String),
  `Item` SimpleAggregateFunction(max, String),
  `Reviewer` SimpleAggregateFunction(max, String),
  `ErrorType` SimpleAggregateFunction(max, String),
  `Label` SimpleAggregateFunction(max, String),
  `Explanation` SimpleAggregateFunction(max, String),
  `HasValue` SimpleAggregateFunction(max, UInt8),
  `Value` SimpleAggregateFunction(max, Float64),
  `CostUsd` SimpleAggregateFunction(max, Float64),
  INDEX idx_trace_id TraceId TYPE bloom_filter(0.001) GRANULARITY 1,
  INDEX idx_score_id ScoreId TYPE bloom_filter(0.001) GRANULARITY 1
)
ENGINE = AggregatingMergeTree
PARTITION BY (RetentionDays, ReceivedDay)
PRIMARY KEY (ProjectId, Timestamp)
ORDER BY (ProjectId, Timestamp, Environment, Name, ScoreId, TraceId, SpanId)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, min_bytes_for_wide_part = 134217728, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 20000;

BACKFILL scores;

ALTER TABLE `candela`.`otel_traces` ADD COLUMN IF NOT EXISTS `ExtraCount` UInt32 DEFAULT 0;

CREATE TABLE IF NOT EXISTS `candela`.sampled_days
(
  ProjectId String,
  Day Date,
  RetentionDays UInt16,
  OneIn UInt16,
  Spans UInt64,
  Kept UInt64,
  At DateTime64(3) DEFAULT now64(3)
)
ENGINE = MergeTree
ORDER BY (ProjectId, Day);

CREATE TABLE IF NOT EXISTS `candela`.kept_traces
(
  ProjectId String,
  Day Date,
  TraceHash UInt64
)
ENGINE = MergeTree
ORDER BY (ProjectId, Day, TraceHash)
TTL Day + INTERVAL 14 DAY;
