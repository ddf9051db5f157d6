import { EventEmitter } from 'node:events';
import { mkdir, readdir, stat, statfs } from 'node:fs/promises';
import { machineMemory } from '../engine-host/machine-memory.ts';
import { type Clock, fail, type Logger, systemClock } from '@candela/kernel';
import { GroupInserter, type GroupSink } from './group-insert/inserter.ts';
import { Appender, type AppendRequest } from './wal/appender.ts';
import { frameLength } from './wal/frame.ts';
import { HashFile, type SeenHash } from './wal/hash-file.ts';
import { lockDirectory } from './wal/lock.ts';
import { RecentHashes } from './wal/recent-hashes.ts';
import { type Segment, Segments } from './wal/segments.ts';
import { StateLog } from './wal/state-log.ts';

export interface IngestLogOptions {
  /** Directory of the log; created when absent, held by one process only. */
  readonly dir: string;
  readonly store: GroupSink & { on?(event: 'state', listener: () => void): unknown };
  readonly clock?: Clock;
  readonly logger: Logger;
  /** The log grows to this size while the store is away; then `overloaded`. */
  readonly capBytes: number;
  /** Below this share of free disk nothing is accepted. */
  readonly minFreeDiskPercent: number;
  /** Size at which a new segment file begins. */
  readonly segmentBytes?: number;
  /** Bytes of logged requests that stay in memory until they are inserted; the others are read back from the log. */
  readonly memoryCapBytes?: number;
  readonly maxGroupRows?: number;
  readonly maxGroupBytes?: number;
  readonly lingerMs?: number;
  readonly dedupWindowMs?: number;
  readonly dedupCapacity?: number;
  /** How long `close` waits for the insert under way. */
  readonly closeWaitMs?: number;
}

export interface IngestLogStats {
  readonly logBytes: number;
  readonly capBytes: number;
  readonly segments: number;
  /** Requests acknowledged but not yet in the store. */
  readonly backlogRequests: number;
  /** Bytes of these; 0 when all is stored. `logBytes` are those of the files, which outlive what is stored a little. */
  readonly backlogBytes: number;
  /** Age of the oldest of them, milliseconds. */
  readonly oldestAgeMs: number;
  readonly queuedBytes: number;
  readonly freeDiskPercent: number;
  readonly duplicates: number;
  readonly rememberedHashes: number;
  readonly quarantinedSegments: number;
  readonly quarantinedRequests: number;
}

export interface IngestLogEvents {
  group: [{ table: string; rows: number; bytes: number; seconds: number }];
  quarantined: [{ table: string; rows: number; file: string }];
}

const MIB = 1024 * 1024;
const MAX_QUEUED_BYTES = 128 * MIB;
/**
 * What an insert costs apart from its rows (planning, one part for each rollup) and how often merges rewrite a row both
 * fall with larger groups. A group takes about four times its bytes in the engine, of which a query may have an eighth of
 * the machine.
 */
const defaultGroupBytes = (): number => Math.min(128 * MIB, machineMemory() / 48);
/**
 * Enough for a calm flow to be stored without reading it back. Not more: the garbage collector counts the bytes, and
 * goes through the whole heap each time they have grown by 64 MiB.
 */
const MEMORY_CAP_BYTES = 32 * MIB;
const DISK_CHECK_MS = 1_000;
const CLOSE_WAIT_MS = 5_000;

