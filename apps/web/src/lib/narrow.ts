import { useSyncExternalStore } from 'react';

/** As the styles' `max-sm`: a telephone, where rows of columns are wider than the screen. */
const query = (): MediaQueryList => matchMedia('(width < 40rem)');

/** Whether the window is as narrow as a telephone; follows it when it is turned or resized. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = query();
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => query().matches,
  );
}
