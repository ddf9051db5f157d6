import { type FileHandle, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Logger, releaseBytes } from '@candela/kernel';
import { errorCode, lacksRoom, syncDirectory, writeDurably } from './files.ts';
import { FRAME_MAGIC, type FrameInfo, scanFrames } from './frame.ts';

const SEGMENT_HEADER_BYTES = 32;
const HEADER_MAGIC = Buffer.from('CNDLWAL1');
const SEGMENT_NAME = /^(\d{8})\.wal$/;

/** One block of a logged request; `bytes` is absent when it is to be read from the file. */
export interface IndexedBlock {
  readonly table: string;
  readonly rows: number;
  readonly offset: number;
  readonly length: number;
  readonly bytes: Uint8Array | undefined;
}

/** One logged request. */
export interface IndexedRequest {
  readonly seq: number;
  readonly timeMs: number;
  readonly requestHash: Uint8Array;
  readonly tenant: string;
  readonly blocks: readonly IndexedBlock[];
}

/** One file of the log. `requests` is absent while the index is not in memory. */
export interface Segment {
  readonly id: number;
  readonly path: string;
  readonly firstSeq: number;
  size: number;
  sealed: boolean;
  requests: IndexedRequest[] | undefined;
  /** Block bytes held in memory for this segment. */
  retained: number;
  /** Read back as one buffer: memory is freed only with the whole segment. */
  loaded: boolean;
  reader: FileHandle | undefined;
}

export interface SegmentsOptions {
  readonly dir: string;
  readonly logger: Logger;
  /** Called once for every segment set aside. */
  readonly onQuarantine: (file: string, lostBytes: number) => void;
}

/** The segment files of one log directory, oldest first. Every existing one is sealed: a new start writes new files. */
export class Segments {
  readonly list: Segment[] = [];
  /** Name of the log that the files were written for, as their headers say. */
  logId: string | undefined;
  /** Everything up to here was in the store when the newest request that was read from the files was written. */
  stored = 0;
  readonly #options: SegmentsOptions;
  #nextId = 1;

  constructor(options: SegmentsOptions) {
    this.#options = options;
  }

  /** Bytes of all segment files. */
  get bytes(): number {
    let sum = 0;
    for (const segment of this.list) sum += segment.size;
    return sum;
  }

  /** Bytes of what comes after `seq`; of a segment whose index is not in memory, all of it. */
  bytesAfter(seq: number, durableBelow: number): number {
    let sum = 0;
    for (const [index, { requests, size }] of this.list.entries()) {
      if ((this.list[index + 1]?.firstSeq ?? durableBelow) - 1 <= seq) continue;
      if (requests === undefined) sum += size;
      else
        for (const request of requests)
          if (request.seq > seq) for (const { length } of request.blocks) sum += length;
    }
    return sum;
  }

  /**
   * Reads the directory after a start. The newest file is checked whole and its torn tail cut; older ones are checked
   * when their turn comes. Returns the highest sequence seen.
   */
  async recover(usedIds: Iterable<number>): Promise<number> {
    const { dir } = this.#options;
    // A number is never used again: what is remembered of a deleted segment must not be taken for a new one.
    for (const id of usedIds) this.#nextId = Math.max(this.#nextId, id + 1);
    const names = (await readdir(dir)).sort();
    await this.#finishRepairs(names);
    for (const name of names)
      this.#nextId = Math.max(this.#nextId, Number(/^(\d{8})\./.exec(name)?.[1] ?? 0) + 1);
    const files = (await readdir(dir)).filter((name) => SEGMENT_NAME.test(name)).sort();
    let lastSeq = 0;
    for (const [index, name] of files.entries()) {
      const newest = index === files.length - 1;
      const path = join(dir, name);
      const header = await readHeader(path);
      const firstSeq = header?.firstSeq;
      this.logId = header?.logId ?? this.logId;
      const segment: Segment = {
        id: Number.parseInt(name, 10),
        path,
        firstSeq: firstSeq ?? lastSeq + 1,
        size: (await stat(path)).size,
        sealed: true,
        requests: undefined,
        retained: 0,
        loaded: false,
        reader: undefined,
      };
      // Everything before a segment's first sequence was given away, also when the segment itself is still empty.
      if (firstSeq !== undefined) lastSeq = Math.max(lastSeq, firstSeq - 1);
      if (!newest && firstSeq !== undefined) {
        this.list.push(segment);
        continue;
      }
      const requests = await this.load(segment, newest);
      if (requests.length === 0) {
        await rm(path, { force: true });
        continue;
      }
      const first = requests[0]?.seq ?? segment.firstSeq;
      lastSeq = Math.max(lastSeq, requests.at(-1)?.seq ?? 0);
      this.list.push({ ...segment, firstSeq: firstSeq ?? first });
    }
    return Math.max(lastSeq, await this.#lastSeqOfNewest());
  }

  /**
   * The last sequence of the newest segment that holds any. A crash between creating a segment and its first request
   * leaves an empty newest file: the sequences go on after the segment before it, which has to be read for that.
   */
  async #lastSeqOfNewest(): Promise<number> {
    for (const segment of this.list.toReversed()) {
      const requests = segment.requests ?? (await this.load(segment));
      const last = requests.at(-1);
      if (last !== undefined) return last.seq;
    }
    return 0;
  }

