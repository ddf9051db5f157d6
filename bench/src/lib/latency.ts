/** Collects durations and answers quantiles exactly. */
export class Latencies {
  readonly #values: number[] = [];

  add(ms: number): void {
    this.#values.push(ms);
  }

  get count(): number {
    return this.#values.length;
  }

  /** The value below which `share` (0 to 1) of all lie; NaN without any. */
  quantile(share: number): number {
    const sorted = [...this.#values].sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  }

  get max(): number {
    return this.#values.reduce((most, value) => Math.max(most, value), 0);
  }
}
