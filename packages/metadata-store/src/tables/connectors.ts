/** Databases that telemetry may be kept in, besides the built-in one. */
export interface ConnectorTable {
  id: string;
  organisation_id: string;
  /** Null: for every project of the organisation. */
  project_id: string | null;
  name: string;
  /** `name` as it is compared: unique in the organisation. */
  name_key: string;
  kind: string;
  url: string | null;
  username: string | null;
  database_name: string;
  allow_insecure: number;
  /** Sealed: password, authority, client certificate and key. */
  secrets: string | null;
  has_password: number;
  has_ca: number;
  has_client_certificate: number;
  version: number;
  created_at: number;
  updated_at: number;
}

/** Where a signal of a project and environment is kept. */
export interface SignalBindingTable {
  project_id: string;
  /** Empty: the default of the project. */
  environment: string;
  signal: string;
  /** Null: nowhere, which is an error for whoever sends or asks. */
  connector_id: string | null;
  updated_at: number;
}

/** Days that a project chose. */
export interface ProjectRetentionTable {
  project_id: string;
  signal: string;
  days: number;
  updated_at: number;
}

/** Master keys that secrets of this store are or were sealed with: their ids, never keys. */
export interface VaultKeyTable {
  key_id: string;
  created_at: number;
}
