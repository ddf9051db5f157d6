/** Prices of models that people set, of a project or of a whole organisation. */
export interface CustomPriceTable {
  id: string;
  organisation_id: string;
  /** Null: every project of the organisation. */
  project_id: string | null;
  /** '': whoever serves the model. */
  provider: string;
  /** JSON: list of names in lower case. */
  names: string;
  /** JSON: USD by class of tokens, with the rules for tiers, regions, hours. */
  rates: string;
  /** ISO days. */
  valid_from: string | null;
  valid_to: string | null;
  note: string | null;
  version: number;
  created_by: string | null;
  created_at: number;
  updated_by: string | null;
  updated_at: number;
}
