import type { AttributeReader, AttributeValue } from '@candela/semconv';
import type { Limits } from '../limits.ts';
import { boundaryBefore } from '../wire/utf8.ts';
import { LENGTH_DELIMITED, tagOf } from '../wire/wire.ts';
import {
  ANY_ARRAY,
  ANY_BOOL,
  ANY_BYTES,
  ANY_DOUBLE,
  ANY_INT,
  ANY_MAP,
  ANY_STRING,
  integerOf,
  KIND,
  type Kind,
} from './any-value.ts';
import type { Decoder } from './decoder.ts';

const KEY = tagOf(1, LENGTH_DELIMITED);
const VALUE = tagOf(2, LENGTH_DELIMITED);

/**
 * The attributes of one record as positions in the body: a number for each key, kind and byte range for each value.
 * Nothing becomes a string until it is asked for. One list is refilled for record after record; what it gives out is
 * valid until the next `clear`.
 */
export class AttributeList implements AttributeReader {
  /** How many attributes are held. */
  count = 0;
  /** How many were over the limit and dropped, and how many keys were cut. */
  dropped = 0;
  keysCut = 0;
  keyIds = new Int32Array(64);
  kinds = new Uint8Array(64);
  /** Byte range of the value: of its payload for text and bytes, of the whole AnyValue for arrays and maps. */
  starts = new Int32Array(64);
  ends = new Int32Array(64);
  /** Halves of an integer or boolean. */
  lows = new Uint32Array(64);
  highs = new Uint32Array(64);
  readonly decoder: Decoder;
  readonly #limits: Limits;
  /** For each key number: where in the list, valid when the stamp is this filling's. */
  #places = new Int32Array(1024);
  #stamps = new Int32Array(1024);
  #stamp = 1;
  #keys: string[] | undefined;

  constructor(decoder: Decoder, limits: Limits) {
    this.decoder = decoder;
    this.#limits = limits;
  }

  clear(): void {
    this.count = 0;
    this.dropped = 0;
    this.keysCut = 0;
    this.#keys = undefined;
    if (this.#stamp === 0x7fffffff) {
      this.#stamps.fill(0);
      this.#stamp = 0;
    }
    this.#stamp++;
  }

  /** Reads the KeyValue message that starts at the wire's position and ends at `end`, and adds it. */
  add(end: number): void {
    const { wire, keys } = this.decoder;
    const index = this.count;
    if (index >= this.#limits.attributes) {
      this.dropped++;
      wire.pos = end;
      return;
    }
    if (index === this.kinds.length) this.#grow();
    let keyStart = 0;
    let keyEnd = 0;
    this.kinds[index] = KIND.null;
    while (wire.pos < end) {
      const tag = wire.uint32();
      if (tag === KEY) {
        keyEnd = wire.until(end);
        keyStart = wire.pos;
        wire.pos = keyEnd;
      } else if (tag === VALUE) {
        this.#value(index, wire.until(end));
      } else wire.skip(tag, end);
    }
    wire.finish(end);
    if (keyEnd - keyStart > this.#limits.keyBytes) {
      keyEnd = boundaryBefore(wire.bytes, keyStart, keyEnd, this.#limits.keyBytes);
      this.keysCut++;
    }
    const before = index === 0 ? -1 : (this.keyIds[index - 1] as number);
    const key = keys.intern(wire.bytes, wire.view, keyStart, keyEnd, before);
    this.keyIds[index] = key;
    if (key >= this.#stamps.length) this.#growStamps(key);
    // The first of two equal keys wins, as in the engine's own lookup of a map.
    if (this.#stamps[key] !== this.#stamp) {
      this.#stamps[key] = this.#stamp;
      this.#places[key] = index;
    }
    this.count = index + 1;
  }

  #value(index: number, end: number): void {
    const { wire } = this.decoder;
    const start = wire.pos;
    while (wire.pos < end) {
      const tag = wire.uint32();
      switch (tag) {
        case ANY_STRING:
          this.#range(index, KIND.text, end);
          break;
        case ANY_INT:
          wire.varint64();
          this.kinds[index] = KIND.integer;
          this.lows[index] = wire.low;
          this.highs[index] = wire.high;
          break;
        case ANY_BOOL:
          wire.varint64();
          this.kinds[index] = KIND.boolean;
          this.lows[index] = wire.low === 0 && wire.high === 0 ? 0 : 1;
          break;
        case ANY_DOUBLE:
          this.kinds[index] = KIND.double;
          this.starts[index] = wire.pos;
          wire.double();
          break;
        case ANY_BYTES:
          this.#range(index, KIND.bytes, end);
          break;
        case ANY_ARRAY:
          wire.pos = wire.until(end);
          this.#whole(index, KIND.array, start, end);
          break;
        case ANY_MAP:
          wire.pos = wire.until(end);
          this.#whole(index, KIND.map, start, end);
          break;
        default:
          wire.skip(tag, end);
      }
    }
    wire.finish(end);
  }

  #range(index: number, kind: Kind, end: number): void {
    const { wire } = this.decoder;
    const until = wire.until(end);
    this.kinds[index] = kind;
    this.starts[index] = wire.pos;
    this.ends[index] = until;
    wire.pos = until;
  }

