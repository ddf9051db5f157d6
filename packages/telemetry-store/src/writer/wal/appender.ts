import type { FileHandle } from 'node:fs/promises';
import { type Clock, fail, type Logger, releaseBytes } from '@candela/kernel';
import { errorCode } from './files.ts';
import { encodeFrame, frameLength, type LogBlock } from './frame.ts';
import type { IndexedRequest, Segment, Segments } from './segments.ts';

export interface AppendRequest {
  /** Taken over: their memory is given back once it is not needed here any more. */
  readonly blocks: readonly LogBlock[];
  /** 16 bytes over tenant, signal and body; names the request for deduplication. */
  readonly requestHash: Uint8Array;
  readonly tenant: string;
}

export interface AppenderOptions {
  readonly segments: Segments;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Everything up to this sequence is in the store. */
  readonly stored: () => number;
  readonly firstSeq: number;
  readonly segmentBytes: number;
  /** Bytes of blocks that may stay in memory for insertion; the rest is read back from the file. */
  readonly memoryCapBytes: number;
  /** Told of every durable batch, in order. */
  readonly onDurable: (requests: readonly IndexedRequest[]) => void;
  /** Told of a segment that will not grow any more, before its index may be dropped. */
  readonly onSealed: (segment: Segment) => void;
}

interface Waiting {
  readonly request: AppendRequest;
  readonly length: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

const MAX_BATCH_BYTES = 32 * 1024 * 1024;
/** Index entries held for sealed segments that are not being inserted yet. */
const MAX_IDLE_INDEX = 100_000;

/**
 * Group commit: everything that waits goes out in one write and one fdatasync, while the next batch gathers. After a
 * failed write the file is cut back before anything else is written, so a refused request can never reappear.
 */
export class Appender {
  readonly #options: AppenderOptions;
  #queue: Waiting[] = [];
  #queuedBytes = 0;
  #flushing: Promise<void> | undefined;
  #segment: Segment | undefined;
  #handle: FileHandle | undefined;
  #nextSeq: number;
  /** The file may hold bytes beyond `segment.size`. */
  #dirty = false;
  #closed = false;
  #failing = false;

  constructor(options: AppenderOptions) {
    this.#options = options;
    this.#nextSeq = options.firstSeq;
  }

  /** Bytes accepted but not yet durable. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** The sequence the next durable request will get; all below are durable. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** True from a failed write until the next good one. */
  get failing(): boolean {
    return this.#failing;
  }

