import type { AttributeValue } from '@candela/semconv';
import { KeyTable } from '../wire/key-table.ts';
import { RangeCache } from '../wire/range-cache.ts';
import { decodeUtf8 } from '../wire/utf8.ts';
import { Wire } from '../wire/wire.ts';
import { readAnyValue, toJson } from './any-value.ts';

/**
 * What all readers of one thread share: the position in the body, the table of keys, the caches of short texts and
 * values. One per thread, reused for every request; not re-entrant.
 */
export class Decoder {
  readonly wire = new Wire();
  readonly keys: KeyTable;
  readonly #texts = new RangeCache<string>(decodeUtf8);
  readonly #values = new RangeCache<AttributeValue>((_bytes, start, end) => {
    // Reading a value must not move the wire: it may be in the middle of a record.
    const { pos } = this.wire;
    const value = readAnyValue(this.wire, start, end);
    this.wire.pos = pos;
    return value;
  });
  readonly #jsons = new RangeCache<string>((_bytes, start, end) => toJson(this.value(start, end)));

  /** `markKey` is asked once for every new key; see `KeyTable.isMarked`. */
  constructor(markKey?: (key: string) => boolean) {
    this.keys = new KeyTable(markKey);
  }

  open(body: Uint8Array): void {
    this.keys.trim();
    this.wire.open(body);
  }

  close(): void {
    this.wire.close();
  }

  /** Text of a range of the body. */
  text(start: number, end: number): string {
    if (start === end) return '';
    const { wire } = this;
    return this.#texts.get(wire.bytes, wire.view, start, end);
  }

  /** Text of a range of other bytes. */
  textOf(bytes: Uint8Array, view: DataView, start: number, end: number): string {
    return start === end ? '' : this.#texts.get(bytes, view, start, end);
  }

  /** The AnyValue message in a range of the body. */
  value(start: number, end: number): AttributeValue {
    const { wire } = this;
    return this.#values.get(wire.bytes, wire.view, start, end);
  }

  /** JSON of the AnyValue message in a range of the body. */
  json(start: number, end: number): string {
    const { wire } = this;
    return this.#jsons.get(wire.bytes, wire.view, start, end);
  }
}
