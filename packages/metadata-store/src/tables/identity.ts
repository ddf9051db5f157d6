/** Tables of who may do what. Ids are text, times epoch milliseconds; secrets are kept as hashes only. */
export interface OrganisationTable {
  id: string;
  name: string;
  created_at: number;
}

export interface UserTable {
  id: string;
  /** Lower case. */
  email: string;
  name: string;
  /** Parameters, salt and hash; null: signs in at a provider only. */
  password_hash: string | null;
  /** Sealed; in force. */
  totp_secret: string | null;
  /** Sealed; waits for its first code. */
  totp_pending: string | null;
  /** The time step of the last code that was taken: no code is taken twice. */
  totp_last_step: number;
  /** JSON: hashes of the codes that are left. */
  recovery_codes: string;
  created_at: number;
}

export interface MembershipTable {
  organisation_id: string;
  user_id: string;
  role: string;
  joined_at: number;
}

/** Accounts elsewhere that sign in as a user here. */
export interface UserIdentityTable {
  provider: string;
  /** What the provider calls the account, for ever. */
  subject: string;
  user_id: string;
  created_at: number;
}

export interface SessionTable {
  id: string;
  token_hash: string;
  user_id: string;
  address: string;
  user_agent: string;
  created_at: number;
  last_seen_at: number;
  /** The end however much it is used. */
  expires_at: number;
}

export interface InvitationTable {
  id: string;
  organisation_id: string;
  email: string;
  role: string;
  /** JSON: ids of projects. */
  projects: string;
  token_hash: string;
  invited_by: string;
  created_at: number;
  expires_at: number;
}

/** Links printed at the start of an installation that nobody owns. */
export interface SetupLinkTable {
  token_hash: string;
  created_at: number;
}

/** Sign-ins under way: past the password and before the code, or at a provider. */
export interface SignInAttemptTable {
  token_hash: string;
  /** What it waits for. */
  kind: string;
  /** JSON. */
  payload: string;
  expires_at: number;
}

export interface ProjectTable {
  id: string;
  organisation_id: string;
  name: string;
  /** `name` as it is compared. */
  name_key: string;
  created_at: number;
}

export interface ProjectMemberTable {
  project_id: string;
  user_id: string;
  added_at: number;
}

export interface EnvironmentTable {
  project_id: string;
  name: string;
  /** `settings` or `telemetry`: what made it. */
  origin: string;
  created_at: number;
}

export interface ApiKeyTable {
  id: string;
  project_id: string;
  name: string;
  /** How the key begins, public. */
  prefix: string;
  /** SHA-256 of the whole key, hexadecimal. */
  key_hash: string;
  /** JSON. */
  scopes: string;
  /** JSON; null: all. */
  environments: string | null;
  created_by: string | null;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  replaced_by: string | null;
}
