-- Within six hours the rows of a session lie beside each other, so those of a hundred sessions of a day lie in two thirds of the
-- granules. What a page shows is kept a second time, sorted by session alone, as it is by user (migration 21). The index knew whether
-- a session is in a granule of the table, which such pages do not read any more.
ALTER TABLE ${table:session_figures}${on_cluster} ADD PROJECTION IF NOT EXISTS by_session (
  SELECT ProjectId, Environment, Bucket, SessionHash, SessionId, UserId, FirstNs, EndNs, OpeningNs, Spans, Errors, Counting,
    Input, CacheRead, CacheWrite, Output, Reasoning, Priced, Cost, Traces, Models, Agents
  ORDER BY ProjectId, Environment, SessionHash, Bucket
);

ALTER TABLE ${table:session_figures}${on_cluster} MATERIALIZE PROJECTION by_session SETTINGS mutations_sync = 0;

ALTER TABLE ${table:session_figures}${on_cluster} DROP INDEX IF EXISTS idx_session;
