-- Sampling of traces: retention/sample-traces.ts. A span says how many further spans, that sampling took away, it stands for; what is
-- inserted stands for itself.
${add_column:otel_traces:`ExtraCount` UInt32 DEFAULT 0}

-- Days that were sampled already, and what became of them.
CREATE TABLE IF NOT EXISTS ${database}.sampled_days${on_cluster}
(
  ProjectId String,
  Day Date,
  RetentionDays UInt16,
  OneIn UInt16,
  Spans UInt64,
  Kept UInt64,
  At DateTime64(3) DEFAULT now64(3)
)
ENGINE = ${merge_tree_everywhere:sampled_days}
ORDER BY (ProjectId, Day);

-- Traces of a day that a rule keeps, while that day is sampled.
CREATE TABLE IF NOT EXISTS ${database}.kept_traces${on_cluster}
(
  ProjectId String,
  Day Date,
  TraceHash UInt64
)
ENGINE = ${merge_tree_everywhere:kept_traces}
ORDER BY (ProjectId, Day, TraceHash)
TTL Day + INTERVAL 14 DAY;
