/** An application that may ask for tokens. */
export interface OauthClientTable {
  id: string;
  organisation_id: string;
  /** The project of tokens that it gets for itself. */
  project_id: string;
  name: string;
  /** `name` as it is compared. */
  name_key: string;
  /** `confidential` or `public`. */
  kind: string;
  /** SHA-256 of the secret, hexadecimal; null: a public client. */
  secret_hash: string | null;
  /** JSON. */
  redirect_uris: string;
  /** JSON. */
  grants: string;
  /** JSON. */
  scopes: string;
  created_by: string | null;
  created_at: number;
  last_used_at: number | null;
}

/** What the OAuth server hands out and remembers: codes, tokens, permissions, requests under way. */
export interface OauthEntryTable {
  kind: string;
  /** SHA-256 of the code or token, hexadecimal: who reads this table holds none. */
  id_hash: string;
  /** JSON, without the code or token itself. */
  payload: string;
  grant_id: string | null;
  client_id: string | null;
  user_id: string | null;
  uid: string | null;
  created_at: number;
  expires_at: number | null;
  consumed_at: number | null;
}

/** Keys of the server's own, made when they are first needed; sealed. */
export interface ServerKeyTable {
  name: string;
  value: string;
  created_at: number;
}
