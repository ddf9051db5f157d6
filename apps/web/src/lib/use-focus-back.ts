import { type RefObject, useLayoutEffect, useRef } from 'react';
import { mayTakeFocus } from './hotkeys.ts';

/**
 * Whoever was in a panel when it goes is led back to where they came from; else the keyboard would begin at the top of the
 * page. Focus that is elsewhere stays there. A panel that `takes` the focus has it when a control opened it, so that the
 * next tab key leads into it; not where the address did, nor from who writes by the time it is there.
 */
export function useFocusBack(panel: RefObject<HTMLElement | null>, { takes = false } = {}): void {
  const from = useRef<Element>(null);
  useLayoutEffect(() => {
    from.current = document.activeElement;
    const element = panel.current;
    if (takes && from.current?.matches('body, main') === false && mayTakeFocus())
      element?.focus({ preventScroll: true });
    return () => {
      const { current } = from;
      if (element?.contains(document.activeElement) === true && current instanceof HTMLElement)
        current.focus();
    };
  }, [panel, takes]);
}
