/** Language models that were configured, by project and database configuration. Keys of vendors are in the vault. */
export interface ModelConfigTable {
  id: string;
  project_id: string;
  database_config_id: string;
  name: string;
  /** `name` as it is compared: unique in its place. */
  name_key: string;
  provider: string;
  model: string;
  base_url: string | null;
  allow_insecure: number;
  /** A reference, never the key itself. */
  secret_id: string | null;
  /** JSON: temperature, maxOutputTokens. */
  settings: string;
  version: number;
  created_by: string | null;
  created_at: number;
  updated_by: string | null;
  updated_at: number;
}
