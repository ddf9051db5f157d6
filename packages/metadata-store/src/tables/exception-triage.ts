/** What people decided about groups of exceptions; a group without a row is open and nobody's. */
export interface ExceptionTriageTable {
  project_id: string;
  fingerprint: string;
  /** `open`, `resolved`, `ignored`. */
  status: string;
  assignee: string | null;
  /** When the status was set: what happens after it was resolved is a regression. */
  status_at: number;
  changed_by: string | null;
  changed_at: number;
}
