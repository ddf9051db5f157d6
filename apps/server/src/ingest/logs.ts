import { EventEmitter } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, DEFAULT_DATABASE_CONFIG_ID, type Logger } from '@candela/kernel';
import {
  type IngestLog,
  type IngestLogEvents,
  type IngestLogOptions,
  type IngestLogStats,
  openIngestLog,
} from '@candela/telemetry-store';

export interface IngestLogsParts {
  /** Of the built-in configuration. */
  readonly dir: string;
  /** The others have a directory each below this one, named by their id. */
  readonly othersDir: string;
  /** Where the groups of a configuration go. */
  readonly sinkOf: (databaseConfigId: string) => IngestLogOptions['store'];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly capBytes: number;
  readonly minFreeDiskPercent: number;
  /** For tests: anything else of the logs. */
  readonly log?: Partial<IngestLogOptions>;
  /** Time without a request after which an empty log is closed, milliseconds. */
  readonly idleMs?: number;
}

/** What may stand as a directory name. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const IDLE_MS = 600_000;
const SWEEP_MS = 60_000;

interface Held {
  readonly log: IngestLog;
  busy: number;
  usedAt: number;
  closing?: Promise<void>;
}

/**
 * A write-ahead log for each database configuration: what was acknowledged for one is carried into that one, also after
 * a restart and whatever is bound by then. One store that is away holds up no other.
 */
export class IngestLogs extends EventEmitter<IngestLogEvents> {
  readonly #parts: IngestLogsParts;
  readonly #idleMs: number;
  readonly #held = new Map<string, Promise<Held>>();
  /** Those that stand open, for whoever only looks. */
  readonly #open = new Map<string, Held>();
  readonly #timer: NodeJS.Timeout;

  private constructor(parts: IngestLogsParts) {
    super();
    this.#parts = parts;
    this.#idleMs = parts.idleMs ?? IDLE_MS;
    this.#timer = setInterval(() => void this.#sweep(), Math.min(SWEEP_MS, this.#idleMs));
    this.#timer.unref();
  }

  /** Opens the built-in log and each one that was left behind, and starts carrying what is in them. */
  static async open(parts: IngestLogsParts): Promise<IngestLogs> {
    const logs = new IngestLogs(parts);
    try {
      await logs.#take(DEFAULT_DATABASE_CONFIG_ID);
      const left = existsSync(parts.othersDir) ? readdirSync(parts.othersDir) : [];
      for (const id of left) if (ID.test(id)) await logs.#take(id);
      return logs;
    } catch (thrown) {
      await logs.close();
      throw thrown;
    }
  }

  /** Makes a request durable for a configuration: see {@link IngestLog.append}. */
  async append(
    databaseConfigId: string,
    request: Parameters<IngestLog['append']>[0],
  ): Promise<{ duplicate: boolean }> {
    let held = await this.#take(databaseConfigId);
    // It was just found idle.
    while (held.closing !== undefined) {
      await held.closing;
      held = await this.#take(databaseConfigId);
    }
    held.busy += 1;
    try {
      return await held.log.append(request);
    } finally {
      held.busy -= 1;
      held.usedAt = this.#parts.clock.now();
    }
  }

  /**
   * Throws what `append` would throw for every configuration: lets a receiver refuse before it reads a body. While one of
   * them takes data, which one a request is for has to be known first.
   */
  assertAccepting(): void {
    let refusal: unknown;
    for (const { log } of this.#open.values()) {
      try {
        log.assertAccepting();
        return;
      } catch (thrown) {
        refusal ??= thrown;
      }
    }
    if (refusal !== undefined) throw refusal;
  }

