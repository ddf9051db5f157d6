/** Saved views of a project. Times are epoch milliseconds in every table. */
export interface SavedViewTable {
  id: string;
  project_id: string;
  page: string;
  name: string;
  /** `name` as it is compared: a view's name is unique on its page whatever its case. */
  name_key: string;
  description: string | null;
  search: string;
  created_at: number;
  updated_at: number;
}
