/**
 * Fingerprints kept: two to five for a model call with a parent, one more for each plain span below it (of 32 at most), one or two
 * for a call without tokens. The oldest of a bucket makes room.
 */
const SLOTS = 1 << 21;
const BUCKET = 4;

/** What is known of a span; each is a fingerprint of its own, and so is each for another kind of calls or number of tokens. */
export const MARKS = {
  /** A model call is right below it. */
  parent: 1,
  /** A model call that counts its usage. */
  counted: 2,
  /** A model call whose usage counts above it. */
  covered: 3,
  /** A model call without tokens that counts as a call. It covers nothing. */
  empty: 4,
  /** A model call is below it, with nothing but plain spans in between. */
  above: 5,
  /** A plain span below a model call whose usage counts there or above, with nothing but plain spans in between. */
  below: 6,
  /** A call that repeats another one without being above or below it: it does not count. */
  revoked: 7,
  /** Something that uses tokens is below it, at any depth. */
  carries: 8,
  /** A response by its id: a call counts it. */
  answered: 9,
  /** A call that counts, as its repeats see it: it names neither session nor user; it names no agent. */
  unnamed: 10,
  unagented: 11,
  /** Below this parent a call counts that began in this second and used so many tokens; of this scope; with an id of its response. */
  twin: 12,
  twinOfScope: 13,
  twinWithId: 14,
} as const;
export type Mark = (typeof MARKS)[keyof typeof MARKS];

/** Memory for a registry that several workers share (8 MiB). */
export function createModelCallRegistry(): SharedArrayBuffer {
  return new SharedArrayBuffer((SLOTS + BUCKET) * 4);
}

/**
 * Marks of spans that outlive a request: what calls-of-request.ts decides by, for spans that come in several requests.
 *
 * A set of 32-bit fingerprints in buckets of four, lossy on purpose: bounded memory, no locks (a slot is one word). Forgotten
 * after about half a million newer calls, fewer where these have plain spans below, and with the process; a wrong hit has odds
 * of one in a billion.
 *
 * What a sender chooses, as ids and numbers of tokens, goes word by word through a hash with a seed that nobody outside knows:
 * no choice of these leads to the fingerprints of another project, but by chance.
 */
export class ModelCallRegistry {
  readonly #words: Int32Array;
  readonly #seed: number;
  #first = 0;
  #second = 0;
  #bucket = 0;
  #tag = 0;

  constructor(memory: SharedArrayBuffer | ArrayBuffer = new ArrayBuffer((SLOTS + BUCKET) * 4)) {
    this.#words = new Int32Array(memory);
    // The seed is the first word; whoever comes first draws it.
    const drawn = (crypto.getRandomValues(new Int32Array(1))[0] as number) | 1;
    const there = Atomics.compareExchange(this.#words, 0, 0, drawn);
    this.#seed = there === 0 ? drawn : there;
  }

  /**
   * Remembers a mark of span `spanAt` (8 bytes) of trace `traceAt` (16 bytes).
   * @param about the kind of calls that the mark is about, or a number of kind and tokens
   */
  add(view: DataView, traceAt: number, spanAt: number, tenant: number, mark: Mark, about: number): void {
    this.#place(view, traceAt, spanAt, tenant, mark, about);
    this.#put();
  }

  has(view: DataView, traceAt: number, spanAt: number, tenant: number, mark: Mark, about: number): boolean {
    this.#place(view, traceAt, spanAt, tenant, mark, about);
    return this.#isThere();
  }

  /** Remembers a mark of a text that the sender chose, as the id of a response. */
  addText(text: string, tenant: number, mark: Mark, about: number): void {
    this.#placeText(text, tenant, mark, about);
    this.#put();
  }

  hasText(text: string, tenant: number, mark: Mark, about: number): boolean {
    this.#placeText(text, tenant, mark, about);
    return this.#isThere();
  }

  #put(): void {
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

  #isThere(): boolean {
    for (let slot = this.#bucket; slot < this.#bucket + BUCKET; slot++) {
      if (this.#words[slot] === this.#tag) return true;
    }
    return false;
  }

  #placeText(text: string, tenant: number, mark: Mark, about: number): void {
    this.#begin(tenant, mark, about);
    this.#mix(text.length);
    for (let at = 0; at < text.length; at++) this.#mix(text.charCodeAt(at));
    this.#end();
  }

  #place(view: DataView, traceAt: number, spanAt: number, tenant: number, mark: Mark, about: number): void {
    this.#begin(tenant, mark, about);
    for (let at = 0; at < 16; at += 4) this.#mix(view.getInt32(traceAt + at, true));
    for (let at = 0; at < 8; at += 4) this.#mix(view.getInt32(spanAt + at, true));
    this.#end();
  }

  #begin(tenant: number, mark: Mark, about: number): void {
    this.#first = this.#seed;
    this.#second = Math.imul(this.#seed, 0x27d4eb2f);
    this.#mix(tenant);
    this.#mix(mark);
    this.#mix(about);
  }

  #end(): void {
    const second = this.#second;
    this.#bucket = BUCKET + ((this.#first >>> 2) & (SLOTS / BUCKET - 1)) * BUCKET;
    this.#tag = second === 0 ? 1 : second;
  }

  #mix(word: number): void {
    this.#first = Math.imul(this.#first ^ word, 0x9e3779b1);
    this.#first ^= this.#first >>> 15;
    this.#second = Math.imul(this.#second ^ word, 0x85ebca6b);
    this.#second ^= this.#second >>> 13;
  }
}

/** A 32-bit hash of a project's id, which senders do not choose: two projects share one with odds of one in four billion. */
export function tenantHash(projectId: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < projectId.length; index++) {
    hash = Math.imul(hash ^ projectId.charCodeAt(index), 0x01000193);
  }
  return hash;
}