  /** Durably creates the next segment; the caller appends to the returned handle. */
  async create(firstSeq: number): Promise<{ segment: Segment; handle: FileHandle }> {
    const id = this.#nextId;
    this.#nextId += 1;
    const path = join(this.#options.dir, `${String(id).padStart(8, '0')}.wal`);
    const handle = await open(path, 'wx', 0o600);
    try {
      await handle.write(encodeHeader(id, firstSeq, this.logId), 0, SEGMENT_HEADER_BYTES, 0);
      await handle.sync();
      await syncDirectory(this.#options.dir);
    } catch (thrown) {
      await handle.close();
      await rm(path, { force: true });
      throw thrown;
    }
    const segment: Segment = {
      id,
      path,
      firstSeq,
      size: SEGMENT_HEADER_BYTES,
      sealed: false,
      requests: [],
      retained: 0,
      loaded: false,
      reader: undefined,
    };
    this.list.push(segment);
    return { segment, handle };
  }

  /**
   * Reads a sealed segment into memory, verifying every frame. Damage costs only the frames it lies in: the original
   * is set aside as `.quarantine`, a clean copy takes its place.
   */
  async load(segment: Segment, newest = false): Promise<IndexedRequest[]> {
    let bytes = await this.#readSegment(segment);
    let scan = scanFrames(bytes, Math.min(SEGMENT_HEADER_BYTES, bytes.byteLength));
    const tail = scan.damaged.at(-1);
    const headerBad = parseHeader(bytes) === undefined;
    if (newest && tail !== undefined && scan.damaged.length === 1 && isTornTail(bytes, tail)) {
      this.#options.logger.warn(
        { file: segment.path, bytes: tail.to - tail.from },
        'cut the torn tail of the write-ahead log; the requests in it were never acknowledged',
      );
      await truncateDurably(segment.path, scan.cleanEnd);
      bytes = bytes.subarray(0, scan.cleanEnd);
    } else if (
      tail !== undefined ||
      (headerBad && bytes.byteLength > 0 && !(newest && scan.frames.length === 0))
    ) {
      bytes = await this.#salvage(segment, bytes, scan.frames);
      scan = scanFrames(bytes, SEGMENT_HEADER_BYTES);
    }
    segment.size = bytes.byteLength;
    for (const { stored } of scan.frames) this.stored = Math.max(this.stored, stored);
    segment.requests = scan.frames.map((frame) => indexFrame(frame, bytes));
    segment.retained = bytes.byteLength;
    segment.loaded = true;
    return segment.requests;
  }

  /** Forgets the in-memory index of a sealed segment; it is read again when its turn comes. */
  drop(segment: Segment): void {
    segment.requests = undefined;
    segment.retained = 0;
    segment.loaded = false;
  }

  /** Forgets the requests up to `seq`: they are in the store. */
  forget(seq: number): void {
    for (const segment of this.list) {
      if (segment.firstSeq > seq) return;
      const { requests } = segment;
      if (requests === undefined) continue;
      let count = 0;
      while (count < requests.length && (requests[count]?.seq ?? 0) <= seq) count += 1;
      for (const request of requests.splice(0, count)) {
        if (segment.loaded) continue;
        for (const { bytes } of request.blocks) {
          if (bytes === undefined) continue;
          segment.retained -= bytes.byteLength;
          releaseBytes(bytes);
        }
      }
      if (requests.length === 0) segment.retained = 0;
    }
  }

  /** Deletes the oldest segment: all of it is in the store. */
  async deleteOldest(): Promise<void> {
    const segment = this.list[0];
    if (segment === undefined) return;
    await rm(segment.path, { force: true });
    this.list.shift();
    const { reader } = segment;
    segment.reader = undefined;
    this.drop(segment);
    await reader?.close();
  }

  async close(): Promise<void> {
    for (const segment of this.list) {
      await segment.reader?.close();
      segment.reader = undefined;
    }
  }

  /** The bytes of a segment; none when the file is gone or the disk cannot read it, which is said once. */
  async #readSegment(segment: Segment): Promise<Buffer> {
    try {
      return await readFile(segment.path);
    } catch (thrown) {
      const code = errorCode(thrown);
      if (code !== 'ENOENT' && code !== 'EIO') throw thrown;
      const aside = segment.path.replace(/\.wal$/, '.quarantine');
      if (code === 'EIO') await rename(segment.path, aside);
      this.#options.onQuarantine(code === 'EIO' ? aside : segment.path, segment.size);
      return encodeHeader(segment.id, segment.firstSeq, this.logId);
    }
  }