  /** Resolves when the request is on disk; rejects with `overloaded` when it could not be written. */
  append(request: AppendRequest): Promise<void> {
    if (this.#closed) return Promise.reject(fail('shutting_down'));
    const length = frameLength(request.tenant, request.blocks);
    this.#queuedBytes += length;
    return new Promise((resolve, reject) => {
      this.#queue.push({ request, length, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  /** Waits for what is queued, then closes the file. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#flushing;
    await this.#handle?.close();
    this.#handle = undefined;
  }

  async #flush(): Promise<void> {
    // One turn of the loop, so that requests decoded in the same moment share the first sync.
    await Promise.resolve();
    try {
      while (this.#queue.length > 0) {
        const batch = this.#takeBatch();
        try {
          await this.#write(batch);
          if (this.#failing) this.#options.logger.info({}, 'the write-ahead log can be written again');
          this.#failing = false;
          for (const waiting of batch) waiting.resolve();
        } catch (thrown) {
          if (!this.#failing) {
            this.#options.logger.error(
              { err: thrown },
              'the write-ahead log could not be written; requests are refused',
            );
          }
          this.#failing = true;
          const full = errorCode(thrown) === 'ENOSPC' || errorCode(thrown) === 'EDQUOT';
          const detail = full
            ? 'The disk of the data directory is full. Free space; the same request will then be accepted.'
            : 'The write-ahead log could not be written. Try again shortly.';
          const error = fail('overloaded', { detail }, { retryAfterSeconds: full ? 30 : 10, cause: thrown });
          for (const waiting of batch) waiting.reject(error);
        } finally {
          for (const waiting of batch) this.#queuedBytes -= waiting.length;
        }
      }
    } finally {
      // In the same turn as the look at the queue: a request that came in between would wait for the next one.
      this.#flushing = undefined;
    }
  }

  #takeBatch(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const waiting of this.#queue) {
      if (count > 0 && bytes + waiting.length > MAX_BATCH_BYTES) break;
      bytes += waiting.length;
      count += 1;
    }
    return this.#queue.splice(0, count);
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const { segment, handle } = await this.#ready();
    const timeMs = this.#options.clock.now();
    const stored = this.#options.stored();
    const buffers: Uint8Array[] = [];
    const requests: IndexedRequest[] = [];
    let end = segment.size;
    let seq = this.#nextSeq;
    let retained = 0;
    const onlyInFile: Uint8Array[] = [];
    const room = this.#options.memoryCapBytes - this.#retained();
    for (const { request } of batch) {
      const frame = encodeFrame({ ...request, seq, timeMs, stored });
      for (const buffer of frame.buffers) buffers.push(buffer);
      const keep = retained + frame.length <= room;
      if (keep) retained += frame.length - frame.headerLength;
      let offset = end + frame.headerLength;
      const blocks = request.blocks.map((block) => {
        if (!keep) onlyInFile.push(block.bytes);
        const place = {
          table: block.table,
          rows: block.rows,
          offset,
          length: block.bytes.byteLength,
          bytes: keep ? block.bytes : undefined,
        };
        offset += block.bytes.byteLength;
        return place;
      });
      requests.push({ seq, timeMs, requestHash: request.requestHash, tenant: request.tenant, blocks });
      end += frame.length;
      seq += 1;
    }
    this.#dirty = true;
    const { bytesWritten } = await handle.writev(buffers, segment.size);
    if (bytesWritten !== end - segment.size)
      throw Object.assign(new Error('short write'), { code: 'ENOSPC' });
    await handle.datasync();
    this.#dirty = false;
    segment.size = end;
    segment.retained += retained;
    for (const request of requests) segment.requests?.push(request);
    this.#nextSeq = seq;
    for (const bytes of onlyInFile) releaseBytes(bytes);
    this.#options.onDurable(requests);
  }

  /** A clean segment with room: cuts back a failed write, turns to a new file when the current one is full. */
  async #ready(): Promise<{ segment: Segment; handle: FileHandle }> {
    if (this.#dirty && this.#handle !== undefined && this.#segment !== undefined) {
      await this.#handle.truncate(this.#segment.size);
      await this.#handle.datasync();
      this.#dirty = false;
    }
    if (this.#segment !== undefined && this.#handle !== undefined) {
      if (this.#segment.size < this.#options.segmentBytes)
        return { segment: this.#segment, handle: this.#handle };
      const sealed = this.#segment;
      const old = this.#handle;
      const next = await this.#options.segments.create(this.#nextSeq);
      this.#segment = next.segment;
      this.#handle = next.handle;
      sealed.sealed = true;
      // At once: from now on it may be deleted, and what is remembered of it has to be on its way to the disk by then.
      this.#options.onSealed(sealed);
      this.#trimIndex();
      await old.close();
      return next;
    }
    const first = await this.#options.segments.create(this.#nextSeq);
    this.#segment = first.segment;
    this.#handle = first.handle;
    return first;
  }

  #retained(): number {
    let sum = 0;
    for (const segment of this.#options.segments.list) sum += segment.retained;
    return sum;
  }

  /** Bounds the index during a long outage: sealed segments behind the first are forgotten and read again later. */
  #trimIndex(): void {
    let entries = 0;
    for (const [index, segment] of this.#options.segments.list.entries()) {
      entries += segment.requests?.length ?? 0;
      if (segment.sealed && index > 1 && entries > MAX_IDLE_INDEX) this.#options.segments.drop(segment);
    }
  }
}
