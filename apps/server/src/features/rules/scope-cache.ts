import type { StorageScope } from '@candela/metadata-store';

interface Entry<V> {
  readonly place: StorageScope;
  /** How often a change of the place was heard of. */
  changes: number;
  held: { readonly value: V; readonly asOf: number } | undefined;
  reading: { readonly value: Promise<V>; readonly asOf: number } | undefined;
  /** The reading after the one under way. */
  next: Promise<V> | undefined;
  size: number;
}

/**
 * What was read of each place. It is read when somebody asks, and again when somebody asks after a change; by one reading
 * at a time, with what was read before at hand. Nobody is given what is older than the last change they could know of: a
 * reading that began before it is waited for, then one more is made for all who ask meanwhile. A reading that fails is
 * told to those who wait, and what was read before stays only to start from.
 */
export class ScopeCache<V> {
  readonly #read: (place: StorageScope, former: V | undefined) => Promise<V>;
  readonly #sizeOf: (value: V) => number;
  readonly #most: { readonly size: number; readonly places: number };
  readonly #entries = new Map<string, Entry<V>>();

  /** @param most beyond it the places that were not asked longest are let go */
  constructor(
    read: (place: StorageScope, former: V | undefined) => Promise<V>,
    sizeOf: (value: V) => number,
    most: { readonly size: number; readonly places: number },
  ) {
    this.#read = read;
    this.#sizeOf = sizeOf;
    this.#most = most;
  }

  /** What the place holds, with every change that was heard of until now. */
  get(place: StorageScope): Promise<V> {
    const entry = this.#entryOf(place);
    const { held, reading } = entry;
    if (held?.asOf === entry.changes) return Promise.resolve(held.value);
    if (reading === undefined) return this.#start(entry);
    if (reading.asOf === entry.changes) return reading.value;
    entry.next ??= reading.value.then(
      () => this.#goOn(entry),
      () => this.#goOn(entry),
    );
    return entry.next;
  }

  /** Of these places, or of all, something changed. */
  changed(places: readonly StorageScope[] | 'everywhere'): void {
    if (places === 'everywhere') {
      for (const entry of this.#entries.values()) entry.changes += 1;
      return;
    }
    for (const place of places) {
      const entry = this.#entries.get(keyOf(place));
      if (entry !== undefined) entry.changes += 1;
    }
  }

  #entryOf(place: StorageScope): Entry<V> {
    const key = keyOf(place);
    const entry: Entry<V> = this.#entries.get(key) ?? {
      place,
      changes: 0,
      held: undefined,
      reading: undefined,
      next: undefined,
      size: 1,
    };
    // Asked last stands last.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  #goOn(entry: Entry<V>): Promise<V> {
    entry.next = undefined;
    return this.#start(entry);
  }

  #start(entry: Entry<V>): Promise<V> {
    const asOf = entry.changes;
    const value = this.#hold(entry, asOf);
    entry.reading = { value, asOf };
    return value;
  }

  async #hold(entry: Entry<V>, asOf: number): Promise<V> {
    try {
      const value = await this.#read(entry.place, entry.held?.value);
      entry.held = { value, asOf };
      entry.size = 1 + this.#sizeOf(value);
      return value;
    } finally {
      entry.reading = undefined;
      this.#makeRoom();
    }
  }

  #makeRoom(): void {
    let size = 0;
    for (const entry of this.#entries.values()) size += entry.size;
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size <= 1 || (size <= this.#most.size && this.#entries.size <= this.#most.places))
        return;
      this.#entries.delete(key);
      size -= entry.size;
    }
  }
}

const keyOf = ({ projectId, databaseConfigId }: StorageScope): string =>
  JSON.stringify([projectId, databaseConfigId]);
