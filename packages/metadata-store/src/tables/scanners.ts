/** Scanner connectors of a project and environment. */
export interface ScannerTable {
  /** `scanner:<uuid>`. */
  id: string;
  project_id: string;
  environment: string;
  name: string;
  /** `name` as it is compared: unique in its project and environment. */
  name_key: string;
  target: string;
  ref: string | null;
  /** JSON: detectors, flags, licencePolicy. */
  settings: string;
  schedule_hours: number | null;
  /** Sealed. */
  token: string | null;
  version: number;
  next_at: number | null;
  created_at: number;
  updated_at: number;
}

/** Scans, waiting, running and done. */
export interface ScannerJobTable {
  id: string;
  scanner_id: string;
  project_id: string;
  environment: string;
  status: string;
  /** JSON: what this scan was asked for. */
  request: string;
  cancelled: number;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  finding_count: number;
  medium_plus_count: number;
  /** JSON: findings as listed, coverage, sandbox, vulnerability data. */
  result: string | null;
  /** JSON: packages of lock files. */
  components: string | null;
  error: string | null;
}

/** What scans found, once a scanner and fingerprint. */
export interface ScannerFindingTable {
  scanner_id: string;
  fingerprint: string;
  project_id: string;
  environment: string;
  target: string;
  detector: string;
  rule_id: string;
  severity: string;
  /** 0 is worst: what lists are sorted by. */
  severity_rank: number;
  status: string;
  path: string;
  line: number | null;
  /** JSON: title, explanation, fix, snippet. */
  texts: string;
  reason: string | null;
  ignored_until: number | null;
  first_seen: number;
  last_seen: number;
  fixed_at: number | null;
}
