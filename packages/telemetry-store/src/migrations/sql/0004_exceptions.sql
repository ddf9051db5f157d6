-- Exceptions one by one and their groups: rollups/exceptions.ts says what is one, schema/exception-fingerprint.ts what
-- belongs together. The primary key is what lists ask for; the rest of the sorting key only keeps different rows apart.

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
  INDEX idx_fingerprint Fingerprint TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX idx_trace_id TraceId TYPE bloom_filter(0.001) GRANULARITY 1
)
ENGINE = ${aggregating_merge_tree:exceptions}
PARTITION BY (RetentionDays, ReceivedDay)
PRIMARY KEY (ProjectId, Timestamp)
ORDER BY (ProjectId, Timestamp, Environment, Fingerprint, Occurrence, Source, Type, ServiceName, TraceId, SpanId,
  GenAiProvider, AgentName, ToolName, UserId, SessionId, SpanName, Model, Version)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:exceptions:Occurrence}

${backfill:exceptions}

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

${backfill:exception_groups}
