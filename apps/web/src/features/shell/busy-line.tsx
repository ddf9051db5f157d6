import { type Query, useQueryClient } from '@tanstack/react-query';
import { LoaderCircle } from 'lucide-react';
import { useEffect, useState } from 'react';
import { heals, isBusy } from '../../api/retry.ts';
import { useShell } from './shell-search.ts';

/** An answer that takes longer is worth a word. */
const SLOW_MS = 8_000;
const LOOK_MS = 1_000;

type Trouble = 'busy' | 'away' | 'slow';
const SAID: Record<Trouble, string> = {
  busy: 'The store is busy. What is missing is asked for again by itself; what is dimmed is from before.',
  away: 'The server does not answer at the moment. What is missing is asked for again by itself.',
  slow: 'This is a lot to read. A shorter time range or a narrower search answers sooner.',
};

/** One line for the whole page while answers are late: why, and that nothing has to be done. */
export function BusyLine() {
  const hasRange = useShell().rangeUse !== undefined;
  const cache = useQueryClient().getQueryCache();
  const [trouble, setTrouble] = useState<Trouble>();
  useEffect(() => {
    const since = new Map<Query, number>();
    const look = () => {
      const waiting = cache.findAll({ type: 'active', fetchStatus: 'fetching' });
      for (const query of since.keys()) if (!waiting.includes(query)) since.delete(query);
      for (const query of waiting) if (!since.has(query)) since.set(query, Date.now());
      setTrouble(worstOf(waiting, since));
    };
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [cache]);
  // Who waits for a model's or another server's answer is not helped by that.
  const said = trouble === 'slow' && !hasRange ? undefined : trouble;
  return (
    <div role="status" data-testid="busy-line">
      {said !== undefined && (
        <p className="flex items-center gap-2 border-b border-line bg-selected px-3 py-1 text-sm">
          <LoaderCircle size={14} className="shrink-0 text-accent" aria-hidden />
          {SAID[said]}
        </p>
      )}
    </div>
  );
}

function worstOf(waiting: readonly Query[], since: ReadonlyMap<Query, number>): Trouble | undefined {
  const failures = waiting.map((query) => query.state.fetchFailureReason);
  if (failures.some(isBusy)) return 'busy';
  if (failures.some(heals)) return 'away';
  const longAgo = Date.now() - SLOW_MS;
  return waiting.some((query) => (since.get(query) ?? Infinity) < longAgo) ? 'slow' : undefined;
}
