import { useEffect, useEffectEvent } from 'react';
import { heals, waitBefore } from '../api/again.ts';

const RETRY_MS = 4_000;

/** Asks again by itself, while somebody looks, for what could not be had and may heal. Returns whether it does. */
export function useAgain(error: unknown, onRetry: () => void): boolean {
  const again = heals(error);
  const retry = useEffectEvent(onRetry);
  const wait = Math.max(RETRY_MS, waitBefore(0, error, 0));
  useEffect(() => {
    if (!again) return undefined;
    // Not all pages, nor all parts of one, in the same moment.
    const timer = setInterval(
      () => {
        if (document.visibilityState === 'visible') retry();
      },
      wait * (1 + Math.random() / 2),
    );
    return () => clearInterval(timer);
  }, [again, wait]);
  return again;
}
