import { type RefObject, useEffect, useRef } from 'react';

/**
 * Marks the terms in whatever text stands in the element, also in what comes later, without touching the document: the
 * browser paints the ranges. Of each `of`, the first text inside
 * of `within` that holds them all, or else one of them, is brought into sight, once. Does nothing in a browser that
 * cannot, or that could not load how.
 */
export function useHighlight(
  element: RefObject<HTMLElement | null>,
  terms: readonly string[],
  reveal?: { readonly within: string; readonly of: string },
): void {
  const wanted = terms.join('\n');
  const [within, of] = [reveal?.within, reveal?.of];
  const due = useRef(false);
  useEffect(() => {
    due.current = within !== undefined;
  }, [within, of, wanted]);
  useEffect(() => {
    const root = element.current;
    if (root === null || wanted === '' || !('highlights' in CSS)) return undefined;
    let stop = (): void => undefined;
    let left = false;
    // Most who open a trace seek nothing in it.
    import('./highlight.ts').then(
      ({ keepMarked }) => {
        if (!left) stop = keepMarked(root, wanted.split('\n'), within, due);
      },
      () => undefined,
    );
    return () => {
      left = true;
      stop();
    };
  }, [element, wanted, within, of]);
}
