/** Memory of the machine in bytes. The states add up to `limit`. */
export interface MemoryReading {
  readonly limit: number;
  readonly states: ReadonlyMap<'used' | 'free' | 'buffers' | 'cached', number>;
  /** Linux: what the kernel says programs could still take. */
  readonly available?: number;
}

/**
 * States that add up to `limit` whatever the system says: its figures are read one after another, so that their sum may
 * be off. Each takes what is left at most, in the order given; the rest is used.
 */
export function statesOf(
  limit: number,
  parts: readonly (readonly ['free' | 'buffers' | 'cached', number])[],
): MemoryReading['states'] {
  const states = new Map<'used' | 'free' | 'buffers' | 'cached', number>();
  let rest = limit;
  for (const [state, bytes] of parts) {
    const taken = Math.min(rest, Math.max(0, bytes));
    states.set(state, taken);
    rest -= taken;
  }
  states.set('used', rest);
  return states;
}