  /** All logs together; the oldest waiting request and the fullest log count for all. */
  stats(): IngestLogStats {
    const all = [...this.#open.values()].map(({ log }) => log.stats());
    const sum = (pick: (stats: IngestLogStats) => number) => all.reduce((total, one) => total + pick(one), 0);
    const most = (pick: (stats: IngestLogStats) => number) => Math.max(0, ...all.map(pick));
    return {
      logBytes: sum((one) => one.logBytes),
      capBytes: sum((one) => one.capBytes),
      segments: sum((one) => one.segments),
      backlogRequests: sum((one) => one.backlogRequests),
      backlogBytes: sum((one) => one.backlogBytes),
      oldestAgeMs: most((one) => one.oldestAgeMs),
      queuedBytes: sum((one) => one.queuedBytes),
      freeDiskPercent: Math.min(100, ...all.map((one) => one.freeDiskPercent)),
      duplicates: sum((one) => one.duplicates),
      rememberedHashes: sum((one) => one.rememberedHashes),
      quarantinedSegments: sum((one) => one.quarantinedSegments),
      quarantinedRequests: sum((one) => one.quarantinedRequests),
    };
  }

  health(): ReturnType<IngestLog['health']> {
    const reasons = [...this.#open].flatMap(([id, { log }]) => {
      const { logBytes, capBytes } = log.stats();
      const said = [...log.health().reasons];
      if (id === DEFAULT_DATABASE_CONFIG_ID) return said;
      if (logBytes > capBytes * 0.8) said.push('the write-ahead log is nearly at its cap');
      return said.map((reason) => `database configuration ${id}: ${reason}`);
    });
    return { state: reasons.length === 0 ? 'ok' : 'degraded', reasons };
  }

  /** Acknowledged requests of a configuration that are not in its store yet. */
  backlogOf(databaseConfigId: string): number {
    return this.#open.get(databaseConfigId)?.log.stats().backlogRequests ?? 0;
  }

  /** Waits until everything acknowledged so far is in its store; false when the time passed first. */
  async flush(timeoutMs: number): Promise<boolean> {
    const done = await Promise.all([...this.#open.values()].map(({ log }) => log.flush(timeoutMs)));
    return done.every(Boolean);
  }

  /**
   * Stores what is acknowledged so far, then nothing until the answer is called; requests are acknowledged meanwhile. Undefined
   * when `timeoutMs` passed first, as where a store is away.
   */
  async hold(timeoutMs: number): Promise<(() => void) | undefined> {
    if (!(await this.flush(timeoutMs))) return undefined;
    const held = await Promise.all([...this.#open.values()].map(({ log }) => log.hold(timeoutMs)));
    const release = (): void => {
      for (const one of held) one?.();
    };
    if (held.every((one) => one !== undefined)) return release;
    release();
    return undefined;
  }

  /** Closes an empty log and removes its directory: its configuration is deleted. */
  async remove(databaseConfigId: string): Promise<void> {
    await this.#let(databaseConfigId);
    await rm(this.#dirOf(databaseConfigId), { recursive: true, force: true });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#held.keys()].map((id) => this.#let(id)));
  }

  #dirOf(id: string): string {
    if (!ID.test(id)) throw new RangeError(`${JSON.stringify(id)} is no id of a database configuration`);
    return id === DEFAULT_DATABASE_CONFIG_ID ? this.#parts.dir : join(this.#parts.othersDir, id);
  }

  #take(id: string): Promise<Held> {
    const held = this.#held.get(id);
    if (held !== undefined) return held;
    const opened = this.#openLog(id);
    this.#held.set(id, opened);
    opened.catch(() => this.#held.delete(id));
    return opened;
  }

  async #openLog(id: string): Promise<Held> {
    const { sinkOf, clock, logger, capBytes, minFreeDiskPercent } = this.#parts;
    const log = await openIngestLog({
      dir: this.#dirOf(id),
      store: sinkOf(id),
      clock,
      logger,
      capBytes,
      minFreeDiskPercent,
      ...this.#parts.log,
    });
    log.on('group', (group) => this.emit('group', group));
    log.on('quarantined', (entry) => this.emit('quarantined', entry));
    const held: Held = { log, busy: 0, usedAt: clock.now() };
    this.#open.set(id, held);
    return held;
  }

  /** Closes a log; until it is closed nobody opens it again. */
  async #let(id: string): Promise<void> {
    const held = await this.#held.get(id)?.catch(() => undefined);
    if (held === undefined) return;
    held.closing ??= held.log.close().finally(() => {
      this.#open.delete(id);
      this.#held.delete(id);
    });
    await held.closing;
  }

  async #sweep(): Promise<void> {
    const now = this.#parts.clock.now();
    for (const [id, { log, busy, usedAt }] of this.#open) {
      if (id === DEFAULT_DATABASE_CONFIG_ID || busy > 0 || now - usedAt < this.#idleMs) continue;
      if (log.stats().backlogRequests === 0) await this.#let(id);
    }
  }
}
