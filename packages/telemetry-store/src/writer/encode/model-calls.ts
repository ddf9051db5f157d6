/** Fingerprints kept, two to five for a model call with a parent; the oldest of a bucket makes room. */
const SLOTS = 1 << 21;
const BUCKET = 4;

/** What is known of a span; each is a fingerprint of its own. */
export const MARKS = {
  /** A model call is right below it. */
  parent: 0,
  /** A model call that counts its usage. */
  counted: 0x3c6ef372,
  /** A model call whose usage counts above it. */
  covered: 0x5be0cd19,
  /** A model call without tokens that counts as a call. It covers nothing. */
  empty: 0x1f83d9ab,
  /** A model call is below it, with nothing but plain spans in between. */
  above: 0x510e527f,
  /** A plain span below a model call whose usage counts there or above, with nothing but plain spans in between. */
  below: 0x6a09e667,
} as const;

/** Memory for a registry that several workers share (8 MiB). */
export function createModelCallRegistry(): SharedArrayBuffer {
  return new SharedArrayBuffer((SLOTS + BUCKET) * 4);
}

/**
 * Marks of spans that outlive a request: what calls-of-request.ts decides by, for spans that come in several requests.
 *
 * A set of 32-bit fingerprints in buckets of four, lossy on purpose: bounded memory, no locks (a slot is one
 * word). Forgotten after about half a million newer calls, and with the process; a wrong hit has odds of one in a billion.
 */
export class ModelCallRegistry {
  readonly #words: Int32Array;
  readonly #seed: number;
  #bucket = 0;
  #tag = 0;

  constructor(memory: SharedArrayBuffer | ArrayBuffer = new ArrayBuffer((SLOTS + BUCKET) * 4)) {
    this.#words = new Int32Array(memory);
    // The seed is the first word; whoever comes first draws it.
    const drawn = (crypto.getRandomValues(new Int32Array(1))[0] as number) | 1;
    const there = Atomics.compareExchange(this.#words, 0, 0, drawn);
    this.#seed = there === 0 ? drawn : there;
  }

  /** Remembers of span `spanAt` (8 bytes) of trace `traceAt` (16 bytes) what `tenant`, which holds the mark, says. */
  add(view: DataView, traceAt: number, spanAt: number, tenant: number): void {
    this.#place(view, traceAt, spanAt, tenant);
    const words = this.#words;
    for (let slot = this.#bucket; slot < this.#bucket + BUCKET; slot++) {
      const there = words[slot] as number;
      if (there === this.#tag) return;
      if (there === 0) {
        words[slot] = this.#tag;
        return;
      }
    }
    for (let slot = this.#bucket; slot < this.#bucket + BUCKET - 1; slot++) {
      words[slot] = words[slot + 1] as number;
    }
    words[this.#bucket + BUCKET - 1] = this.#tag;
  }

  has(view: DataView, traceAt: number, spanAt: number, tenant: number): boolean {
    this.#place(view, traceAt, spanAt, tenant);
    for (let slot = this.#bucket; slot < this.#bucket + BUCKET; slot++) {
      if (this.#words[slot] === this.#tag) return true;
    }
    return false;
  }

  #place(view: DataView, traceAt: number, spanAt: number, tenant: number): void {
    let first = this.#seed ^ tenant;
    let second = Math.imul(tenant, 0x27d4eb2f) ^ this.#seed;
    for (let index = 0; index < 24; index += 4) {
      const word = view.getInt32(index < 16 ? traceAt + index : spanAt + index - 16, true);
      first = Math.imul(first ^ word, 0x9e3779b1);
      first ^= first >>> 15;
      second = Math.imul(second ^ word, 0x85ebca6b);
      second ^= second >>> 13;
    }
    this.#bucket = BUCKET + ((first >>> 2) & (SLOTS / BUCKET - 1)) * BUCKET;
    this.#tag = second === 0 ? 1 : second;
  }
}

/** A 32-bit hash of a project's id, so that one project's traces can never touch another's. */
export function tenantHash(projectId: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < projectId.length; index++) {
    hash = Math.imul(hash ^ projectId.charCodeAt(index), 0x01000193);
  }
  return hash;
}
