/** Spans that there is room for from the start; of more the memory is given back after each request. */
const USUAL = 8_192;
/** Places that are looked at for an id. Only of ids that were made up to meet it takes more, and those are not found. */
const MOST_PROBES = 64;

/** No such span in the request. */
export const NOBODY = -1;
/** Of no request. */
export const NO_BYTES: DataView = new DataView(new ArrayBuffer(0));

/** What is kept of a span, as one number each. */
export const FIELD = {
  /** Where the id of its trace (16 bytes) lies in the body, its own (8 bytes), and its parent's (NOBODY: none). */
  trace: 0,
  id: 1,
  parent: 2,
  /** The row of a model call, NOBODY of another span. */
  row: 3,
  /** Of a model call its kind, and a number of kind and tokens (0 without tokens). */
  kind: 4,
  used: 5,
  /** The span that is its parent, NOBODY when it is in another request. */
  above: 6,
  /** The nearest call with tokens above it through spans that are none; the span after which the request knows no more. */
  call: 7,
  end: 8,
  settled: 9,
  /** Whether the calls from here up to `call` are marked; whether what is above it is, through calls without tokens. */
  passed: 10,
  raised: 11,
  /** Of a call the plain spans below it that are told to later requests. */
  told: 12,
  /** A span that is no call and not plain: a tool, an agent, a workflow. A call above it is another one. */
  opaque: 13,
  /** Of a call what it names: 4 a session, 2 an agent, 1 a user. Of another span with usage its row, NOBODY else. */
  names: 14,
  /** Whether something that uses tokens is below it. */
  carries: 15,
  /** Calls right below a call, or with plain spans in between; whether that one counts in place of the only one. */
  children: 16,
  takes: 17,
  /** What was decided: whether it counts, and whether it did in an earlier request. */
  kept: 18,
  known: 19,
  /** A number of its scope; the second it began in. */
  scope: 20,
  second: 21,
} as const;
type Field = (typeof FIELD)[keyof typeof FIELD];
const FIELDS = 22;
const UNKNOWN = -2;

/** Spans of one request with who is above whom, in a few arrays that are filled anew for each: it is done for every span. */
export class SpansOfRequest {
  count = 0;
  #numbers = new Int32Array(USUAL * FIELDS);
  /** Places for the ids, open addressing. */
  #places = new Int32Array(0);
  #mask = 0;
  #view: DataView = NO_BYTES;

  get(span: number, field: Field): number {
    return this.#numbers[span * FIELDS + field] as number;
  }

  set(span: number, field: Field, value: number): void {
    this.#numbers[span * FIELDS + field] = value;
  }

  add(trace: number, id: number, parent: number, row: number, kind: number, used: number): number {
    const span = this.count++;
    const from = span * FIELDS;
    if (from === this.#numbers.length) {
      const larger = new Int32Array(this.#numbers.length * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    const numbers = this.#numbers;
    numbers[from] = trace;
    numbers[from + FIELD.id] = id;
    numbers[from + FIELD.parent] = parent;
    numbers[from + FIELD.row] = row;
    numbers[from + FIELD.kind] = kind;
    numbers[from + FIELD.used] = used;
    numbers[from + FIELD.above] = NOBODY;
    numbers[from + FIELD.call] = UNKNOWN;
    numbers[from + FIELD.settled] = 0;
    numbers[from + FIELD.passed] = 0;
    numbers[from + FIELD.raised] = 0;
    numbers[from + FIELD.told] = 0;
    numbers.fill(0, from + FIELD.opaque, from + FIELDS);
    return span;
  }

  /** Finds the parents of all spans, whose ids lie in `view`. */
  connect(view: DataView): void {
    this.#view = view;
    const size = 1 << (32 - Math.clz32(this.count * 2));
    if (this.#places.length < size) this.#places = new Int32Array(size);
    this.#places.fill(NOBODY, 0, size);
    this.#mask = size - 1;
    for (let span = 0; span < this.count; span++) this.#enter(span);
    for (let span = 0; span < this.count; span++) {
      const parent = this.get(span, FIELD.parent);
      if (parent === NOBODY) continue;
      const place = this.#placeOf(this.get(span, FIELD.trace), parent);
      const above = place === NOBODY ? NOBODY : (this.#places[place] as number);
      if (above !== span) this.set(span, FIELD.above, above);
    }
    for (let span = 0; span < this.count; span++) this.#lookUp(span);
  }

  clear(): void {
    this.count = 0;
    this.#view = NO_BYTES;
    if (this.#numbers.length > USUAL * FIELDS) {
      this.#numbers = new Int32Array(USUAL * FIELDS);
      this.#places = new Int32Array(0);
    }
  }

  /** Fills in `call` and `end` of a span and of those above it. A circle of parents has neither. */
  #lookUp(span: number): void {
    let at = span;
    let call: number = NOBODY;
    let end: number = NOBODY;
    for (;;) {
      const known = this.get(at, FIELD.call);
      if (known !== UNKNOWN) {
        call = known;
        end = this.get(at, FIELD.end);
        break;
      }
      this.#found(at, NOBODY, NOBODY);
      const above = this.get(at, FIELD.above);
      // What is above a tool or an agent is no part of what is below it.
      if (above === NOBODY || this.get(above, FIELD.opaque) === 1) end = at;
      else if (this.get(above, FIELD.used) !== 0) call = above;
      else {
        at = above;
        continue;
      }
      break;
    }
    for (let on = span; on !== at; on = this.get(on, FIELD.above)) this.#found(on, call, end);
    this.#found(at, call, end);
  }

  #found(span: number, call: number, end: number): void {
    this.set(span, FIELD.call, call);
    this.set(span, FIELD.end, end);
  }

  #enter(span: number): void {
    const place = this.#placeOf(this.get(span, FIELD.trace), this.get(span, FIELD.id));
    if (place === NOBODY) return;
    // Of a span that was sent while it ran and at its end the copy that is a call.
    if (this.#places[place] === NOBODY || this.get(span, FIELD.row) !== NOBODY) this.#places[place] = span;
  }

  /** The place of an id, or that it would get; NOBODY when there is none near. */
  #placeOf(trace: number, id: number): number {
    const view = this.#view;
    const places = this.#places;
    const mask = this.#mask;
    let hash = Math.imul(view.getInt32(id, true) ^ view.getInt32(trace + 12, true), 0x9e3779b1);
    hash = Math.imul(hash ^ (hash >>> 15) ^ view.getInt32(id + 4, true), 0x85ebca6b);
    hash ^= hash >>> 13;
    for (let probe = 0; probe < MOST_PROBES; probe++) {
      const place = (hash + probe) & mask;
      const there = places[place] as number;
      if (there === NOBODY || this.#isSame(there, trace, id)) return place;
    }
    return NOBODY;
  }

  #isSame(span: number, trace: number, id: number): boolean {
    const view = this.#view;
    const own = this.get(span, FIELD.id);
    if (view.getInt32(own, true) !== view.getInt32(id, true)) return false;
    if (view.getInt32(own + 4, true) !== view.getInt32(id + 4, true)) return false;
    const other = this.get(span, FIELD.trace);
    for (let at = 0; at < 16; at += 4)
      if (view.getInt32(other + at, true) !== view.getInt32(trace + at, true)) return false;
    return true;
  }
}
