/** When a job is due next and which process runs it. One row a job. */
export interface JobStateTable {
  job_id: string;
  /** Epoch milliseconds; null: only when it is triggered. */
  due_at: number | null;
  trigger: string;
  lease_owner: string | null;
  lease_until: number | null;
  run_id: string | null;
}

/** One run of a job. */
export interface JobRunTable {
  id: string;
  job_id: string;
  trigger: string;
  owner: string;
  started_at: number;
  ended_at: number | null;
  /** `ok`, `failed` or `lost`; null while it runs. */
  outcome: string | null;
  error: string | null;
  /** JSON: counts by name. */
  stats: string | null;
}

/** Work of features that any replica may do, one item at a time. */
export interface WorkItemTable {
  id: string;
  queue: string;
  /** Unique in its queue. */
  item_key: string;
  /** What items are counted and removed by: an experiment, a scan. */
  item_group: string;
  /** JSON. */
  payload: string;
  /** `queued`, `leased`, `done` or `failed`. */
  state: string;
  attempts: number;
  not_before: number;
  lease_owner: string | null;
  lease_until: number | null;
  /** JSON. */
  result: string | null;
  error: string | null;
  created_at: number;
  updated_at: number;
}
