import { type Backoff, backoffMs, type Logger } from '@candela/kernel';
import type { NativeParts } from '../../client/types.ts';
import type { IndexedRequest, Segment, Segments } from '../wal/segments.ts';
import type { GroupPlan, StateLog } from '../wal/state-log.ts';
import { readBlock } from '../wal/read-blocks.ts';
import { classifyFailure, isStored, lacksMemory } from './failure.ts';
import { setAside } from './quarantine.ts';
import { halves, type Item, type Range, RangeParts, sizeOf } from './range.ts';

/** Where groups go: the telemetry store, or anything that keeps its promise about tokens. */
export interface GroupSink {
  /** Inserts the concatenated `Native` blocks; a second call with the same token stores nothing. */
  insertNative(table: string, parts: NativeParts, dedupToken: string): Promise<void>;
  health(): { readonly state: string; readonly restarts: number };
}

export interface GroupInserterOptions {
  readonly dir: string;
  readonly segments: Segments;
  readonly state: StateLog;
  readonly sink: GroupSink;
  readonly logger: Logger;
  readonly maxGroupRows: number;
  readonly maxGroupBytes: number;
  /** How long the first request of a group waits for company, milliseconds. */
  readonly lingerMs: number;
  /** First sequence that is not yet durable. */
  readonly durableBelow: () => number;
  /** Called before a segment is deleted. */
  readonly beforeDelete: (segment: Segment) => Promise<void>;
  readonly onGroup: (group: { table: string; rows: number; bytes: number; seconds: number }) => void;
  readonly onQuarantine: (entry: { table: string; rows: number; file: string }) => void;
}

interface Group {
  readonly to: number;
  readonly tables: Map<string, Item[]>;
}

const MAX_BACKOFF_MS = 5_000;
const BACKOFF: Backoff = { firstMs: 100, maxMs: MAX_BACKOFF_MS };
const COMPLAIN_MS = 60_000;
/** A range whose insert took the engine down this often is treated as bad data. */
const MAX_ENGINE_KILLS = 5;
/** The same for a refusal whose code says neither "later" nor "bad data"; a single request gets more time. */
const MAX_UNCLEAR = 3;
const MAX_UNCLEAR_ALONE = 8;
/** So many refusals for want of memory, and a group is tried in halves; a single request is never given up for it. */
const MAX_MEMORY_REFUSALS = 8;
/** So many requests set aside without one good insert in between: more likely the store is ill than all the data. */
const SUSPICIOUS_QUARANTINES = 10;

/**
 * Carries the log into the store in large groups, one after another. A group's bounds are durable before its first
 * insert and its token derives from them, so no crash can double or lose it. Bad data is halved down to the single
 * request, which is set aside in a file; everything else goes on.
 */
