import { createHash } from 'node:crypto';
import { fail, type RequestContext } from '@candela/kernel';

const MAX_INT64 = 2n ** 63n - 1n;

/** What a cursor holds: which list it belongs to, the window it was made for, and the keys of the last row. */
export interface Cursor {
  readonly list: string;
  readonly from: bigint;
  readonly to: bigint;
  /** Sort value as text, then ids. */
  readonly after: readonly string[];
}

/**
 * The name of a list as its cursors carry it: which rows it holds and in which order. Everything that decides that
 * goes in (`parts`: sort, filter, ids), so that a cursor of another query is refused instead of skipping rows.
 */
export function listName(name: string, context: RequestContext, ...parts: readonly unknown[]): string {
  const asked = JSON.stringify([context.projectId, context.environment ?? null, ...parts]);
  return `${name} ${createHash('sha256').update(asked).digest('base64url').slice(0, 16)}`;
}

/** Opaque text for `nextCursor`. */
export function encodeCursor(cursor: Cursor): string {
  const plain = [cursor.list, cursor.from.toString(), cursor.to.toString(), ...cursor.after];
  return Buffer.from(JSON.stringify(plain)).toString('base64url');
}

/** Reads a cursor of that list with that many keys. It names no tenant, so a forged one reaches nothing new. @throws bad_query */
export function decodeCursor(text: string, list: string, keys: number): Cursor {
  const refuse = () =>
    fail('bad_query', { detail: 'The cursor belongs to another query. Start again without one.' });
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    throw refuse();
  }
  if (!Array.isArray(parts) || parts.length !== keys + 3) throw refuse();
  if (!parts.every((part): part is string => typeof part === 'string' && part.length <= 200)) throw refuse();
  const [name, from, to, ...after] = parts as string[];
  if (name !== list) throw refuse();
  return { list, from: nanos(from, refuse), to: nanos(to, refuse), after };
}

/** Of keys that no list gave out. */
export const damagedCursor = (): Error => fail('bad_query', { detail: 'The cursor is damaged.' });

/** A whole number that fits the time column. */
export function nanos(text: string | undefined, refuse: () => Error): bigint {
  if (text === undefined || !/^\d{1,19}$/.test(text)) throw refuse();
  const value = BigInt(text);
  if (value > MAX_INT64) throw refuse();
  return value;
}
