/** A request id: 16 random hex characters. */
export function newRequestId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
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