export class GroupInserter {
  readonly #options: GroupInserterOptions;
  readonly #firstLiveSeq: number;
  #running: Promise<void> | undefined;
  #closing = false;
  #hurry = false;
  /** Ends the wait for company; and, apart from it, the pause after a failure, which new requests must not shorten. */
  #wakeLinger: (() => void) | undefined;
  #wakePause: (() => void) | undefined;
  /** Those who want nothing stored. */
  readonly #held = new Set<{
    readonly go: Promise<void>;
    readonly isStill: () => void;
    readonly release: () => void;
  }>();
  #pendingRows = 0;
  #pendingBytes = 0;
  #lingerSince: number | undefined;
  #lastError: string | undefined;
  /** Requests set aside since the last good insert. */
  #asideInARow = 0;
  #complaint = { message: '', at: 0 };

  constructor(options: GroupInserterOptions) {
    this.#options = options;
    this.#firstLiveSeq = options.durableBelow();
  }

  /** Sentence about the insert that fails at the moment, or undefined. */
  get lastError(): string | undefined {
    return this.#lastError;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** New durable requests: starts the linger of the next group. */
  notify(requests: readonly IndexedRequest[]): void {
    for (const request of requests) {
      for (const block of request.blocks) {
        this.#pendingRows += block.rows;
        this.#pendingBytes += block.length;
      }
    }
    if (this.#lingerSince === undefined) {
      this.#lingerSince = performance.now();
      this.#wakeLinger?.();
    } else if (this.#full()) {
      this.#wakeLinger?.();
    }
  }

  /** Ends a pause: the store came back. */
  wake(): void {
    this.#wakePause?.();
  }

  /**
   * Stores nothing after the group under way until the answer is called; what comes meanwhile waits in the log. Undefined when
   * `timeoutMs` passed first: then all goes on.
   */
  async hold(timeoutMs: number): Promise<(() => void) | undefined> {
    const go = Promise.withResolvers<void>();
    const still = Promise.withResolvers<true>();
    const held = { go: go.promise, isStill: () => still.resolve(true), release: go.resolve };
    this.#held.add(held);
    this.#wakeLinger?.();
    const release = (): void => {
      this.#held.delete(held);
      go.resolve();
    };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), timeoutMs);
    });
    const isHeld = await Promise.race([still.promise, late]);
    clearTimeout(timer);
    if (isHeld) return release;
    release();
    return undefined;
  }

  /** While on, groups do not wait for company: somebody waits for the log to empty. */
  hurry(on: boolean): void {
    this.#hurry = on;
    this.#wakeLinger?.();
  }

  /** Stops after the insert under way; what is left waits in the log for the next start. */
  async close(): Promise<void> {
    this.#closing = true;
    for (const { release } of this.#held) release();
    this.#wakeLinger?.();
    this.#wakePause?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { state } = this.#options;
    let failures = 0;
    let released = false;
    while (!this.#closing) {
      for (const { go, isStill } of this.#held) {
        isStill();
        await go;
      }
      try {
        if (!released) await this.#release();
        released = true;
        if (state.plan === undefined && !(await this.#gathered())) continue;
        const group = await this.#collect(state.plan);
        const plan = state.plan ?? (await state.begin(state.done + 1, group.to));
        let complete = true;
        for (const [table, items] of group.tables) complete &&= await this.#insertTable(table, items, plan);
        if (!complete) return;
        await this.#finish(group);
        failures = 0;
      } catch (thrown) {
        // The log itself (disk, permissions): nothing is lost by waiting, and nothing may be skipped.
        this.#complain(thrown);
        await this.#pause(backoffMs(failures, BACKOFF));
        failures += 1;
      }
    }
  }

  /** Says the same thing once a minute, not at every try. */
  #complain(thrown: unknown): void {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const now = performance.now();
    if (message === this.#complaint.message && now - this.#complaint.at < COMPLAIN_MS) return;
    this.#complaint = { message, at: now };
    this.#options.logger.error(
      { err: thrown },
      'carrying the write-ahead log into the store failed; trying again until it works',
    );
  }

  /** Waits until a group is worth forming; false when it woke for another reason. */
  async #gathered(): Promise<boolean> {
    const { segments, state, durableBelow, lingerMs } = this.#options;
    if (state.done >= durableBelow() - 1) {
      await this.#linger(undefined);
      return false;
    }
    const backlog = segments.list[0]?.sealed === true;
    if (backlog || this.#hurry || this.#full()) return true;
    const left = (this.#lingerSince ?? 0) + lingerMs - performance.now();
    if (left <= 0) return true;
    await this.#linger(left);
    return false;
  }

  #full(): boolean {
    return (
      this.#pendingRows >= this.#options.maxGroupRows || this.#pendingBytes >= this.#options.maxGroupBytes
    );
  }

  /** The requests of a planned group, or the next ones up to the bounds of a group. */
  async #collect(plan: GroupPlan | undefined): Promise<Group> {
    const { segments, state, maxGroupRows, maxGroupBytes, durableBelow } = this.#options;
    const from = plan?.from ?? state.done + 1;
    const limit = plan?.to ?? durableBelow() - 1;
    const tables = new Map<string, Item[]>();
    let rows = 0;
    let bytes = 0;
    for (const [index, segment] of [...segments.list].entries()) {
      const lastSeq = (segments.list[index + 1]?.firstSeq ?? durableBelow()) - 1;
      if (lastSeq < from) continue;
      if (segment.firstSeq > limit) break;
      for (const request of segment.requests ?? (await segments.load(segment))) {
        if (request.seq < from) continue;
        if (request.seq > limit) break;
        for (const block of request.blocks) {
          rows += block.rows;
          bytes += block.length;
        }
        if (plan === undefined && tables.size > 0 && (rows > maxGroupRows || bytes > maxGroupBytes)) {
          return { to: request.seq - 1, tables };
        }
        for (const block of request.blocks) {
          const items = tables.get(block.table) ?? [];
          if (items.length === 0) tables.set(block.table, items);
          items.push({ seq: request.seq, tenant: request.tenant, timeMs: request.timeMs, segment, block });
        }
      }
    }
    return { to: limit, tables };
  }

  /** Everything of one table of the group; false when closed before the end. */
  async #insertTable(table: string, items: readonly Item[], plan: GroupPlan): Promise<boolean> {
    const work: Range[] = [{ from: plan.from, to: plan.to, items }];
    while (true) {
      const range = work.shift();
      if (range === undefined) return true;
      const name = `${table}:${range.from}-${range.to}`;
      const outcome =
        plan.splits.has(name) && range.items.length > 1 ? 'data' : await this.#insertRange(table, range);
      if (outcome === 'stored') continue;
      if (outcome === 'closed') return false;
      if (range.items.length > 1) {
        if (!plan.splits.has(name)) await this.#options.state.split(name);
        work.unshift(...halves(range.items));
      } else {
        // One at a time and slowly, in case it is the store that is ill; yet nothing blocks for ever.
        if (this.#asideInARow >= SUSPICIOUS_QUARANTINES) await this.#pause(MAX_BACKOFF_MS);
        if (this.#closing) return false;
        await this.#quarantine(table, range.items);
        this.#asideInARow += 1;
      }
    }
  }

  /** One insert until it is stored, proves to be bad data, or the log closes. */
  async #insertRange(table: string, range: Range): Promise<'stored' | 'data' | 'closed'> {
    const { sink, state, logger } = this.#options;
    const token = `${state.logId}/${table}/${range.from}-${range.to}`;
    let failures = 0;
    let kills = 0;
    let unclear = 0;
    let memoryRefusals = 0;
    const alone = range.items.length === 1;
    const { bytes, rows } = sizeOf(range);
    const parts = new RangeParts(range);
    while (!this.#closing) {
      const before = sink.health();
      const startedAt = performance.now();
      try {
        await sink.insertNative(table, parts, token);
        if (this.#lastError !== undefined) logger.info({ table }, 'the telemetry store takes data again');
        this.#lastError = undefined;
        this.#asideInARow = 0;
        this.#options.onGroup({ table, rows, bytes, seconds: (performance.now() - startedAt) / 1_000 });
        return 'stored';
      } catch (thrown) {
        // The log's own trouble says nothing about the data.
        if (parts.failure !== undefined) throw parts.failure.error;
        const message = thrown instanceof Error ? thrown.message : String(thrown);
        const kind = classifyFailure(thrown);
        const after = sink.health();
        const stored = isStored(thrown);
        if (
          !stored &&
          before.state === 'ready' &&
          (after.state !== 'ready' || after.restarts !== before.restarts)
        ) {
          kills += 1;
        }
        if (kind === 'unclear') unclear += 1;
        if (lacksMemory(thrown)) memoryRefusals += 1;
        if (!alone && memoryRefusals >= MAX_MEMORY_REFUSALS) {
          logger.warn(
            { table, requests: range.items.length },
            'a group is too large for the store; halving it',
          );
          return 'data';
        }
        const patience = alone ? MAX_UNCLEAR_ALONE : MAX_UNCLEAR;
        if (!stored && (kind === 'data' || kills >= MAX_ENGINE_KILLS || unclear >= patience)) {
          logger.warn(
            { table, requests: range.items.length, reason: message },
            'the store refused a group as bad data',
          );
          return 'data';
        }
        if (this.#lastError === undefined) {
          logger.warn(
            { table, reason: message },
            'the telemetry store takes no data; the write-ahead log keeps it',
          );
        }
        this.#lastError = message;
      }
      await this.#pause(backoffMs(failures, BACKOFF));
      failures += 1;
    }
    return 'closed';
  }

  async #quarantine(table: string, items: readonly Item[]): Promise<void> {
    for (const { seq, tenant, timeMs, segment, block } of items) {
      const bytes = await readBlock({ segment, block });
      const file = await setAside(this.#options.dir, { seq, table, tenant, timeMs, rows: block.rows, bytes });
      this.#options.logger.error(
        { table, rows: block.rows, file, tenant },
        'a request that the store cannot take was set aside',
      );
      this.#options.onQuarantine({ table, rows: block.rows, file });
    }
  }

  async #finish(group: Group): Promise<void> {
    const { state, durableBelow } = this.#options;
    await state.finish();
    for (const items of group.tables.values()) {
      for (const { seq, block } of items) {
        if (seq < this.#firstLiveSeq) continue;
        this.#pendingRows -= block.rows;
        this.#pendingBytes -= block.length;
      }
    }
    const empty = state.done >= durableBelow() - 1;
    if (empty) {
      // Also what was counted of requests that damage took out of the log.
      this.#pendingRows = 0;
      this.#pendingBytes = 0;
    }
    this.#lingerSince = empty ? undefined : performance.now();
    await this.#release();
  }

  /** Forgets what is in the store and deletes the segments that hold nothing else. */
  async #release(): Promise<void> {
    const { segments, state, durableBelow, beforeDelete } = this.#options;
    segments.forget(state.done);
    while (true) {
      const oldest = segments.list[0];
      if (oldest === undefined || !oldest.sealed) return;
      const lastSeq = (segments.list[1]?.firstSeq ?? durableBelow()) - 1;
      if (lastSeq > state.done) return;
      await beforeDelete(oldest);
      await segments.deleteOldest();
    }
  }

  async #pause(ms: number): Promise<void> {
    if (this.#closing) return;
    await sleep(ms * (0.75 + Math.random() / 2), (wake) => {
      this.#wakePause = wake;
    });
    this.#wakePause = undefined;
  }

  async #linger(ms: number | undefined): Promise<void> {
    if (this.#closing) return;
    await sleep(ms, (wake) => {
      this.#wakeLinger = wake;
    });
    this.#wakeLinger = undefined;
  }
}

/** Sleeps until `ms` passed or the function handed to `arm` is called. */
function sleep(ms: number | undefined, arm: (wake: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
    arm(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
