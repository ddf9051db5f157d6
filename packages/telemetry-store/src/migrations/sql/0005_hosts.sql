-- Points of hosts, GPUs and processes without their attribute maps, and the model calls of each host. Columns:
-- rollups/host-points.ts, rollups/host-calls.ts. How points are read: schema/host-points.ts.

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
  `Value` SimpleAggregateFunction(max, Float64)
)
ENGINE = ${aggregating_merge_tree:host_points}
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, MetricName, TimeUnix, Environment, Host, Agent, Device, Part, Series, Kind)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:host_points:cityHash64(Host)}

${backfill:host_points}

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
  `Durations` SimpleAggregateFunction(sumMap, Tuple(Array(UInt16), Array(UInt64)))
)
ENGINE = ${aggregating_merge_tree:host_calls}
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, Environment, Host, Bucket, ServiceName, GenAiProvider, Model)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:host_calls:cityHash64(Host)}

${backfill:host_calls}
