/** Alerts of a project: what is watched, and when it is evaluated next. */
export interface AlertTable {
  id: string;
  organisation_id: string;
  project_id: string;
  /** Null: all environments. */
  environment: string | null;
  database_config_id: string;
  name: string;
  name_key: string;
  /** What it watches: `threshold`, `budget`, … */
  kind: string;
  enabled: number;
  /** JSON of the contract's `AlertInput`. */
  definition: string;
  revision: number;
  updated_by: string;
  created_at: number;
  updated_at: number;
  next_at: number;
  lease_owner: string | null;
  lease_until: number | null;
  /** The instant that was evaluated last. */
  last_at: number | null;
  error: string | null;
  /** Evaluations that failed, one after another. */
  error_count: number;
}

/** States of the groups of an alert. */
export interface AlertStateTable {
  alert_id: string;
  group_key: string;
  project_id: string;
  status: string;
  /** JSON: labels, since, value, who was told. */
  state: string;
}

/** What happened to the groups of alerts: the history. */
export interface AlertEventTable {
  id: string;
  project_id: string;
  alert_id: string;
  group_key: string;
  status: string;
  /** Event time. */
  at: number;
  recorded_at: number;
  /** JSON: labels, value, summary. */
  details: string;
}

export interface AlertSilenceTable {
  id: string;
  project_id: string;
  /** JSON: matchers. */
  matchers: string;
  comment: string;
  author: string;
  starts_at: number;
  ends_at: number;
}

/** Where messages go. */
export interface AlertDestinationTable {
  id: string;
  project_id: string;
  name: string;
  name_key: string;
  enabled: number;
  /** JSON of the contract's `Channel`. */
  channel: string;
  /** Sealed. */
  secret: string | null;
  /** Sealed; the one before, which counts until a time. */
  secret_before: string | null;
  before_until: number | null;
  problem: string | null;
  revision: number;
  created_at: number;
  updated_at: number;
}

/** Messages: the outbox, and the log of what became of them. */
export interface AlertDeliveryTable {
  id: string;
  project_id: string;
  alert_id: string;
  destination_id: string;
  /** `waiting` takes more events; from `sending` on it is what it is. */
  status: string;
  /** JSON: ids of events. */
  events: string;
  attempts: number;
  error: string | null;
  due_at: number;
  created_at: number;
  finished_at: number | null;
}
