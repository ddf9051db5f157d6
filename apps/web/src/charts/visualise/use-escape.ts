import { useEffect, useEffectEvent } from 'react';

/** While `active`, Escape takes back what the pointer has begun, and nothing else of the page hears of it. */
export function useEscape(active: boolean, takeBack: () => void): void {
  const escaped = useEffectEvent(takeBack);
  useEffect(() => {
    if (!active) return undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopImmediatePropagation();
      escaped();
    };
    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [active]);
}
