-- Sorted by session, the rows of a user lie all over the table: a page of users had two thirds of it unpacked. What such a page
-- shows is kept a second time, sorted by user; the engine chooses by itself which of the two it reads. Rows stored before are
-- sorted in the background. The index knew whether a user is in a granule, which of fifty users one nearly always is.

ALTER TABLE ${table:session_figures}${on_cluster} MODIFY SETTING deduplicate_merge_projection_mode = 'rebuild';

ALTER TABLE ${table:session_figures}${on_cluster} ADD PROJECTION IF NOT EXISTS by_user (
  SELECT ProjectId, Environment, Bucket, SessionHash, UserHash, UserId, FirstNs, EndNs, OpeningNs, Spans, Errors, Counting,
    Input, CacheRead, CacheWrite, Output, Reasoning, Priced, Cost, Traces, Models, Agents
  ORDER BY ProjectId, Environment, UserHash, Bucket
);

ALTER TABLE ${table:session_figures}${on_cluster} MATERIALIZE PROJECTION by_user SETTINGS mutations_sync = 0;

ALTER TABLE ${table:session_figures}${on_cluster} DROP INDEX IF EXISTS idx_user;
