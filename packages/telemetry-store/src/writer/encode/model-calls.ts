/** Fingerprints kept, two for a model call with a parent; the oldest of a bucket makes room. */
const SLOTS = 1 << 21;
const BUCKET = 4;

/** What is known of a span; each is a fingerprint of its own. */
const PARENT = 0;
const COUNTED = 0x3c6ef372;
const COVERED = 0x5be0cd19;

/** Memory for a registry that several workers share (8 MiB). */
export function createModelCallRegistry(): SharedArrayBuffer {
  return new SharedArrayBuffer((SLOTS + BUCKET) * 4);
}

/**
 * Decides which model calls count their usage. A parent that is a model call too repeats the tokens of its children, so
 * one side counts: the children, or the parent where it came in an earlier request. (Children end first and so mostly
 * come first; not where they are sent by another process.) What was decided of a span stays decided when it is sent again.
 * Chains of three model calls may still count twice, when the middle one comes last or begins a request behind its child.
 *
 * A set of 32-bit fingerprints in buckets of four, lossy on purpose: bounded memory, no locks (a slot is one
 * word). Forgotten after about a million newer calls; a wrong hit has odds of one in a billion.
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

  /** Remembers that span `spanAt` (8 bytes) of trace `traceAt` (16 bytes) has a model call below it. */
  addParent(view: DataView, traceAt: number, spanAt: number, tenant: number): void {
    this.#add(view, traceAt, spanAt, tenant ^ PARENT);
  }

  /** Whether a model call counts its usage. `parentAt`: -1 without a parent. Call it once every parent is added. */
  counts(view: DataView, traceAt: number, spanAt: number, parentAt: number, tenant: number): boolean {
    if (this.#has(view, traceAt, spanAt, tenant ^ COUNTED)) return true;
    const covered =
      parentAt >= 0 &&
      (this.#has(view, traceAt, parentAt, tenant ^ COUNTED) ||
        this.#has(view, traceAt, parentAt, tenant ^ COVERED));
    if (covered) {
      this.#add(view, traceAt, spanAt, tenant ^ COVERED);
      return false;
    }
    if (this.#has(view, traceAt, spanAt, tenant ^ PARENT)) return false;
    this.#add(view, traceAt, spanAt, tenant ^ COUNTED);
    return true;
  }

  #add(view: DataView, traceAt: number, spanAt: number, tenant: number): void {
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

  #has(view: DataView, traceAt: number, spanAt: number, tenant: number): boolean {
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
