/** What one record may carry. What is over a limit is dropped or cut, and counted; the record is kept. */
export interface Limits {
  /** Attributes of one record (span, event, link, log, data point, resource, scope). */
  readonly attributes: number;
  /** Bytes of one attribute value or log body; cut at a UTF-8 boundary. */
  readonly valueBytes: number;
  /** Bytes of one attribute key; cut at a UTF-8 boundary. */
  readonly keyBytes: number;
}

export const DEFAULT_LIMITS: Limits = { attributes: 1024, valueBytes: 1 << 20, keyBytes: 512 };

/** How deep arrays and maps may nest in one attribute value; deeper is refused as undecodable. */
export const MAX_VALUE_DEPTH = 64;
