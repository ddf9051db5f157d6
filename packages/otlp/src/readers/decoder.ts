import { KeyTable } from '../wire/key-table.ts';
import { StringCache } from '../wire/string-cache.ts';
import { readAnyValue, toJson } from './any-value.ts';
import { Wire } from '../wire/wire.ts';

/**
 * What all readers of one thread share: the position in the body, the table of keys, the cache of short strings.
 * One per thread, reused for every request; not re-entrant.
 */
export class Decoder {
  readonly wire = new Wire();
  readonly strings = new StringCache();
  readonly keys: KeyTable;

  /** Small lists such as finish reasons come again and again: their JSON is remembered by their bytes. */
  readonly #jsons = new StringCache((_bytes, start, end) => {
    const { pos } = this.wire;
    const json = toJson(readAnyValue(this.wire, start, end));
    this.wire.pos = pos;
    return json;
  });

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
    const { wire } = this;
    return this.strings.text(wire.bytes, wire.view, start, end);
  }

  /** JSON of the AnyValue message in a range of the body. */
  json(start: number, end: number): string {
    const { wire } = this;
    return this.#jsons.text(wire.bytes, wire.view, start, end);
  }
}
