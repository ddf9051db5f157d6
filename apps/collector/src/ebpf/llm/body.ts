import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** So much of a body is kept: its beginning, and its end, where usage stands. */
const MAX_HEAD = 4 * 1_048_576;
const MAX_TAIL = 262_144;
/** So large may a packed body become. */
const MAX_UNPACKED = 16 * 1_048_576;

/** A body as it comes in pieces, bounded. Times are nanoseconds of the monotonic clock. */
export class Body {
  #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer = Buffer.alloc(0);
  bytes = 0;
  firstAt: bigint | undefined;

  push(piece: Buffer, at: bigint): void {
    if (piece.length === 0) return;
    this.firstAt ??= at;
    this.bytes += piece.length;
    const room = MAX_HEAD - this.#headBytes;
    const fits = piece.subarray(0, Math.max(0, room));
    // The ring is written again: what is kept is copied.
    if (fits.length > 0) this.#head.push(Buffer.from(fits));
    this.#headBytes += fits.length;
    if (fits.length < piece.length) {
      const rest = Buffer.concat([this.#tail, piece.subarray(fits.length)]);
      this.#tail = Buffer.from(rest.subarray(Math.max(0, rest.length - MAX_TAIL)));
    }
  }

  get whole(): boolean {
    return this.bytes === this.#headBytes;
  }

  /** What is kept, unpacked; undefined where that cannot be. */
  unpacked(encoding: string | undefined): Buffer | undefined {
    const all = Buffer.concat([...this.#head, this.#tail]);
    const options = { maxOutputLength: MAX_UNPACKED };
    try {
      switch (encoding?.trim().toLowerCase()) {
        case undefined:
        case '':
        case 'identity':
          // Of a connection that was open before the tap came the headers are not known: what is packed says so itself.
          return all[0] === 0x1f && all[1] === 0x8b ? gunzipSync(all, options) : all;
        case 'gzip':
        case 'x-gzip':
          return gunzipSync(all, options);
        case 'deflate':
          return inflateSync(all, options);
        case 'br':
          return brotliDecompressSync(all, options);
        default:
          return undefined;
      }
    } catch {
      return undefined;
    }
  }
}
