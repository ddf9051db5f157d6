import { expect, it } from 'vitest';
import { CHUNK_BYTES, piecesOf, rangeOf } from './ranges.ts';

const BYTES = 2 * CHUNK_BYTES + 10;
const content = Buffer.from(Uint8Array.from({ length: BYTES }, (_, n) => (n * 31 + (n >> 8)) % 256));

it.each([
  [0, BYTES],
  [CHUNK_BYTES - 1, CHUNK_BYTES + 1],
  [CHUNK_BYTES, 2 * CHUNK_BYTES],
  [5, 9],
  [BYTES - 1, BYTES],
  [7, 7],
])('bytes %i to %i come out of the pieces that hold them', async (start, end) => {
  const read: number[] = [];
  const parts: Uint8Array[] = [];
  const pieces = piecesOf(
    async (position) => {
      read.push(position);
      return content.subarray(position * CHUNK_BYTES, (position + 1) * CHUNK_BYTES);
    },
    { start, end },
  );
  for await (const piece of pieces) parts.push(piece);
  expect(Buffer.concat(parts).equals(content.subarray(start, end))).toBe(true);
  const [first, last] = [Math.floor(start / CHUNK_BYTES), Math.ceil(end / CHUNK_BYTES)];
  expect(read).toEqual(
    start === end ? expect.anything() : Array.from({ length: last - first }, (_, n) => first + n),
  );
});

it('reads what a player asks for, and nothing else', () => {
  expect(rangeOf('bytes=0-', 10)).toEqual({ start: 0, end: 10, status: 206, said: 'bytes 0-9/10' });
  expect(rangeOf('bytes=-4', 10)).toEqual({ start: 6, end: 10, status: 206, said: 'bytes 6-9/10' });
  expect(rangeOf('bytes=10-', 10)).toEqual({ start: 0, end: 0, status: 416, said: 'bytes */10' });
  for (const other of [undefined, 'bytes=-', 'bytes=1-2,4-5', 'bytes=3-2', `bytes=${'9'.repeat(40)}-`])
    expect(rangeOf(other, 10)).toEqual({ start: 0, end: 10 });
});
