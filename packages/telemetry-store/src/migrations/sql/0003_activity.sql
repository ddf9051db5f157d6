-- Rollups of sessions, users and agents. Columns: rollups/{activity,agent-figures}.ts.

CREATE TABLE IF NOT EXISTS ${table:activity}${on_cluster}
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
ENGINE = ${aggregating_merge_tree:activity}
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, Environment, Bucket, SessionHash, UserHash, SessionId, UserId)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:activity:SessionHash}

${backfill:activity}

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
  `Durations` SimpleAggregateFunction(sumMap, Tuple(Array(UInt16), Array(UInt64)))
)
ENGINE = ${aggregating_merge_tree:agent_figures}
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, Environment, Bucket, AgentName, AgentVersion, GenAiOperation, GenAiProvider, Model, ToolName,
  ServiceName, GenAiConvention, ScopeName)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:agent_figures:cityHash64(AgentName)}

${backfill:agent_figures}
