interface Entry<V> {
  readonly value: Promise<V>;
  weight: number;
}

/**
 * What was read, or is being read, by its key; those longest unused go first. Asked for twice at once it is read once,
 * and what fails is not kept. What is being read while the cache is cleared is given to those who waited and not kept.
 */
export class ReadCache<V> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #most: number;
  readonly #weigh: (value: V) => number;
  #weight = 0;

  /** @param most what all values together may weigh @param weigh what one weighs, at least 1 */
  constructor(most: number, weigh: (value: V) => number) {
    this.#most = most;
    this.#weigh = weigh;
  }

  get(key: string, read: () => Promise<V>): Promise<V> {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known.value;
    }
    const value = read();
    // While it is read it weighs what the smallest does, so that many reads at once are bounded too.
    const entry: Entry<V> = { value, weight: 1 };
    this.#entries.set(key, entry);
    this.#weight += 1;
    value.then(
      (made) => this.#settle(key, entry, this.#weigh(made)),
      () => this.#settle(key, entry, undefined),
    );
    this.#shrink();
    return value;
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }

  #settle(key: string, entry: Entry<V>, weight: number | undefined): void {
    if (this.#entries.get(key) !== entry) return;
    if (weight === undefined) {
      this.#drop(key, entry);
      return;
    }
    this.#weight += weight - entry.weight;
    entry.weight = weight;
    this.#shrink();
  }

  #drop(key: string, entry: Entry<V>): void {
    this.#entries.delete(key);
    this.#weight -= entry.weight;
  }

  #shrink(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#weight <= this.#most) return;
      this.#drop(key, entry);
    }
  }
}