  async #salvage(segment: Segment, bytes: Buffer, frames: readonly FrameInfo[]): Promise<Buffer> {
    const clean = Buffer.concat([
      encodeHeader(segment.id, frames[0]?.seq ?? segment.firstSeq, this.logId),
      ...frames.map((frame) => bytes.subarray(frame.offset, frame.offset + frame.length)),
    ]);
    const aside = segment.path.replace(/\.wal$/, '.quarantine');
    try {
      await writeDurably(`${segment.path}.tmp`, clean);
      await syncDirectory(this.#options.dir);
    } catch (thrown) {
      if (!lacksRoom(thrown)) throw thrown;
      // The file stays as it is, and is mended the next time that it is read.
      await rm(`${segment.path}.tmp`, { force: true });
      this.#options.logger.warn({ file: segment.path }, 'a damaged segment cannot be set aside: no room');
      return clean;
    }
    await rename(segment.path, aside);
    await rename(`${segment.path}.tmp`, segment.path);
    await syncDirectory(this.#options.dir);
    const lostBytes = Math.max(0, bytes.byteLength - clean.byteLength);
    this.#options.onQuarantine(aside, lostBytes);
    return clean;
  }

  /** A crash inside `#salvage`: the clean copy counts only once the original was set aside. */
  async #finishRepairs(names: readonly string[]): Promise<void> {
    for (const name of names) {
      if (!name.endsWith('.wal.tmp')) continue;
      const path = join(this.#options.dir, name);
      const target = path.slice(0, -'.tmp'.length);
      if (names.includes(name.slice(0, -'.tmp'.length))) await rm(path, { force: true });
      else await rename(path, target);
    }
    await syncDirectory(this.#options.dir);
  }
}

/**
 * A tail is torn (never acknowledged) when the file ends before the frame it begins does; else it is damage. With a
 * readable frame after it, it is no tail: a frame whose length was damaged must not take those behind it along.
 */
function isTornTail(bytes: Buffer, tail: { from: number; to: number }): boolean {
  if (tail.to < bytes.byteLength) return false;
  const left = bytes.byteLength - tail.from;
  if (left < 16) return true;
  if (bytes.readUInt32LE(tail.from) !== FRAME_MAGIC)
    return bytes.subarray(tail.from).every((byte) => byte === 0);
  return bytes.readUInt32LE(tail.from + 8) > left;
}

function indexFrame(frame: FrameInfo, bytes: Buffer): IndexedRequest {
  return {
    seq: frame.seq,
    timeMs: frame.timeMs,
    requestHash: frame.requestHash,
    tenant: frame.tenant,
    blocks: frame.blocks.map((block) => ({
      ...block,
      bytes: bytes.subarray(block.offset, block.offset + block.length),
    })),
  };
}

const LOG_ID = /^[0-9a-f]{16}$/;

/** 0 magic | 8 id u32 | 12 first sequence u48 | 18 name of the log, 8 bytes (zeros: not known) | 28 crc32 */
function encodeHeader(id: number, firstSeq: number, logId: string | undefined): Buffer {
  const header = Buffer.alloc(SEGMENT_HEADER_BYTES);
  HEADER_MAGIC.copy(header);
  header.writeUInt32LE(id, 8);
  header.writeUIntLE(firstSeq, 12, 6);
  if (logId !== undefined && LOG_ID.test(logId)) header.write(logId, 18, 'hex');
  header.writeUInt32LE(crc32(header.subarray(0, 28)), 28);
  return header;
}

function parseHeader(header: Buffer): { firstSeq: number; logId: string | undefined } | undefined {
  if (header.byteLength < SEGMENT_HEADER_BYTES || !header.subarray(0, 8).equals(HEADER_MAGIC))
    return undefined;
  if (crc32(header.subarray(0, 28)) !== header.readUInt32LE(28)) return undefined;
  const name = header.subarray(18, 26);
  const logId = name.every((byte) => byte === 0) ? undefined : name.toString('hex');
  return { firstSeq: header.readUIntLE(12, 6), logId };
}

async function readHeader(path: string): Promise<ReturnType<typeof parseHeader>> {
  const handle = await open(path, 'r');
  try {
    const header = Buffer.alloc(SEGMENT_HEADER_BYTES);
    const { bytesRead } = await handle.read(header, 0, SEGMENT_HEADER_BYTES, 0);
    return parseHeader(header.subarray(0, bytesRead));
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  } finally {
    await handle.close();
  }
}

async function truncateDurably(path: string, length: number): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.truncate(length);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
