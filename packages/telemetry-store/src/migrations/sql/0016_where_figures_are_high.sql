-- A page of spans in the order of a figure read that figure of every span. Where the least and the greatest of each granule
-- are known, the engine passes by those that cannot hold a row of the page: a few bytes a granule.

-- Only of columns that are never NULL it does so. Of a cost the first bits are enough: they are in the order of the costs, and
-- among equal ones the cost decides. All of them would take more than twice as much room.
${add_column:otel_traces:`CostStep` UInt32 MATERIALIZED if(CostUsd > 0, toUInt32(bitShiftRight(reinterpretAsUInt64(assumeNotNull(CostUsd)), 40)), 0)}

ALTER TABLE ${table:otel_traces}${on_cluster} ADD INDEX IF NOT EXISTS idx_duration Duration TYPE minmax GRANULARITY 1;
ALTER TABLE ${table:otel_traces}${on_cluster} ADD INDEX IF NOT EXISTS idx_total_tokens TotalTokens TYPE minmax GRANULARITY 1;
ALTER TABLE ${table:otel_traces}${on_cluster} ADD INDEX IF NOT EXISTS idx_cost_step CostStep TYPE minmax GRANULARITY 1;

-- Spans stored before get both in the background; until then every one of them is looked at, as before.
ALTER TABLE ${table:otel_traces}${on_cluster}
  MATERIALIZE COLUMN TotalTokens,
  MATERIALIZE COLUMN CostStep,
  MATERIALIZE INDEX idx_duration,
  MATERIALIZE INDEX idx_total_tokens,
  MATERIALIZE INDEX idx_cost_step
SETTINGS mutations_sync = 0;
