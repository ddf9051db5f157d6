/**
 * Where to go after signing in: a path of this site, else the start page. What another site put into the address never
 * leads away.
 */
export function returnPath(text: unknown): string {
  if (typeof text !== 'string' || text.length > 2_048 || !/^\/(?![/\\])/.test(text)) return '/';
  const base = 'http://this.invalid';
  if (!URL.canParse(text, base)) return '/';
  const url = new URL(text, base);
  if (url.origin !== base || /^\/sign-in(?:\/|$)/.test(url.pathname)) return '/';
  return `${url.pathname}${url.search}${url.hash}`;
}
