/** Secrets of a project and database configuration: everything but their values. */
export interface VaultSecretTable {
  id: string;
  project_id: string;
  database_config_id: string;
  /** UPPER_SNAKE_CASE, unique in its place. */
  key: string;
  /** JSON. */
  tags: string;
  /** `tags` as they are compared. */
  tags_key: string;
  /** JSON: ids of the API keys and applications that may read it; null: all of the project. */
  grants: string | null;
  /** Of the value that is in force. */
  version: number;
  /** Of the row: goes up with every change. */
  revision: number;
  /** Of the last version that was made: numbers are never given twice. */
  last_version: number;
  bytes: number;
  created_by: string | null;
  created_at: number;
  updated_by: string | null;
  updated_at: number;
}

/** Values of secrets, sealed. */
export interface VaultVersionTable {
  /** `<secret>.<version>`: what the sealed value is bound to. */
  id: string;
  secret_id: string;
  version: number;
  /** Sealed. */
  value: string;
  bytes: number;
  created_by: string | null;
  created_at: number;
}
