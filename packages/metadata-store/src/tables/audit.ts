/** Who did what to which object, when and from where. Rows are only added; the database itself refuses to change them. */
export interface AuditTable {
  id: string;
  at: number;
  /** Null for what belongs to no organisation yet: the sign-in of an unknown account. */
  organisation_id: string | null;
  project_id: string | null;
  /** `user`, `key`, `anonymous` or `system`. */
  actor_kind: string;
  actor_id: string | null;
  /** What the actor was called then: an e-mail address, the name of a key. */
  actor_name: string | null;
  /** `<thing>.<verb>`: `view.create`. */
  action: string;
  object_kind: string;
  object_id: string | null;
  /** JSON object; never a secret. */
  details: string;
  address: string | null;
  user_agent: string | null;
  request_id: string;
}
