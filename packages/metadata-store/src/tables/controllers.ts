/** A controller: the program that looks after one host or node. */
export interface ControllerInstanceTable {
  id: string;
  project_id: string;
  environment: string;
  /** What it calls itself; one of a project. */
  name: string;
  cluster: string;
  /** The API key that speaks for it. */
  key_id: string;
  revoked: number;
  /** JSON: version, mode, node and what else it says of itself. */
  facts: string;
  /** JSON list: the services it found. */
  services: string;
  config_hash: string;
  created_at: number;
  last_seen_at: number;
}

/** Lets a controller in once it is shown; kept as its hash. */
export interface ControllerTokenTable {
  id: string;
  organisation_id: string;
  project_id: string;
  environment: string;
  cluster: string;
  token_hash: string;
  uses: number;
  uses_left: number;
  created_by: string;
  created_at: number;
  expires_at: number;
  revoked_at: number | null;
}

/** What people want of a workload, whichever instance reports it. */
export interface ControllerDesiredTable {
  project_id: string;
  environment: string;
  cluster: string;
  workload: string;
  /** `instrumentation` or `agent`. */
  feature: string;
  enabled: number;
  content: number;
  reason: string;
  changed_by: string;
  changed_at: number;
}

/** One thing that an instance is asked to do. */
export interface ControllerActionTable {
  id: string;
  project_id: string;
  instance_id: string;
  workload: string;
  type: string;
  /** JSON. */
  payload: string;
  dry_run: number;
  state: string;
  attempt: number;
  lease_until: number | null;
  expires_at: number;
  reason: string;
  created_by: string;
  created_at: number;
  finished_at: number | null;
  error: string | null;
  snapshot: string | null;
}

/** What the instances of a project are told. JSON. */
export interface ControllerConfigTable {
  project_id: string;
  config: string;
}
