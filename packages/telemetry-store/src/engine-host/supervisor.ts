import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { backoffMs, type Logger } from '@candela/kernel';
import { defaultCaps } from './default-caps.ts';
import { isAlive, readOwner } from './owner.ts';
import { probe } from './probe.ts';
import {
  CONCURRENT_INSERTS,
  type EngineCaps,
  type HostMessage,
  type HostOptions,
  OUTBOX_DIR,
  type Owner,
  socketOutside,
} from './protocol.ts';

export type EngineState = 'starting' | 'ready' | 'down';

export interface SupervisorOptions {
  /** The platform's data directory; the engine lives in `engine/` below it. */
  readonly dataDir: string;
  readonly logger: Logger;
  readonly caps?: Partial<EngineCaps>;
  readonly timing?: Partial<SupervisorTiming>;
  /** Seconds a statement may run beyond its own bound before the host ends itself. */
  readonly stuckGraceSeconds?: number;
}

export interface SupervisorTiming {
  /** How often the engine is asked whether it lives, and how long it may think. */
  readonly probeEveryMs: number;
  readonly probeLimitMs: number;
  /** A host that is not ready after this is killed. */
  readonly startLimitMs: number;
  /** First and longest pause before a restart; doubles in between. */
  readonly backOffMinMs: number;
  readonly backOffMaxMs: number;
  /** How long to wait for a dying predecessor to let go of the directory. */
  readonly lockWaitMs: number;
  /** How long `close` waits for statements in flight. */
  readonly closeLimitMs: number;
}

const DEFAULT_TIMING: SupervisorTiming = {
  probeEveryMs: 2_000,
  probeLimitMs: 15_000,
  startLimitMs: 60_000,
  backOffMinMs: 100,
  backOffMaxMs: 10_000,
  lockWaitMs: 8_000,
  closeLimitMs: 20_000,
};

const DEFAULT_STUCK_GRACE_SECONDS = 20;

/** Healthy for this long, the next crash starts from the shortest pause again. */
const FORGIVE_AFTER_MS = 60_000;
/** A Unix socket's path has 107 bytes on Linux. */
const LONGEST_SOCKET_PATH = 100;

/** Another process has the data directory open. The message names the directory and, when known, the process. */
export class DirectoryLockedError extends Error {
  override readonly name = 'DirectoryLockedError';
}

/** Starts the engine host, watches it, starts it again when it ends or hangs. Emits `state` on every change. */
export class EngineSupervisor extends EventEmitter<{ state: [EngineState] }> {
  readonly socketPath: string;
  /** Where to leave the data of inserts, see the protocol. */
  readonly outboxDir: string;
  readonly #engineDir: string;
  readonly #logger: Logger;
  readonly #caps: EngineCaps;
  readonly #timing: SupervisorTiming;
  readonly #stuckGraceSeconds: number;
  #child: ChildProcess | undefined;
  #state: EngineState = 'starting';
  #restarts = 0;
  #version = '';
  #closing = false;
  #failuresInRow = 0;
  #everReady = false;
  #readySince = 0;
  #probeTimer: NodeJS.Timeout | undefined;
  #revive: Promise<void> | undefined;

