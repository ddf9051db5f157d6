import { useState } from 'react';

/**
 * The token of a link we made: behind `#`, which no server and no log sees, or as `token` of the search. Empty when
 * there is none that could be ours.
 */
export function useLinkToken(): string {
  const [token] = useState(() => linkToken(location.hash, location.search));
  return token;
}

/** As `useLinkToken`, of the two parts of an address. */
export function linkToken(hash: string, search: string): string {
  const behind = hash.replace(/^#/, '');
  const token =
    new URLSearchParams(behind).get('token') ?? (behind || (new URLSearchParams(search).get('token') ?? ''));
  return /^[\w-]{20,128}$/.test(token) ? token : '';
}
