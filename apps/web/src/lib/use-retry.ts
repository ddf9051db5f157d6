import { useEffect, useEffectEvent, useState } from 'react';
import { heals, waitBefore } from '../api/retry.ts';

const RETRY_MS = 4_000;

interface Again {
  /** It is asked again without anybody doing anything. */
  readonly byItself: boolean;
  /** Somebody asked again and has no answer yet. */
  readonly asking: boolean;
  readonly ask: () => void;
}

/** How to ask again for what could not be had; while somebody looks it is by itself, where that may help. */
export function useRetry(error: unknown, onRetry: () => void): Again {
  const [asked, setAsked] = useState<unknown>();
  const retry = useEffectEvent(onRetry);
  // Every failure counts anew: it may say when to come back.
  useEffect(() => {
    if (!heals(error)) return undefined;
    const wait = Math.max(RETRY_MS, waitBefore(0, error, 0));
    // Not all pages, nor all parts of one, in the same moment.
    const timer = setInterval(
      () => {
        if (document.visibilityState === 'visible') retry();
      },
      wait * (1 + Math.random() / 2),
    );
    return () => clearInterval(timer);
  }, [error]);
  return {
    byItself: heals(error),
    asking: asked !== undefined && asked === error,
    ask() {
      setAsked(error);
      onRetry();
    },
  };
}
