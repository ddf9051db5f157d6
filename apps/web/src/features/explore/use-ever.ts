import { useQuery, type UseQueryOptions } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { refreshNow } from '../shell/shell-search.ts';

/** Whether there was ever anything to show; looks again at the time range when the first of it arrives. */
export function useEver<Key extends readonly unknown[]>(
  query: UseQueryOptions<boolean, Error, boolean, Key>,
) {
  const ever = useQuery(query);
  const waiting = useRef(false);
  useEffect(() => {
    // The window that was empty ended before the first record arrived.
    if (ever.data === true && waiting.current) refreshNow();
    waiting.current = ever.data === false;
  }, [ever.data]);
  return ever;
}