  constructor(options: SupervisorOptions) {
    super();
    this.#engineDir = resolve(options.dataDir, 'engine');
    this.outboxDir = join(this.#engineDir, OUTBOX_DIR);
    this.#logger = options.logger;
    this.#caps = { ...defaultCaps(), ...options.caps };
    this.#timing = { ...DEFAULT_TIMING, ...options.timing };
    this.#stuckGraceSeconds = options.stuckGraceSeconds ?? DEFAULT_STUCK_GRACE_SECONDS;
    const inside = join(this.#engineDir, 'engine.sock');
    this.socketPath =
      Buffer.byteLength(inside) <= LONGEST_SOCKET_PATH ? inside : join(tmpdir(), socketOutside());
  }

  get state(): EngineState {
    return this.#state;
  }
  get restarts(): number {
    return this.#restarts;
  }
  get version(): string {
    return this.#version;
  }
  /** Process id of the host, while one runs. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** First start. Rejects with {@link DirectoryLockedError} or with what the engine said. */
  async start(): Promise<void> {
    mkdirSync(this.#engineDir, { recursive: true, mode: 0o700 });
    const giveUp = Date.now() + this.#timing.lockWaitMs;
    for (;;) {
      const failure = await this.#spawn();
      if (failure === undefined) break;
      if (failure.reason !== 'locked') throw new Error(`The engine did not start: ${failure.message}`);
      // An orphan of a killed server is dying; a host whose parent lives is somebody else's.
      const owner = readOwner(this.#engineDir);
      const foreign = owner !== undefined && isAlive(owner.parentPid) && owner.parentPid !== process.pid;
      if (foreign || Date.now() > giveUp) throw this.#lockedError(owner);
      await sleep(150);
    }
    // The directory is ours now: what a killed predecessor left was never acknowledged.
    rmSync(this.outboxDir, { recursive: true, force: true });
    mkdirSync(this.outboxDir, { mode: 0o700 });
  }

  /** Ends the engine at once, and resolves when it is there again, or is closed meanwhile. Statements under way fail. */
  async restart(): Promise<void> {
    if (this.#closing) return;
    const there = new Promise<void>((done) => {
      const look = (state: EngineState): void => {
        if (state !== 'ready' && !this.#closing) return;
        this.off('state', look);
        done();
      };
      this.on('state', look);
    });
    this.#child?.kill('SIGKILL');
    await there;
  }

  /** Lets statements in flight end, then stops the host for good. */
  async close(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#probeTimer);
    await this.#revive;
    const child = this.#child;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const gone = new Promise<void>((done) => child.once('exit', () => done()));
      child.send('stop', () => {});
      const timer = setTimeout(() => child.kill('SIGKILL'), this.#timing.closeLimitMs);
      await gone;
      clearTimeout(timer);
    }
    this.#setState('down');
  }

  #setState(state: EngineState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.emit('state', state);
  }

  /** One start; resolves with undefined when ready, else with why not. */
  async #spawn(): Promise<{ reason: 'locked' | 'error'; message: string } | undefined> {
    this.#setState('starting');
    const hostOptions: HostOptions = {
      engineDir: this.#engineDir,
      socketPath: this.socketPath,
      caps: this.#caps,
      stuckGraceSeconds: this.#stuckGraceSeconds,
    };
    // The folder of this version of Node below that of the variable.
    const compiled = getCompileCacheDir();
    const child = fork(fileURLToPath(new URL('./main.ts', import.meta.url)), [JSON.stringify(hostOptions)], {
      cwd: this.#engineDir,
      // Nothing secret reaches the engine: no keys, no proxies, no home. Threads: each running statement holds one.
      env: {
        ...(compiled && { NODE_COMPILE_CACHE: dirname(compiled) }),
        UV_THREADPOOL_SIZE: String(this.#caps.concurrentQueries + CONCURRENT_INSERTS + 4),
        TZ: 'UTC',
      },
      // The threads of the runtime itself have nearly nothing to do here, and each holds memory.
      execArgv: ['--max-old-space-size=256', '--max-semi-space-size=1', '--v8-pool-size=1'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child = child;
    const lastLines: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        lastLines.push(line);
        if (lastLines.length > 20) lastLines.shift();
        this.#logger.warn({ component: 'engine', line: line.slice(0, 2_000) }, 'engine output');
      });
    }
    const closed = new Promise<void>((done) => child.once('close', () => done()));
    const outcome = await new Promise<HostMessage>((done) => {
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        done({ kind: 'failed', message: 'the engine was not ready in time' });
      }, this.#timing.startLimitMs);
      child.once('message', (message) => {
        clearTimeout(timer);
        done(message as HostMessage);
      });
      child.once('exit', (code, signal) => {
        clearTimeout(timer);
        const how = signal ?? `code ${code}`;
        done({ kind: 'failed', message: `ended with ${how}` });
      });
      child.once('error', (error) => {
        clearTimeout(timer);
        done({ kind: 'failed', message: error.message });
      });
    });
    if (outcome.kind === 'failed') {
      child.kill('SIGKILL');
      this.#child = undefined;
      await closed;
      // The library keeps its reason to itself and prints it.
      const locked = lastLines.some((line) => line.includes('Cannot lock file'));
      const message = [outcome.message, ...lastLines].join('\n');
      return { reason: locked ? 'locked' : 'error', message };
    }
    this.#version = outcome.version;
    this.#readySince = Date.now();
    // The first start of it is part of every start; one that replaces a crashed engine is news.
    const level = this.#everReady ? 'info' : 'debug';
    this.#everReady = true;
    this.#logger[level](
      { component: 'engine', pid: child.pid, version: outcome.version, openMs: outcome.openMs },
      'engine ready',
    );
    if (child.exitCode === null && child.signalCode === null) {
      child.once('exit', (code, signal) => this.#onExit(child, code, signal));
      this.#setState('ready');
      this.#scheduleProbe(child);
    } else {
      this.#onExit(child, child.exitCode, child.signalCode);
    }
    return undefined;
  }

  #onExit(child: ChildProcess, code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#child === child) this.#child = undefined;
    clearTimeout(this.#probeTimer);
    if (this.#closing) return;
    this.#logger.error({ component: 'engine', code, signal }, 'engine ended; restarting it');
    if (Date.now() - this.#readySince > FORGIVE_AFTER_MS) this.#failuresInRow = 0;
    this.#setState('down');
    this.#revive ??= this.#restart().finally(() => {
      this.#revive = undefined;
    });
  }

  async #restart(): Promise<void> {
    while (!this.#closing) {
      const pause = backoffMs(this.#failuresInRow, {
        firstMs: this.#timing.backOffMinMs,
        maxMs: this.#timing.backOffMaxMs,
      });
      this.#failuresInRow += 1;
      this.#restarts += 1;
      await sleep(pause);
      if (this.#closing) return;
      // Some refusals of the system (no memory for another process) are thrown instead of told as events.
      const failure = await this.#spawn().catch((thrown: unknown) => ({
        reason: 'error' as const,
        message: thrown instanceof Error ? thrown.message : String(thrown),
      }));
      if (failure === undefined) return;
      this.#setState('down');
      this.#logger.error(
        { component: 'engine', reason: failure.reason, detail: failure.message },
        'engine did not start',
      );
    }
  }

  #scheduleProbe(child: ChildProcess): void {
    this.#probeTimer = setTimeout(async () => {
      const answered = await probe(this.socketPath, this.#timing.probeLimitMs);
      if (this.#child !== child || this.#closing) return;
      if (!answered) {
        this.#logger.error({ component: 'engine', pid: child.pid }, 'engine does not answer; killing it');
        child.kill('SIGKILL');
        return;
      }
      this.#scheduleProbe(child);
    }, this.#timing.probeEveryMs);
    this.#probeTimer.unref();
  }

  #lockedError(owner: Owner | undefined): DirectoryLockedError {
    const who = owner === undefined ? 'another process' : `the process ${owner.parentPid}`;
    return new DirectoryLockedError(
      `The data directory ${resolve(this.#engineDir, '..')} is in use by ${who}. Stop it, or start with another data directory.`,
    );
  }
}
