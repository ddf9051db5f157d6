import { DASH } from '../../lib/format.ts';

/** A value of an item in a cell: a text, or the only one of an object, as it is; anything else as JSON. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return DASH;
  if (typeof value === 'string') return value;
  const [first, ...more] = typeof value === 'object' && !Array.isArray(value) ? Object.values(value) : [];
  return typeof first === 'string' && more.length === 0 ? first : JSON.stringify(value);
}
