-- Rollups of spans, logs and metrics: docs/adr/0007-rollups.md. Columns: rollups/<name>.ts (compared with the engine by the
-- conformance suite). They are filled with every insert of their source.
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
ORDER BY (ProjectId, Environment, Bucket, ServiceName, SpanName, SpanKind, StatusCode, GenAiOperation, GenAiProvider, GenAiRequestModel, GenAiResponseModel, AgentName, ToolName, ErrorType, Root)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:span_counts:cityHash64(ServiceName, SpanName)}

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

CREATE TABLE IF NOT EXISTS ${table:trace_figures}${on_cluster}
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
ENGINE = ${aggregating_merge_tree:trace_figures}
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, Environment, Hour, TraceHash, TraceId)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:trace_figures:TraceHash}

CREATE TABLE IF NOT EXISTS ${table:session_figures}${on_cluster}
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
ENGINE = ${aggregating_merge_tree:session_figures}
PARTITION BY (RetentionDays, ReceivedDay)
PRIMARY KEY (ProjectId, Environment, intDiv(toUInt32(Bucket), 21600), SessionHash)
ORDER BY (ProjectId, Environment, intDiv(toUInt32(Bucket), 21600), SessionHash, UserHash, Bucket, SessionId, UserId)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings:index_granularity:1024}, min_compress_block_size = 8192, deduplicate_merge_projection_mode = 'rebuild';

${distributed:session_figures:SessionHash}

CREATE TABLE IF NOT EXISTS ${table:agent_figures}${on_cluster}
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
ENGINE = ${aggregating_merge_tree:agent_figures}
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, Environment, Bucket, AgentName, AgentVersion, GenAiOperation, GenAiProvider, Model, ToolName, ServiceName, GenAiConvention, ScopeName)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:agent_figures:cityHash64(AgentName)}

CREATE TABLE IF NOT EXISTS ${table:exceptions}${on_cluster}
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
ENGINE = ${aggregating_merge_tree:exceptions}
PARTITION BY (RetentionDays, ReceivedDay)
PRIMARY KEY (ProjectId, Timestamp)
ORDER BY (ProjectId, Timestamp, Environment, Fingerprint, Occurrence, Source, Type, ServiceName, TraceId, SpanId, GenAiProvider, AgentName, ToolName, UserId, SessionId, SpanName, Model, Version)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:exceptions:Occurrence}

CREATE TABLE IF NOT EXISTS ${table:exception_groups}${on_cluster}
(
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedDay` Date,
  `RetentionDays` UInt16,
  `Fingerprint` UInt64,
  `FirstNs` SimpleAggregateFunction(min, Int64),
  `LastNs` SimpleAggregateFunction(max, Int64)
)
ENGINE = ${aggregating_merge_tree:exception_groups}
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, Environment, Fingerprint)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:exception_groups:Fingerprint}

CREATE TABLE IF NOT EXISTS ${table:host_points}${on_cluster}
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
ENGINE = ${aggregating_merge_tree:host_points}
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, MetricName, TimeUnix, Environment, Host, Agent, Device, Part, Series, Kind)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:host_points:cityHash64(Host)}

CREATE TABLE IF NOT EXISTS ${table:host_calls}${on_cluster}
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
ENGINE = ${aggregating_merge_tree:host_calls}
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, Environment, Host, Bucket, ServiceName, GenAiProvider, Model)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:host_calls:cityHash64(Host)}
