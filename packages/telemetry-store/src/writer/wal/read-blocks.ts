import { open } from 'node:fs/promises';
import { releaseBytes } from '@candela/kernel';
import type { IndexedBlock, Segment } from './segments.ts';

/** One block and where it lies. */
export interface PlacedBlock {
  readonly segment: Segment;
  readonly block: IndexedBlock;
}

/** What is read of a file at once for blocks that are not in memory. */
const WINDOW_BYTES = 1 << 20;
/** Blocks from this size on are read alone: with a window, half of it would be read twice. */
const LARGE_BYTES = 1 << 17;

/** The bytes of a block, from memory or from the file. */
export async function readBlock({ segment, block }: PlacedBlock): Promise<Uint8Array> {
  if (block.bytes !== undefined) return block.bytes;
  const bytes = Buffer.allocUnsafeSlow(block.length);
  await fill(segment, bytes, block.offset, block.length);
  return bytes;
}

/**
 * The bytes of blocks one after another, from memory or through one window of their files, so that a group of any
 * size takes little memory. A part is good until the next one is asked for; a large block comes in several.
 */
export async function* readBlocks(blocks: Iterable<PlacedBlock>): AsyncGenerator<Uint8Array> {
  const window = Buffer.allocUnsafeSlow(WINDOW_BYTES);
  let of: Segment | undefined;
  let [from, to] = [0, 0];
  try {
    for (const { segment, block } of blocks) {
      if (block.bytes !== undefined) {
        yield block.bytes;
        continue;
      }
      const end = block.offset + block.length;
      for (let at = block.offset; at < end; ) {
        const most = Math.min(end, at + WINDOW_BYTES);
        if (of !== segment || at < from || most > to) {
          const wanted = block.length >= LARGE_BYTES ? most - at : WINDOW_BYTES;
          [of, from] = [segment, at];
          to = at + (await fill(segment, window.subarray(0, wanted), at, most - at));
        }
        yield window.subarray(at - from, most - from);
        at = most;
      }
    }
  } finally {
    releaseBytes(window);
  }
}

/** Reads `into` from `position` on, `least` bytes of it or more; gives how many. */
async function fill(segment: Segment, into: Buffer, position: number, least: number): Promise<number> {
  segment.reader ??= await open(segment.path, 'r');
  let length = 0;
  while (length < least) {
    const { bytesRead } = await segment.reader.read(
      into,
      length,
      into.byteLength - length,
      position + length,
    );
    if (bytesRead === 0) throw new Error(`${segment.path} ended inside a frame`);
    length += bytesRead;
  }
  return length;
}
