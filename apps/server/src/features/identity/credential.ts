export interface Credential {
  readonly scheme: 'bearer' | 'basic';
  readonly key: string;
}

/** Longer headers cannot hold a key of ours and are not looked at. */
const MAX_HEADER = 4_096;

function percentDecode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Reads an `Authorization` header. Exporters configured through `OTEL_EXPORTER_OTLP_HEADERS` often send it still
 * percent-encoded (`Bearer%20pk_...`), so the value is decoded first. Returns undefined when it names no key
 * (absent, empty, a bare scheme), `'unreadable'` when it is something we do not accept.
 */
export function parseAuthorization(header: string | undefined): Credential | 'unreadable' | undefined {
  if (header === undefined) return undefined;
  if (header.length > MAX_HEADER) return 'unreadable';
  const value = percentDecode(header).trim();
  if (value === '') return undefined;
  const match = /^(\S+)(?:\s+(.*))?$/s.exec(value);
  const scheme = match?.[1]?.toLowerCase();
  const rest = (match?.[2] ?? '').trim();
  if (scheme === 'bearer') return rest === '' ? undefined : { scheme, key: rest };
  if (scheme !== 'basic') return 'unreadable';
  if (rest === '') return undefined;
  const decoded = new TextDecoder().decode(Uint8Array.from(Buffer.from(rest, 'base64')));
  const colon = decoded.indexOf(':');
  if (colon < 0) return 'unreadable';
  const key = decoded.slice(colon + 1);
  return key === '' ? undefined : { scheme, key };
}
