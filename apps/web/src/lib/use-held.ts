import { type RefObject, useRef } from 'react';

/**
 * What was brought into sight: it is kept there while more comes in around it, until the reader moves, by wheel, finger,
 * pointer or key. `released` stands on what scrolls.
 */
export function useHeld<Place>(): {
  readonly held: RefObject<Place | undefined>;
  readonly release: () => void;
  readonly released: Readonly<Record<'onWheel' | 'onTouchMove' | 'onPointerDown' | 'onKeyDown', () => void>>;
} {
  const held = useRef<Place>(undefined);
  const release = () => {
    held.current = undefined;
  };
  return {
    held,
    release,
    released: { onWheel: release, onTouchMove: release, onPointerDown: release, onKeyDown: release },
  };
}
