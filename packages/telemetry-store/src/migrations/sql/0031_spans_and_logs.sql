-- The baseline, with 0032 and 0033: the schema that thirty earlier migrations had come to. A store that has those runs it too, and
-- as all of its tables are there, nothing happens.
--
-- Columns: schema/tables.ts (compared with the engine by the conformance suite). Keys, codecs and indexes: docs/adr/0002-telemetry-schema.md.
-- Queries must use the expressions of the indexes word for word: schema/expressions.ts.
-- RetentionDays 0 keeps forever. Its bound: a DateTime ends in 2106 and would wrap around to the past, and so would
-- delete what should stay longest.
-- LZ4 where lists and charts read many rows: it unpacks sooner than the codec of merged parts. Ids have short blocks, because a page
-- reads fifty rows that lie apart.

CREATE DATABASE IF NOT EXISTS ${database}${on_cluster};

CREATE TABLE IF NOT EXISTS ${table:otel_traces}${on_cluster}
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
ENGINE = ${merge_tree:otel_traces}
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, Timestamp)
TTL toDateTime(ReceivedAt) + toIntervalDay(if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings}, min_compress_block_size = 8192;

${distributed:otel_traces:cityHash64(TraceId)}

-- Of the table with the rows alone: a distributed one has the columns of the other and stores none.
ALTER TABLE ${table:otel_traces}${on_cluster} MODIFY COLUMN `TraceId` MODIFY SETTING max_compress_block_size = 32768;
ALTER TABLE ${table:otel_traces}${on_cluster} MODIFY COLUMN `SpanId` MODIFY SETTING max_compress_block_size = 32768;
ALTER TABLE ${table:otel_traces}${on_cluster} MODIFY COLUMN `ParentSpanId` MODIFY SETTING max_compress_block_size = 32768;
ALTER TABLE ${table:otel_traces}${on_cluster} MODIFY COLUMN `SessionId` MODIFY SETTING max_compress_block_size = 32768;

CREATE TABLE IF NOT EXISTS ${table:otel_logs}${on_cluster}
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
ENGINE = ${merge_tree:otel_logs}
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, Timestamp)
TTL toDateTime(ReceivedAt) + toIntervalDay(if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings:index_granularity:2048}, index_granularity_bytes = 2621440;

${distributed:otel_logs:cityHash64(TraceId, ServiceName)}

-- Which keys of attributes are asked for, and what was done about it: attribute-columns/keeper.ts. Shared by all processes
-- that read this store, so that they come to the same decisions. Names of keys only: neither values nor whose they are.

CREATE TABLE IF NOT EXISTS ${database}.attribute_use${on_cluster}
(
  At DateTime64(3) DEFAULT now64(3),
  Kind LowCardinality(String),
  TableName LowCardinality(String),
  MapName LowCardinality(String),
  Key String,
  Asks UInt32
)
ENGINE = ${merge_tree_everywhere:attribute_use}
ORDER BY (Kind, At)
TTL toDateTime(At) + INTERVAL 14 DAY;
