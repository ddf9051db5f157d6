/**
 * The sum of several counters of one device (its links, its blocks with errors). A counter that cannot be read for once
 * must not make the sum fall: it would be taken for a reset, and everything be counted again afterwards.
 */
export class HeldSum {
  readonly #parts = new Map<string, bigint>();
  #total = 0n;

  /** The sum after these readings; undefined as long as there was none. A part that fell counts from zero again. */
  add(parts: ReadonlyMap<string, bigint>): bigint | undefined {
    for (const [key, value] of parts) {
      const before = this.#parts.get(key) ?? 0n;
      this.#total += value >= before ? value - before : value;
      this.#parts.set(key, value);
    }
    return this.#parts.size === 0 ? undefined : this.#total;
  }
}