/** Opens the write-ahead log of a data directory, replays what a crash left behind and starts carrying it into the store. */
export async function openIngestLog(options: IngestLogOptions): Promise<IngestLog> {
  await mkdir(options.dir, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(options.dir);
  try {
    return await IngestLog.start(options, lock);
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}

/** The durable log: a request is acknowledged once `append` resolves, and reaches the store exactly once. */
export class IngestLog extends EventEmitter<IngestLogEvents> {
  readonly #options: IngestLogOptions;
  readonly #lock: { release(): void };
  readonly #clock: Clock;
  readonly #segments: Segments;
  readonly #state: StateLog;
  readonly #hashFile: HashFile;
  readonly #recent: RecentHashes;
  readonly #appender: Appender;
  readonly #inserter: GroupInserter;
  readonly #inFlight = new Map<string, Promise<void>>();
  readonly #sealing = new Map<number, Promise<void>>();
  readonly #diskTimer: NodeJS.Timeout;
  #segmentHashes: SeenHash[] = [];
  #freeDiskPercent = 100;
  #duplicates = 0;
  #quarantinedSegments: number;
  #quarantinedRequests: number;
  #closed: Promise<void> | undefined;

  private constructor(options: IngestLogOptions, lock: { release(): void }, parts: Recovered) {
    super();
    this.#options = options;
    this.#lock = lock;
    this.#clock = options.clock ?? systemClock;
    this.#segments = parts.segments;
    this.#state = parts.state;
    this.#hashFile = parts.hashFile;
    this.#recent = parts.recent;
    this.#quarantinedSegments = parts.quarantinedSegments;
    this.#quarantinedRequests = parts.quarantinedRequests;
    this.#appender = new Appender({
      segments: parts.segments,
      clock: this.#clock,
      logger: options.logger,
      firstSeq: parts.nextSeq,
      stored: () => parts.state.done,
      segmentBytes: Math.min(options.segmentBytes ?? 64 * MIB, Math.max(64 * 1024, options.capBytes / 8)),
      memoryCapBytes: options.memoryCapBytes ?? MEMORY_CAP_BYTES,
      onDurable: (requests) => {
        for (const request of requests) {
          this.#recent.add(request.requestHash, request.timeMs);
          this.#segmentHashes.push({ requestHash: request.requestHash, timeMs: request.timeMs });
        }
        this.#inserter.notify(requests);
      },
      onSealed: (segment) => {
        const hashes = this.#segmentHashes;
        this.#segmentHashes = [];
        this.#keepHashes(segment, hashes);
      },
    });
    this.#inserter = new GroupInserter({
      dir: options.dir,
      segments: parts.segments,
      state: parts.state,
      sink: options.store,
      logger: options.logger,
      maxGroupRows: options.maxGroupRows ?? 200_000,
      maxGroupBytes: options.maxGroupBytes ?? defaultGroupBytes(),
      lingerMs: options.lingerMs ?? 300,
      durableBelow: () => this.#appender.nextSeq,
      beforeDelete: async (segment) => {
        await this.#sealing.get(segment.id);
        this.#sealing.delete(segment.id);
      },
      onGroup: (group) => this.emit('group', group),
      onQuarantine: (entry) => {
        this.#quarantinedRequests += 1;
        this.emit('quarantined', entry);
      },
    });
    parts.onSegmentQuarantine = () => {
      this.#quarantinedSegments += 1;
    };
    for (const { segment, hashes } of parts.unsavedHashes) this.#keepHashes(segment, hashes);
    this.#diskTimer = setInterval(() => void this.#checkDisk(), DISK_CHECK_MS);
    this.#diskTimer.unref();
    options.store.on?.('state', () => this.wakeStore());
  }

  /** Use {@link openIngestLog}. */
  static async start(options: IngestLogOptions, lock: { release(): void }): Promise<IngestLog> {
    const log = new IngestLog(options, lock, await recover(options));
    await log.#checkDisk();
    log.#inserter.start();
    return log;
  }

  /**
   * Resolves once the request is on disk. `duplicate` tells that the same hash was stored within the window (or is
   * being stored: then it waits for that one). Throws `overloaded` at the cap, on a full disk and on a full queue, and
   * `refused` for a request that would never find room.
   */
  async append(request: AppendRequest): Promise<{ duplicate: boolean }> {
    const key = Buffer.from(request.requestHash).toString('latin1');
    for (let first = this.#inFlight.get(key); first !== undefined; first = this.#inFlight.get(key)) {
      const stored = await first.then(
        () => true,
        () => false,
      );
      if (stored) return this.#duplicate();
    }
    if (this.#recent.has(request.requestHash, this.#clock.now())) return this.#duplicate();
    this.#guard(request);
    const written = this.#appender.append(request);
    this.#inFlight.set(key, written);
    try {
      await written;
      return { duplicate: false };
    } finally {
      this.#inFlight.delete(key);
    }
  }

  /** Throws what `append` would throw for a request of this many bytes; lets a receiver refuse before it reads a body. */
  assertAccepting(bytes = 0): void {
    const { capBytes, minFreeDiskPercent } = this.#options;
    if (this.#closed !== undefined) throw fail('shutting_down');
    if (this.#freeDiskPercent < minFreeDiskPercent) {
      throw fail(
        'overloaded',
        {
          detail: `Only ${this.#freeDiskPercent.toFixed(1)} % of the disk is free and ${minFreeDiskPercent} % are kept back. Free space; nothing accepted so far is lost.`,
        },
        { retryAfterSeconds: 30 },
      );
    }
    if (this.#segments.bytes + this.#appender.queuedBytes + bytes > capBytes) {
      throw fail(
        'overloaded',
        { detail: 'The write-ahead log is full because the store does not keep up. Send again later.' },
        { retryAfterSeconds: 10 },
      );
    }
    if (this.#appender.queuedBytes + bytes > MAX_QUEUED_BYTES) {
      throw fail(
        'overloaded',
        { detail: 'Too many requests wait for the disk. Send again shortly.' },
        { retryAfterSeconds: 2 },
      );
    }
  }

  stats(): IngestLogStats {
    const oldest = this.#oldestPending();
    return {
      logBytes: this.#segments.bytes,
      capBytes: this.#options.capBytes,
      segments: this.#segments.list.length,
      backlogRequests: Math.max(0, this.#appender.nextSeq - 1 - this.#state.done),
      backlogBytes: this.#segments.bytesAfter(this.#state.done, this.#appender.nextSeq),
      oldestAgeMs: oldest === undefined ? 0 : Math.max(0, this.#clock.now() - oldest),
      queuedBytes: this.#appender.queuedBytes,
      freeDiskPercent: this.#freeDiskPercent,
      duplicates: this.#duplicates,
      rememberedHashes: this.#recent.size,
      quarantinedSegments: this.#quarantinedSegments,
      quarantinedRequests: this.#quarantinedRequests,
    };
  }

  /** `degraded` while something needs a person: files set aside, a full disk, a store that takes no data. */
  health(): { readonly state: 'ok' | 'degraded'; readonly reasons: readonly string[] } {
    const reasons: string[] = [];
    if (this.#quarantinedSegments > 0) {
      reasons.push(`${this.#quarantinedSegments} damaged log segment(s) were set aside as *.quarantine`);
    }
    if (this.#quarantinedRequests > 0) {
      reasons.push(`${this.#quarantinedRequests} request(s) that the store cannot take were set aside`);
    }
    if (this.#freeDiskPercent < this.#options.minFreeDiskPercent) reasons.push('the disk is nearly full');
    if (this.#appender.failing || this.#state.failing) {
      reasons.push('the write-ahead log cannot be written');
    }
    if (this.#inserter.lastError !== undefined)
      reasons.push('the telemetry store takes no data at the moment');
    return { state: reasons.length === 0 ? 'ok' : 'degraded', reasons };
  }

  /** Waits until everything acknowledged so far is in the store; false when `timeoutMs` passed first. */
  async flush(timeoutMs: number): Promise<boolean> {
    const target = this.#appender.nextSeq - 1;
    const deadline = performance.now() + timeoutMs;
    this.#inserter.hurry(true);
    try {
      while (this.#state.done < target) {
        if (performance.now() >= deadline) return false;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return true;
    } finally {
      this.#inserter.hurry(false);
    }
  }

  /**
   * Waits for the insert under way and stores nothing until the answer is called; requests are acknowledged meanwhile.
   * Undefined when `timeoutMs` passed first.
   */
  hold(timeoutMs: number): Promise<(() => void) | undefined> {
    return this.#inserter.hold(timeoutMs);
  }

  /** Tries the store at once instead of after the pause; it may be back. */
  wakeStore(): void {
    this.#inserter.wake();
  }

  /** Writes what is queued, finishes the insert under way, frees the directory. What is not in the store stays in the log. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    clearInterval(this.#diskTimer);
    await this.#appender.close();
    // An engine that hangs must not hold the exit: the group under way is durable and will be repeated.
    const waitMs = this.#options.closeWaitMs ?? CLOSE_WAIT_MS;
    await Promise.race([
      this.#inserter.close(),
      new Promise((resolve) => setTimeout(resolve, waitMs).unref()),
    ]);
    await Promise.all(this.#sealing.values());
    await this.#segments.close();
    await this.#state.close();
    this.#lock.release();
  }

  #duplicate(): { duplicate: true } {
    this.#duplicates += 1;
    return { duplicate: true };
  }

  #guard(request: AppendRequest): void {
    const bytes = frameLength(request.tenant, request.blocks);
    const most = Math.min(MAX_QUEUED_BYTES, this.#options.capBytes);
    // "Later" would be asked for ever, and hold up all that its sender has behind it.
    if (bytes > most) {
      throw fail('refused', {
        detail: `The request unfolds to ${bytes} bytes, and the write-ahead log takes ${most} at once. Send smaller batches.`,
      });
    }
    this.assertAccepting(bytes);
  }

  #oldestPending(): number | undefined {
    if (this.#state.done >= this.#appender.nextSeq - 1) return undefined;
    for (const { requests } of this.#segments.list) {
      const first = requests?.find((request) => request.seq > this.#state.done);
      if (first !== undefined) return first.timeMs;
    }
    return undefined;
  }

  #keepHashes(segment: Segment, hashes: readonly SeenHash[]): void {
    const saved = this.#hashFile
      .addSegment(segment.id, hashes, this.#clock.now())
      .catch((thrown: unknown) => {
        this.#options.logger.warn(
          { err: thrown },
          'request hashes could not be saved; a resend after a restart may be stored twice',
        );
      });
    this.#sealing.set(segment.id, saved);
  }

  async #checkDisk(): Promise<void> {
    try {
      const { bavail, blocks } = await statfs(this.#options.dir);
      this.#freeDiskPercent = blocks === 0 ? 100 : (bavail / blocks) * 100;
    } catch (thrown) {
      this.#options.logger.warn({ err: thrown }, 'free disk space could not be read');
    }
  }
}

interface Recovered {
  readonly segments: Segments;
  readonly state: StateLog;
  readonly hashFile: HashFile;
  readonly recent: RecentHashes;
  readonly nextSeq: number;
  readonly quarantinedSegments: number;
  readonly quarantinedRequests: number;
  readonly unsavedHashes: readonly { readonly segment: Segment; readonly hashes: readonly SeenHash[] }[];
  /** Set by the log once it stands. */
  onSegmentQuarantine: () => void;
}

async function recover(options: IngestLogOptions): Promise<Recovered> {
  const { dir, logger } = options;
  const windowMs = options.dedupWindowMs ?? 600_000;
  const hooks = { onSegmentQuarantine: (): void => {} };
  const segments = new Segments({
    dir,
    logger,
    onQuarantine: (file, lostBytes) => {
      logger.error(
        { file, lostBytes },
        'a damaged segment of the write-ahead log was set aside; its readable requests were kept',
      );
      hooks.onSegmentQuarantine();
    },
  });
  const hashFile = new HashFile(dir, windowMs);
  const recent = new RecentHashes(windowMs, options.dedupCapacity ?? 1_000_000);
  const saved = await hashFile.read();
  const lastSeq = await segments.recover(saved.completeSegments);
  const { state, damage } = await StateLog.open(dir, segments);
  segments.logId = state.logId;
  if (damage === 'both') {
    logger.error(
      { dir, stored: state.done },
      'both copies of the state of the write-ahead log were damaged; requests of the last moments may be stored twice',
    );
  } else if (damage === 'one') {
    logger.warn({ dir }, 'one copy of the state of the write-ahead log was damaged; the other one is whole');
  }
  if (state.failing) {
    logger.error({ dir }, 'the disk has no room: nothing is taken and nothing is stored until there is some');
  }
  for (const { requestHash, timeMs } of saved.hashes) recent.add(requestHash, timeMs);
  const unsavedHashes: { segment: Segment; hashes: SeenHash[] }[] = [];
  for (const segment of segments.list) {
    if (saved.completeSegments.has(segment.id)) continue;
    // Sealed before the window began: none of its requests can be resent as "recent" any more.
    const writtenMs = (await stat(segment.path)).mtimeMs;
    if (segment.requests === undefined && Date.now() - writtenMs > windowMs) continue;
    const requests = segment.requests ?? (await segments.load(segment));
    const hashes = requests.map(({ requestHash, timeMs }) => ({ requestHash, timeMs }));
    for (const { requestHash, timeMs } of hashes) recent.add(requestHash, timeMs);
    unsavedHashes.push({ segment, hashes });
    if (segment !== segments.list[0]) segments.drop(segment);
  }
  const aside = await readdir(`${dir}/quarantine`).catch(() => []);
  return Object.assign(hooks, {
    segments,
    state,
    hashFile,
    recent,
    nextSeq: Math.max(lastSeq, state.done, state.plan?.to ?? 0) + 1,
    quarantinedSegments: (await readdir(dir)).filter((name) => name.endsWith('.quarantine')).length,
    quarantinedRequests: aside.filter((name) => name.endsWith('.native')).length,
    unsavedHashes,
  });
}
