import { crc32 } from 'node:zlib';

/**
 * One frame is one request: all its blocks for all tables, written and lost together. Integers are little-endian.
 *
 *   0 magic u32 | 4 version u8 | 5 kind u8 | 6 blocks u16 | 8 frame length u32 | 12 header length u32
 *  16 seq u48 | 22 tenant length u16 | 24 time f64 (epoch ms) | 32 request hash 16 bytes
 *  48 stored u48 | 54 reserved 6 bytes | 60 crc32 of bytes 0..60 and 64..end
 *  64 tenant (UTF-8), then for each block: table name length u8, name, rows u32, bytes u32; then the blocks
 */
export const FRAME_MAGIC = 0x314c5743;
const FRAME_FIXED_BYTES = 64;
export const HASH_BYTES = 16;
/** No frame is larger; a length above it is corruption. */
const MAX_FRAME_BYTES = 512 * 1024 * 1024;

const VERSION = 1;
const KIND_REQUEST = 1;

/** One `Native` block of one table. `bytes` is undefined in an index whose data stayed in the file. */
export interface LogBlock {
  readonly table: string;
  readonly rows: number;
  readonly bytes: Uint8Array;
}

export interface FrameInput {
  readonly seq: number;
  /** Everything up to this sequence was in the store by then: what remains known when the state is lost. */
  readonly stored: number;
  readonly timeMs: number;
  /** {@link HASH_BYTES} bytes. */
  readonly requestHash: Uint8Array;
  readonly tenant: string;
  readonly blocks: readonly LogBlock[];
}

/** Where a block lies inside its segment file. */
interface BlockPlace {
  readonly table: string;
  readonly rows: number;
  readonly offset: number;
  readonly length: number;
}

export interface FrameInfo {
  readonly seq: number;
  readonly stored: number;
  readonly timeMs: number;
  readonly requestHash: Uint8Array;
  readonly tenant: string;
  /** Place of the frame in the scanned bytes. */
  readonly offset: number;
  readonly length: number;
  readonly blocks: readonly BlockPlace[];
}

/** Bytes the frame of these blocks will take. */
export function frameLength(tenant: string, blocks: readonly LogBlock[]): number {
  let length = FRAME_FIXED_BYTES + Buffer.byteLength(tenant);
  for (const block of blocks) length += 9 + Buffer.byteLength(block.table) + block.bytes.byteLength;
  return length;
}

/** The buffers of one frame, header first; the blocks are passed through, not copied. */
export function encodeFrame(input: FrameInput): {
  buffers: Uint8Array[];
  length: number;
  headerLength: number;
} {
  const tenantBytes = Buffer.byteLength(input.tenant);
  let headerLength = FRAME_FIXED_BYTES + tenantBytes;
  let payload = 0;
  for (const block of input.blocks) {
    headerLength += 9 + Buffer.byteLength(block.table);
    payload += block.bytes.byteLength;
  }
  const length = headerLength + payload;
  const header = Buffer.alloc(headerLength);
  header.writeUInt32LE(FRAME_MAGIC, 0);
  header.writeUInt8(VERSION, 4);
  header.writeUInt8(KIND_REQUEST, 5);
  header.writeUInt16LE(input.blocks.length, 6);
  header.writeUInt32LE(length, 8);
  header.writeUInt32LE(headerLength, 12);
  header.writeUIntLE(input.seq, 16, 6);
  header.writeUInt16LE(tenantBytes, 22);
  header.writeDoubleLE(input.timeMs, 24);
  header.set(input.requestHash.subarray(0, HASH_BYTES), 32);
  header.writeUIntLE(input.stored, 48, 6);
  let at = FRAME_FIXED_BYTES + header.write(input.tenant, FRAME_FIXED_BYTES);
  for (const block of input.blocks) {
    const nameBytes = header.write(block.table, at + 1);
    at = header.writeUInt8(nameBytes, at) + nameBytes;
    at = header.writeUInt32LE(block.rows, at);
    at = header.writeUInt32LE(block.bytes.byteLength, at);
  }
  let crc = crc32(header.subarray(FRAME_FIXED_BYTES), crc32(header.subarray(0, 60)));
  for (const block of input.blocks) crc = crc32(block.bytes, crc);
  header.writeUInt32LE(crc, 60);
  return { buffers: [header, ...input.blocks.map((block) => block.bytes)], length, headerLength };
}

