-- Scores one by one, derived from `gen_ai.evaluation.result` events: rollups/scores.ts.

CREATE TABLE IF NOT EXISTS ${table:scores}${on_cluster}
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
ENGINE = ${aggregating_merge_tree:scores}
PARTITION BY (RetentionDays, ReceivedDay)
PRIMARY KEY (ProjectId, Timestamp)
ORDER BY (ProjectId, Timestamp, Environment, Name, ScoreId, TraceId, SpanId)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:scores:cityHash64(ScoreId)}

${backfill:scores}
