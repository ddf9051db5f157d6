import { useCallback, useEffect, useEffectEvent, useRef } from 'react';

/** Calls at once, then at most every `ms`; what was asked for meanwhile happens once at the end of the pause. */
export function useThrottled(run: () => void, ms: number): () => void {
  const latest = useEffectEvent(run);
  const pause = useRef<{ timer: ReturnType<typeof setTimeout> | undefined; last: number; call: () => void }>({
    timer: undefined,
    last: 0,
    call: () => undefined,
  });
  useEffect(() => {
    const state = pause.current;
    state.call = () => {
      state.timer = undefined;
      state.last = Date.now();
      latest();
    };
    return () => {
      clearTimeout(state.timer);
      state.timer = undefined;
    };
  }, []);
  return useCallback(() => {
    const state = pause.current;
    if (state.timer !== undefined) return;
    const wait = state.last + ms - Date.now();
    if (wait <= 0) state.call();
    else state.timer = setTimeout(state.call, wait);
  }, [ms]);
}
