/** Answers of calls that carried an `Idempotency-Key`, kept for a day. */
export interface IdempotencyTable {
  /** Who asked what: tenant, principal, route. */
  scope: string;
  key: string;
  /** SHA-256 of what was asked, hexadecimal. */
  request_hash: string;
  /** The answer, as JSON. */
  answer: string;
  created_at: number;
}
