-- Rollups of spans and logs: docs/adr/0007-rollups.md. Columns: rollups/<name>.ts (compared with the engine by the
-- conformance suite). Filled with every insert of their source, and here from what was there before.
-- A row stays until the last instant of the day its rows arrived in is past retention.

CREATE TABLE IF NOT EXISTS ${table:span_counts}${on_cluster}
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
ENGINE = ${aggregating_merge_tree:span_counts}
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, Environment, Bucket, ServiceName, SpanName, SpanKind, StatusCode, GenAiOperation, GenAiProvider,
  GenAiRequestModel, GenAiResponseModel, AgentName, ToolName, ErrorType, Root)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:span_counts:cityHash64(ServiceName, SpanName)}

${backfill:span_counts}

CREATE TABLE IF NOT EXISTS ${table:trace_figures}${on_cluster}
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
ENGINE = ${aggregating_merge_tree:trace_figures}
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, Environment, Hour, TraceHash, TraceId)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:trace_figures:TraceHash}

${backfill:trace_figures}

CREATE TABLE IF NOT EXISTS ${table:log_counts}${on_cluster}
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
ENGINE = ${aggregating_merge_tree:log_counts}
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, Environment, Bucket, ServiceName, SeverityNumber, SeverityText, EventName, ScopeName)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:log_counts:cityHash64(ServiceName, EventName)}

${backfill:log_counts}
