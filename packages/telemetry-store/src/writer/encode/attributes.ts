import { isUtf8 } from 'node:buffer';
import {
  type AttributeList,
  boundaryBefore,
  type Decoder,
  decodeUtf8,
  isValidUtf8,
  KIND,
  type Limits,
} from '@candela/otlp';
import { type ByteSink, SHORT } from '../columns/byte-sink.ts';
import type { MapColumn } from '../columns/map.ts';
import { Outcome } from './outcome.ts';

/** The letter of each kind, in the order of `KIND`: null, text, boolean, integer, double, array, map, bytes. */
const LETTERS = Uint8Array.from('nsbidjjx', (letter) => letter.charCodeAt(0));

/** Writes attribute lists into map columns, mostly as copies of bytes. One per thread. */
export class AttributeWriter {
  readonly #decoder: Decoder;
  readonly #limits: Limits;
  /** Where cuts of the current request are counted. */
  outcome = new Outcome();
  #letters = new Uint8Array(2048);
  #lettersView = new DataView(this.#letters.buffer);

  constructor(decoder: Decoder, limits: Limits) {
    this.#decoder = decoder;
    this.#limits = limits;
    if (limits.attributes > this.#letters.length) {
      this.#letters = new Uint8Array(limits.attributes);
      this.#lettersView = new DataView(this.#letters.buffer);
    }
  }

  /** All of `list` as row `row` of `column`. */
  write(list: AttributeList, column: MapColumn, row: number): void {
    const { keys } = this.#decoder;
    const { count, keyIds } = list;
    for (let index = 0; index < count; index++) {
      column.key(keys, keyIds[index] as number);
      this.#value(list, index, column.values);
    }
    column.endRow(row);
    this.#note(list);
  }

  /** As `write` for the first row below a resource or scope (`isNew`), a copy of the row before for the others. */
  writeOnce(list: AttributeList, column: MapColumn, row: number, isNew: boolean): void {
    if (isNew) {
      column.startRow();
      this.write(list, column, row);
    } else column.repeatRow(row);
  }

  /** As `write`; returns the letters of the types too. */
  writeTyped(list: AttributeList, column: MapColumn, row: number): string {
    this.write(list, column, row);
    const { count, kinds } = list;
    for (let index = 0; index < count; index++)
      this.#letters[index] = LETTERS[kinds[index] as number] as number;
    return this.#types(count);
  }

  /**
   * Splits `list`: keys marked as content go to `content`, the others to `plain`. Returns the letters of the types,
   * those of `plain` first.
   */
  writeSplit(list: AttributeList, plain: MapColumn, content: MapColumn, row: number): string {
    const { keys } = this.#decoder;
    const { count, keyIds, kinds } = list;
    const letters = this.#letters;
    let written = 0;
    for (let index = 0; index < count; index++) {
      const id = keyIds[index] as number;
      if (keys.isMarked(id)) continue;
      plain.key(keys, id);
      this.#value(list, index, plain.values);
      letters[written++] = LETTERS[kinds[index] as number] as number;
    }
    if (written < count) {
      for (let index = 0; index < count; index++) {
        const id = keyIds[index] as number;
        if (!keys.isMarked(id)) continue;
        content.key(keys, id);
        this.#value(list, index, content.values);
        letters[written++] = LETTERS[kinds[index] as number] as number;
      }
    }
    plain.endRow(row);
    content.endRow(row);
    this.#note(list);
    return this.#types(written);
  }

  /** Text bytes `start..end` of the body into a string column, cut and made valid UTF-8. */
  text(start: number, end: number, sink: ByteSink): void {
    const { bytes } = this.#decoder.wire;
    let until = end;
    if (end - start > this.#limits.valueBytes) {
      until = boundaryBefore(bytes, start, end, this.#limits.valueBytes);
      this.outcome.adjust('values_cut', 1);
    }
    if (until - start <= SHORT) {
      if (sink.ascii(bytes, start, until)) return;
      if (isValidUtf8(bytes, start, until)) sink.stringBytes(bytes.subarray(start, until));
      else sink.string(decodeUtf8(bytes, start, until));
      return;
    }
    const part = bytes.subarray(start, until);
    if (isUtf8(part)) sink.stringBytes(part);
    else sink.string(decodeUtf8(part, 0, part.length));
  }

  /** Any value of `list` as text into a string column. */
  #value(list: AttributeList, index: number, sink: ByteSink): void {
    switch (list.kinds[index]) {
      case KIND.text:
        this.text(list.starts[index] as number, list.ends[index] as number, sink);
        return;
      case KIND.integer: {
        const low = list.lows[index] as number;
        if (list.highs[index] === 0) writeUint32(low, sink);
        else sink.string(String(list.value(index)));
        return;
      }
      case KIND.double:
        sink.string(String(list.value(index)));
        return;
      case KIND.boolean:
        sink.string(list.lows[index] === 1 ? 'true' : 'false');
        return;
      case KIND.array:
      case KIND.map:
        this.cutText(this.#decoder.json(list.starts[index] as number, list.ends[index] as number), sink);
        return;
      case KIND.bytes: {
        const { bytes } = this.#decoder.wire;
        const start = list.starts[index] as number;
        const size = (list.ends[index] as number) - start;
        this.cutText(Buffer.from(bytes.buffer, bytes.byteOffset + start, size).toString('base64'), sink);
        return;
      }
      default:
        sink.byte(0);
    }
  }

  /** Text into a string column, cut to the limit. */
  cutText(text: string, sink: ByteSink): void {
    const limit = this.#limits.valueBytes;
    // No character of a string needs more than three bytes of UTF-8.
    if (text.length * 3 <= limit || Buffer.byteLength(text, 'utf8') <= limit) {
      sink.string(text);
      return;
    }
    this.outcome.adjust('values_cut', 1);
    const bytes = Buffer.from(text, 'utf8');
    sink.stringBytes(bytes.subarray(0, boundaryBefore(bytes, 0, bytes.length, limit)));
  }

  #types(count: number): string {
    return this.#decoder.textOf(this.#letters, this.#lettersView, 0, count);
  }

  #note(list: AttributeList): void {
    if (list.dropped > 0) this.outcome.adjust('attributes_dropped', list.dropped);
    if (list.keysCut > 0) this.outcome.adjust('keys_cut', list.keysCut);
  }
}

/** A 32-bit number in decimal, without making a string. */
function writeUint32(value: number, sink: ByteSink): void {
  sink.ensure(11);
  let digits = 1;
  for (let bound = 10; digits < 10 && value >= bound; bound *= 10) digits++;
  const { bytes } = sink;
  let at = sink.length;
  bytes[at++] = digits;
  sink.length = at + digits;
  let rest = value;
  for (at = sink.length - 1; digits > 0; digits--, at--) {
    const next = Math.floor(rest / 10);
    bytes[at] = 48 + rest - next * 10;
    rest = next;
  }
}
