import { useState } from 'react';

/**
 * Which elements can be seen. `watch` is the ref of each; its `data-widget` is the name it goes by.
 */
export function useInView(): {
  readonly visible: ReadonlySet<string>;
  readonly watch: (element: HTMLElement | null) => (() => void) | undefined;
} {
  const [visible, setVisible] = useState<ReadonlySet<string>>(() => new Set());
  const [watch] = useState(() => {
    const nameOf = (element: Element) => (element as HTMLElement).dataset['widget'] ?? '';
    const observer = new IntersectionObserver((entries) =>
      setVisible((before) => {
        const next = new Set(before);
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) next.add(nameOf(target));
          else next.delete(nameOf(target));
        }
        return next;
      }),
    );
    return (element: HTMLElement | null) => {
      if (element === null) return undefined;
      observer.observe(element);
      return () => observer.unobserve(element);
    };
  });
  return { visible, watch };
}
