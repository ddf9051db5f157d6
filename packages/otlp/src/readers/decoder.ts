import { KeyTable } from '../wire/key-table.ts';
import { StringCache } from '../wire/string-cache.ts';
import { Wire } from '../wire/wire.ts';

/**
 * What all readers of one thread share: the position in the body, the table of keys, the cache of short strings.
 * One per thread, reused for every request; not re-entrant.
 */
export class Decoder {
  readonly wire = new Wire();
  readonly strings = new StringCache();
  readonly keys: KeyTable;

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
}
