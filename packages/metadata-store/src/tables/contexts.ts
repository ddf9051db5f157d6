/** Contexts of a place: texts that rules hand to applications. */
export interface ContextTable {
  id: string;
  project_id: string;
  database_config_id: string;
  name: string;
  /** `name` as it is compared: unique in its place. */
  name_key: string;
  description: string;
  /** What is searched: name, description and tags in lower case. */
  search_key: string;
  content: string;
  /** JSON: a list of texts. */
  tags: string;
  /** JSON: an object. */
  meta: string;
  status: string;
  /** Of content, tags and meta. */
  version: number;
  /** Goes up with every change. */
  revision: number;
  created_by: string;
  created_at: number;
  updated_by: string;
  updated_at: number;
}

/** What a context was at a version. Never changed. */
export interface ContextVersionTable {
  context_id: string;
  project_id: string;
  version: number;
  content: string;
  tags: string;
  meta: string;
  created_by: string;
  created_at: number;
}
