/** What people say of the classification of sessions of coding agents. */
export interface CodingDisputeTable {
  id: string;
  project_id: string;
  session_id: string;
  agent: string;
  /** What it was called when it was disputed, and what it should be called. */
  current: string;
  requested: string;
  rationale: string;
  status: string;
  created_by: string;
  created_by_name: string;
  created_at: number;
  resolved_by_name: string | null;
  resolved_at: number | null;
  resolution: string | null;
}
