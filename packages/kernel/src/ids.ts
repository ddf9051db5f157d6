/** A request id: 16 random hex characters. Of a UUID, which the runtime makes many of at once; its fixed digits are left out. */
export function newRequestId(): string {
  const uuid = crypto.randomUUID();
  return uuid.slice(0, 8) + uuid.slice(-8);
}

const TRACE_ID = /^[0-9a-f]{32}$/;
const SPAN_ID = /^[0-9a-f]{16}$/;

/** Lower-case trace id of 32 hex digits, or undefined. */
export function parseTraceId(text: string): string | undefined {
  const lower = text.toLowerCase();
  return TRACE_ID.test(lower) ? lower : undefined;
}

/** Lower-case span id of 16 hex digits, or undefined. */
export function parseSpanId(text: string): string | undefined {
  const lower = text.toLowerCase();
  return SPAN_ID.test(lower) ? lower : undefined;
}
