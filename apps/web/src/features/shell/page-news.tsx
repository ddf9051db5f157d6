import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

/** Shorter waits are none. */
const PATIENCE_MS = 250;
/** Pages take their names from what they load: it is said at once, and again where it changed since. */
const TITLE_MS = [700, 3_000];

/**
 * What a change of page is to those who do not see it happen: its name is said, and the focus that went away with the
 * page before stands at the beginning of the new one. While its parts are under way a line says so.
 */
export function PageNews() {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const loading = useRouterState({ select: (state) => state.isLoading });
  const [said, setSaid] = useState('');
  const [waits, setWaits] = useState(false);
  const before = useRef<string>(undefined);
  useEffect(() => {
    const last = before.current;
    before.current = path;
    // What is opened first is said by the browser itself.
    if (last === undefined || path === undefined || path === last) return undefined;
    if (document.activeElement === null || document.activeElement === document.body)
      document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true });
    const timers = TITLE_MS.map((ms) => setTimeout(() => setSaid(document.title), ms));
    return () => timers.forEach(clearTimeout);
  }, [path]);
  useEffect(() => {
    if (!loading) return undefined;
    const timer = setTimeout(() => setWaits(true), PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      setWaits(false);
    };
  }, [loading]);
  return (
    <>
      <p role="status" data-testid="page-news" className="sr-only">
        {waits ? 'Loading the page' : said}
      </p>
      {waits && <div aria-hidden className="skeleton fixed inset-x-0 top-0 z-50 h-0.5 bg-accent-fill" />}
    </>
  );
}
