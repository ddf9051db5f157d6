import { type PlacedBlock, readBlocks } from '../wal/read-blocks.ts';

/** One block of a logged request on its way into the store. */
export interface Item extends PlacedBlock {
  readonly seq: number;
  readonly tenant: string;
  readonly timeMs: number;
}

/** Part of a group for one table. `from` and `to` name it in the token. */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly items: readonly Item[];
}

export function sizeOf({ items }: Range): { readonly bytes: number; readonly rows: number } {
  let [bytes, rows] = [0, 0];
  for (const { block } of items) {
    bytes += block.length;
    rows += block.rows;
  }
  return { bytes, rows };
}

export function halves(items: readonly Item[]): Range[] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)].map((half) => ({
    from: half[0]?.seq ?? 0,
    to: half.at(-1)?.seq ?? 0,
    items: half,
  }));
}

/** The blocks of a range as an insert takes them: read again for each try, a little at a time. */
export class RangeParts implements AsyncIterable<Uint8Array> {
  readonly #items: readonly Item[];
  /** What the log itself could not do while it was read: no data is to blame for it. */
  failure: { readonly error: unknown } | undefined;

  constructor({ items }: Range) {
    this.#items = items;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      yield* readBlocks(this.#items);
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }
}