  #whole(index: number, kind: Kind, start: number, end: number): void {
    this.kinds[index] = kind;
    this.starts[index] = start;
    this.ends[index] = end;
  }

  /** Where the key is, or -1. */
  find(key: string): number {
    const id = this.decoder.keys.idOf(key);
    return id < this.#stamps.length && this.#stamps[id] === this.#stamp ? (this.#places[id] as number) : -1;
  }

  has(key: string): boolean {
    return this.find(key) >= 0;
  }

  get(key: string): AttributeValue | undefined {
    const index = this.find(key);
    return index < 0 ? undefined : this.value(index);
  }

  /** The text under `key`; '' when it is absent or no text. */
  text(key: string): string {
    const index = this.find(key);
    if (index < 0 || this.kinds[index] !== KIND.text) return '';
    return this.decoder.text(this.starts[index] as number, this.ends[index] as number);
  }

  value(index: number): AttributeValue {
    const { wire } = this.decoder;
    switch (this.kinds[index]) {
      case KIND.text:
        return this.decoder.text(this.starts[index] as number, this.ends[index] as number);
      case KIND.integer:
        return integerOf(this.lows[index] as number, this.highs[index] as number);
      case KIND.double:
        return wire.view.getFloat64(this.starts[index] as number, true);
      case KIND.boolean:
        return this.lows[index] === 1;
      case KIND.bytes:
        return wire.bytes.slice(this.starts[index], this.ends[index]);
      case KIND.array:
      case KIND.map:
        return this.decoder.value(this.starts[index] as number, this.ends[index] as number);
      default:
        return null;
    }
  }

  key(index: number): string {
    return this.decoder.keys.text(this.keyIds[index] as number);
  }

  /** An array, made once a record: normalisers go through it more than once. */
  keys(): readonly string[] {
    if (this.#keys === undefined) {
      this.#keys = [];
      for (let index = 0; index < this.count; index++) this.#keys.push(this.key(index));
    }
    return this.#keys;
  }

  #grow(): void {
    const capacity = this.kinds.length * 2;
    const grown = <T extends Int32Array | Uint32Array | Uint8Array>(to: T, from: T): T => {
      to.set(from);
      return to;
    };
    this.keyIds = grown(new Int32Array(capacity), this.keyIds);
    this.kinds = grown(new Uint8Array(capacity), this.kinds);
    this.starts = grown(new Int32Array(capacity), this.starts);
    this.ends = grown(new Int32Array(capacity), this.ends);
    this.lows = grown(new Uint32Array(capacity), this.lows);
    this.highs = grown(new Uint32Array(capacity), this.highs);
  }

  #growStamps(key: number): void {
    let capacity = this.#stamps.length;
    while (capacity <= key) capacity *= 2;
    const places = new Int32Array(capacity);
    const stamps = new Int32Array(capacity);
    places.set(this.#places);
    stamps.set(this.#stamps);
    this.#places = places;
    this.#stamps = stamps;
  }
}
