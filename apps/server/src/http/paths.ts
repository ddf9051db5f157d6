import { fail } from '@candela/kernel';

/** Control characters and backslashes. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const ODD = /[\u0000-\u001F\u007F\\]/;

/**
 * The path of a request target as the one router sees it, without the query. Spellings that different readers
 * understand differently (encoded slashes, dot segments, doubled slashes, backslashes, control characters) are
 * refused instead of being normalised. @throws bad_request
 */
export function canonicalPath(target: string): string {
  const path = target.split(/[?#]/, 1)[0] ?? '';
  const refuse = () =>
    fail('bad_request', { detail: 'The path of this request is ambiguous. Write it in its plain form.' });
  if (!path.startsWith('/') || /%(?:2f|5c|00|25)/i.test(path)) throw refuse();
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    throw refuse();
  }
  if (ODD.test(decoded) || decoded.includes('//')) throw refuse();
  if (decoded.split('/').some((segment) => segment === '.' || segment === '..')) throw refuse();
  return decoded;
}
