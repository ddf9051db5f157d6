import { createHash } from 'node:crypto';

const hashed = (kind: string, id: string, bytes: number): string => {
  const hex = createHash('sha256')
    .update(`${kind}\0${id}`)
    .digest('hex')
    .slice(0, bytes * 2);
  // All zeros is no id; no text is known that hashes to it.
  return /^0+$/.test(hex) ? `${hex.slice(1)}1` : hex;
};
const isZero = (hex: string): boolean => /^0*$/.test(hex);

/** 32 hex digits: the id itself where it is a trace id or a UUID, else a hash of it. */
export function traceIdOf(id: string): string {
  const hex = id.replaceAll('-', '').toLowerCase();
  return /^[0-9a-f]{32}$/.test(hex) && !isZero(hex) ? hex : hashed('trace', id, 16);
}

/** 16 hex digits: the id itself where it is a span id, else a hash of it. */
export function spanIdOf(id: string): string {
  const hex = id.toLowerCase();
  return /^[0-9a-f]{16}$/.test(hex) && !isZero(hex) ? hex : hashed('span', id, 8);
}

/** An id of anything else that was imported, from what makes it this one thing. */
export function importIdOf(...parts: readonly string[]): string {
  return hashed('record', parts.join('\0'), 16);
}
