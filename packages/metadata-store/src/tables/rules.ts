/** Rules of a place: of a project, in one database configuration. */
export interface RuleTable {
  id: string;
  project_id: string;
  database_config_id: string;
  name: string;
  /** `name` as it is compared: unique in its place. */
  name_key: string;
  description: string;
  /** What is searched: name and description in lower case. */
  search_key: string;
  /** JSON: how groups are joined, and the groups with their conditions. */
  definition: string;
  status: string;
  priority: number;
  revision: number;
  created_by: string;
  created_at: number;
  updated_by: string;
  updated_at: number;
}

/** What a rule is linked to. The place is that of its rule. */
export interface RuleLinkTable {
  id: string;
  rule_id: string;
  project_id: string;
  database_config_id: string;
  entity_type: string;
  entity_id: string;
  created_by: string;
  created_at: number;
}
