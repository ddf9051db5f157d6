/** Bytes of one piece of a content. */
export const CHUNK_BYTES = 65_536;

/** Bytes of a content that an answer holds. */
export interface ByteRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** Undefined: all of it. */
  readonly status?: 206 | 416;
  /** The header that tells which part it is. */
  readonly said?: string;
}

/** Which part a player asks for: it seeks, and reads the end of a file first. What is not one plain range is all of it. */
export function rangeOf(asked: string | undefined, bytes: number): ByteRange {
  const found = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/.exec(asked?.trim() ?? '');
  if (found === null) return { start: 0, end: bytes };
  const [, first, last, suffix] = found;
  const start = first === undefined ? Math.max(0, bytes - Number(suffix)) : Number(first);
  const end = last === undefined || last === '' ? bytes : Math.min(bytes, Number(last) + 1);
  // A last byte before the first is no range at all.
  if (last !== undefined && last !== '' && Number(last) < start) return { start: 0, end: bytes };
  if (start >= bytes) return { start: 0, end: 0, status: 416, said: `bytes */${bytes}` };
  return { start, end, status: 206, said: `bytes ${start}-${end - 1}/${bytes}` };
}

/** A part of a content, piece by piece. */
export async function* piecesOf(
  read: (position: number) => Promise<Uint8Array | undefined>,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array> {
  for (let position = Math.floor(start / CHUNK_BYTES); position * CHUNK_BYTES < end; position += 1) {
    const piece = await read(position);
    if (piece === undefined) return;
    const from = position * CHUNK_BYTES;
    yield piece.subarray(Math.max(0, start - from), end - from);
  }
}
