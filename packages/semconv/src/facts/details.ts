/** Small JSON objects of counts (`{"input":56,"cache_read_input_tokens":64}`) that some emitters put in one attribute. */
import type { AttributeValue } from '../types.ts';
import { numberOf } from './values.ts';

const MAX_LENGTH = 4096;
const MAX_ENTRIES = 64;

/** Flat name to number. Nested objects are flattened with `.`; unreadable or oversized values give an empty map. */
export function numberDetails(value: AttributeValue | undefined): ReadonlyMap<string, number> {
  const out = new Map<string, number>();
  if (value instanceof Map) {
    for (const [key, entry] of value) collect(out, String(key), entry, 0);
    return out;
  }
  if (typeof value !== 'string' || value.length > MAX_LENGTH || !value.startsWith('{')) return out;
  try {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed === 'object' && parsed !== null) collect(out, '', parsed, 0);
  } catch {
    // Not JSON: the emitter reported nothing we can read.
  }
  return out;
}

function collect(out: Map<string, number>, name: string, value: unknown, depth: number): void {
  if (out.size >= MAX_ENTRIES || depth > 3) return;
  if (typeof value === 'number' || typeof value === 'string' || typeof value === 'bigint') {
    const number = numberOf(value);
    if (number !== undefined && number >= 0) out.set(name, number);
    return;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const entries: Iterable<[string, unknown]> = value instanceof Map ? value : Object.entries(value);
  for (const [key, entry] of entries) collect(out, name === '' ? key : `${name}.${key}`, entry, depth + 1);
}
