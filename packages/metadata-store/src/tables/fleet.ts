/** An OpenTelemetry Collector (or another OpAMP agent) that reports to the platform. */
export interface FleetCollectorTable {
  id: string;
  project_id: string;
  environment: string;
  /** Its `instance_uid`, in hexadecimal. */
  instance_uid: string;
  /** The API key that speaks for it. */
  key_id: string;
  /** JSON: what it says of itself, its health, its capabilities. */
  facts: string;
  /** JSON: the files of its effective configuration, secrets masked. */
  effective: string;
  created_at: number;
  last_seen_at: number;
}

/** A version of a configuration that a person pushed to one collector. */
export interface FleetConfigTable {
  id: string;
  project_id: string;
  collector_id: string;
  version: number;
  hash: string;
  /** The text, sealed: exporters have keys in it. */
  body: string;
  state: string;
  /** The version that it goes back to. */
  rollback_of: number | null;
  reason: string;
  created_by: string;
  created_at: number;
  finished_at: number | null;
  error: string | null;
}
