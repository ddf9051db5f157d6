import { fail } from '@candela/kernel';

/** Where a list goes on, as opaque text that belongs to that list alone. */
export const writeCursor = (list: string, place: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify([list, ...place])).toString('base64url');

/** @throws bad_query when it is no cursor of that list */
export function readCursor(
  list: string,
  text: string,
  kinds: readonly ('string' | 'number')[],
): (string | number)[] {
  const refuse = () =>
    fail('bad_query', { detail: 'The cursor does not belong to this list. Start again without one.' });
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    throw refuse();
  }
  if (!Array.isArray(parts) || parts.length !== kinds.length + 1 || parts[0] !== list) throw refuse();
  const place = parts.slice(1) as unknown[];
  if (!place.every((part, index) => typeof part === kinds[index])) throw refuse();
  return place as (string | number)[];
}
