import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * Whoever was in a panel when it goes is led back to where they came from; else the keyboard would begin at the top of the
 * page. Focus that is elsewhere stays there.
 */
export function useFocusBack(panel: RefObject<HTMLElement | null>): void {
  const from = useRef<Element>(null);
  useLayoutEffect(() => {
    from.current = document.activeElement;
    const element = panel.current;
    return () => {
      const { current } = from;
      if (element?.contains(document.activeElement) === true && current instanceof HTMLElement)
        current.focus();
    };
  }, [panel]);
}
