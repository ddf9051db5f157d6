/**
 * What credentials stand for, by the hash of the credential. Bounded: the ones longest unused are forgotten. `forget`
 * empties it, and what was being looked up at that moment is used once and not kept, because it may be of before.
 */
export class CredentialCache<T> {
  readonly #known = new Map<string, Promise<T | undefined>>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** What is known, or what `load` finds; two at the same time ask once. Failures are not kept. */
  get(hash: string, load: () => Promise<T | undefined>): Promise<T | undefined> {
    const known = this.#known.get(hash);
    if (known !== undefined) {
      this.#known.delete(hash);
      this.#known.set(hash, known);
      return known;
    }
    const loading = load();
    this.#known.set(hash, loading);
    loading.catch(() => {
      if (this.#known.get(hash) === loading) this.#known.delete(hash);
    });
    if (this.#known.size > this.#max) {
      const oldest = this.#known.keys().next();
      if (oldest.done !== true) this.#known.delete(oldest.value);
    }
    return loading;
  }

  forget(): void {
    this.#known.clear();
  }
}
