const LOOK_EVERY_MS = 1_000;

/**
 * Watches statements that may run for so many seconds (0: no bound) and calls `onStuck` when one is `graceSeconds` over.
 * Time in which this process stood still (stopped, or starved of processors) does not count. Gives the function to call
 * when a statement starts, which gives the one to call when it ends.
 */
export function watchStuckStatements(
  graceSeconds: number,
  onStuck: () => void,
): (boundSeconds: number) => () => void {
  const deadlines = new Map<symbol, number>();
  let awake = 0;
  let lookedAt = performance.now();
  setInterval(() => {
    const now = performance.now();
    awake += Math.min(now - lookedAt, LOOK_EVERY_MS);
    lookedAt = now;
    for (const deadline of deadlines.values()) {
      if (awake >= deadline) {
        onStuck();
        return;
      }
    }
  }, LOOK_EVERY_MS).unref();
  return (boundSeconds) => {
    const key = Symbol('statement');
    const sinceLook = Math.min(performance.now() - lookedAt, LOOK_EVERY_MS);
    if (boundSeconds > 0) deadlines.set(key, awake + sinceLook + (boundSeconds + graceSeconds) * 1_000);
    return () => deadlines.delete(key);
  };
}
