import { useQuery, type UseQueryOptions } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { refreshNow } from '../shell/shell-search.ts';

/** What is sent together is not stored at one instant: the page that turned live is followed for its first minute. */
const FOLLOW_MS = 5_000;
const FOLLOWED_FOR_MS = 60_000;

/** Whether there was ever anything to show; looks again at the time range when the first of it arrives. */
export function useHasData<Key extends readonly unknown[]>(
  query: UseQueryOptions<boolean, Error, boolean, Key>,
) {
  const ever = useQuery(query);
  const waiting = useRef(false);
  useEffect(() => {
    const turnsLive = ever.data === true && waiting.current;
    waiting.current = ever.data === false;
    if (!turnsLive) return undefined;
    // The window that was empty ended before the first record arrived.
    refreshNow();
    const follow = setInterval(() => {
      if (document.visibilityState === 'visible') refreshNow();
    }, FOLLOW_MS);
    const end = setTimeout(() => clearInterval(follow), FOLLOWED_FOR_MS);
    return () => {
      clearInterval(follow);
      clearTimeout(end);
    };
  }, [ever.data]);
  return ever;
}
