import { useEffect, useState } from 'react';

/** The value once it has rested for a moment: what is asked of the server while somebody types. Compared by `keyOf`. */
export function useDebounced<T>(value: T, restMs: number, keyOf: (value: T) => unknown = (same) => same): T {
  const [rested, setRested] = useState(value);
  const key = keyOf(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMs);
    return () => clearTimeout(timer);
    // The key stands for the value: another object of the same content begins nothing anew.
  }, [key, restMs]);
  return rested;
}
