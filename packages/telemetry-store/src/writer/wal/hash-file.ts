import { appendFile, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { errorCode } from './files.ts';
import { HASH_BYTES } from './frame.ts';

const RECORD_BYTES = 32;

export interface SeenHash {
  readonly requestHash: Uint8Array;
  readonly timeMs: number;
}

/**
 * Hashes of requests whose segments are sealed, so that they outlive the segments: `hashes.log` and the generation
 * before it, `hashes.old`. Record: hash 16 bytes, time f64, segment u32, crc32. The last record of a segment carries
 * a zero hash and says that the segment is complete here; segments without it are scanned at start.
 */
export class HashFile {
  readonly #path: string;
  readonly #oldPath: string;
  readonly #windowMs: number;
  #firstTimeMs: number | undefined;
  /** One segment after another: two that turn the files over at once would lose the younger generation. */
  #adding: Promise<void> = Promise.resolve();

  constructor(dir: string, windowMs: number) {
    this.#path = join(dir, 'hashes.log');
    this.#oldPath = join(dir, 'hashes.old');
    this.#windowMs = windowMs;
  }

  /**
   * What both generations hold. Damage costs the records it lies in: at worst a resend is stored twice. What a full disk
   * cut off in the middle is followed by records that stand at another place.
   */
  async read(): Promise<{ hashes: SeenHash[]; completeSegments: Set<number> }> {
    const hashes: SeenHash[] = [];
    const completeSegments = new Set<number>();
    for (const path of [this.#oldPath, this.#path]) {
      const bytes = await readIfThere(path);
      for (let at = 0; at + RECORD_BYTES <= bytes.byteLength; ) {
        if (crc32(bytes.subarray(at, at + 28)) !== bytes.readUInt32LE(at + 28)) {
          at += 1;
          continue;
        }
        const requestHash = new Uint8Array(bytes.subarray(at, at + HASH_BYTES));
        const timeMs = bytes.readDoubleLE(at + 16);
        if (requestHash.every((byte) => byte === 0)) completeSegments.add(bytes.readUInt32LE(at + 24));
        else hashes.push({ requestHash, timeMs });
        if (path === this.#path) this.#firstTimeMs ??= timeMs;
        at += RECORD_BYTES;
      }
    }
    return { hashes, completeSegments };
  }

  /** Durably adds the hashes of a sealed segment. */
  addSegment(segment: number, hashes: readonly SeenHash[], nowMs: number): Promise<void> {
    const added = this.#adding.then(() => this.#add(segment, hashes, nowMs));
    this.#adding = added.catch(() => {});
    return added;
  }

  async #add(segment: number, hashes: readonly SeenHash[], nowMs: number): Promise<void> {
    if (this.#firstTimeMs !== undefined && Math.abs(nowMs - this.#firstTimeMs) > this.#windowMs) {
      await rm(this.#oldPath, { force: true });
      await rename(this.#path, this.#oldPath).catch((thrown: unknown) => {
        if (errorCode(thrown) !== 'ENOENT') throw thrown;
      });
      this.#firstTimeMs = undefined;
    }
    this.#firstTimeMs ??= hashes[0]?.timeMs ?? nowMs;
    const records = Buffer.alloc((hashes.length + 1) * RECORD_BYTES);
    let at = 0;
    for (const { requestHash, timeMs } of hashes) {
      at = writeRecord(records, at, segment, requestHash, timeMs);
    }
    writeRecord(records, at, segment, new Uint8Array(HASH_BYTES), nowMs);
    await appendFile(this.#path, records, { mode: 0o600, flush: true });
  }
}

function writeRecord(records: Buffer, at: number, segment: number, hash: Uint8Array, timeMs: number): number {
  records.set(hash, at);
  records.writeDoubleLE(timeMs, at + 16);
  records.writeUInt32LE(segment, at + 24);
  records.writeUInt32LE(crc32(records.subarray(at, at + 28)), at + 28);
  return at + RECORD_BYTES;
}

async function readIfThere(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return Buffer.alloc(0);
    throw thrown;
  }
}