/** Reads and verifies the frame at `offset`; undefined when it is torn, damaged or no frame. */
function readFrame(bytes: Buffer, offset: number): FrameInfo | undefined {
  if (bytes.byteLength - offset < FRAME_FIXED_BYTES || bytes.readUInt32LE(offset) !== FRAME_MAGIC)
    return undefined;
  if (bytes.readUInt8(offset + 4) !== VERSION || bytes.readUInt8(offset + 5) !== KIND_REQUEST)
    return undefined;
  const length = bytes.readUInt32LE(offset + 8);
  const headerLength = bytes.readUInt32LE(offset + 12);
  if (length > MAX_FRAME_BYTES || length > bytes.byteLength - offset) return undefined;
  if (headerLength < FRAME_FIXED_BYTES || headerLength > length) return undefined;
  const crc = crc32(
    bytes.subarray(offset + FRAME_FIXED_BYTES, offset + length),
    crc32(bytes.subarray(offset, offset + 60)),
  );
  if (crc !== bytes.readUInt32LE(offset + 60)) return undefined;
  const blockCount = bytes.readUInt16LE(offset + 6);
  const tenantBytes = bytes.readUInt16LE(offset + 22);
  let at = offset + FRAME_FIXED_BYTES + tenantBytes;
  const tenant = bytes.toString('utf8', offset + FRAME_FIXED_BYTES, at);
  const blocks: BlockPlace[] = [];
  let data = offset + headerLength;
  for (let index = 0; index < blockCount; index += 1) {
    const nameBytes = bytes.readUInt8(at);
    const table = bytes.toString('utf8', at + 1, at + 1 + nameBytes);
    at += 1 + nameBytes;
    const rows = bytes.readUInt32LE(at);
    const size = bytes.readUInt32LE(at + 4);
    at += 8;
    blocks.push({ table, rows, offset: data, length: size });
    data += size;
  }
  return {
    stored: bytes.readUIntLE(offset + 48, 6),
    seq: bytes.readUIntLE(offset + 16, 6),
    timeMs: bytes.readDoubleLE(offset + 24),
    requestHash: new Uint8Array(bytes.subarray(offset + 32, offset + 32 + HASH_BYTES)),
    tenant,
    offset,
    length,
    blocks,
  };
}

export interface ScanResult {
  readonly frames: FrameInfo[];
  /** End of the last good frame that has no damage before it: where a torn tail would be cut. */
  readonly cleanEnd: number;
  /** Byte ranges that hold no readable frame, the tail included. */
  readonly damaged: { readonly from: number; readonly to: number }[];
}

/**
 * All good frames of `bytes` from `start`. After damage it looks for the next frame whose checksum holds, so one bad
 * sector costs the frames it lies in and no more.
 */
export function scanFrames(bytes: Buffer, start: number): ScanResult {
  const frames: FrameInfo[] = [];
  const damaged: { from: number; to: number }[] = [];
  const magic = Buffer.alloc(4);
  magic.writeUInt32LE(FRAME_MAGIC, 0);
  let offset = start;
  let cleanEnd = start;
  while (offset < bytes.byteLength) {
    const frame = readFrame(bytes, offset);
    if (frame !== undefined) {
      frames.push(frame);
      offset += frame.length;
      if (damaged.length === 0) cleanEnd = offset;
      continue;
    }
    const from = offset;
    offset = bytes.indexOf(magic, offset + 1);
    while (offset !== -1 && readFrame(bytes, offset) === undefined) offset = bytes.indexOf(magic, offset + 1);
    if (offset === -1) offset = bytes.byteLength;
    damaged.push({ from, to: offset });
  }
  return { frames, cleanEnd, damaged };
}
