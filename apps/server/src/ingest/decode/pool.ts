import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { backoffMs, CandelaError, fail, type Logger } from '@candela/kernel';
import { DEFAULT_LIMITS } from '@candela/otlp';
import { createModelCallRegistry } from '@candela/telemetry-store/encode';
import type { Decoded, DecodeJob, JobMessage, WorkerMessage, WorkerSetup } from './protocol.ts';

export interface DecodePoolOptions {
  readonly logger: Logger;
  readonly maxBytes: number;
  readonly workers: number | undefined;
  readonly deadlineMs: number;
  /** Told when a worker died or was stopped. */
  readonly onWorkerLost: () => void;
}

interface Pending {
  readonly job: JobMessage;
  readonly resolve: (decoded: Decoded) => void;
  readonly reject: (error: Error) => void;
}

interface Slot {
  worker: Worker;
  ready: boolean;
  /** Its worker is gone and the next one not there yet; the old one's last events are not another loss. */
  lost: boolean;
  /** In the order given to the worker; the first is under way since `headSince`. */
  readonly given: Pending[];
  headSince: number;
  failures: number;
}

/** Jobs at a worker at once: one under way, the next already there when it ends. */
const DEPTH = 2;
const CHECK_MS = 500;
const OLD_SPACE_MIB = 768;
const MAX_RESTART_DELAY_MS = 5_000;

/**
 * Worker threads that turn bodies into columns. A worker that dies or exceeds the deadline is replaced; its jobs are
 * answered `overloaded`, so that senders keep the data and try again.
 */
export class DecodePool {
  readonly #options: DecodePoolOptions;
  readonly #setup: WorkerSetup;
  readonly #slots: Slot[] = [];
  readonly #queue: Pending[] = [];
  readonly #timer: NodeJS.Timeout;
  #nextId = 1;
  #closed = false;

  constructor(options: DecodePoolOptions) {
    this.#options = options;
    this.#setup = {
      limits: DEFAULT_LIMITS,
      modelCalls: createModelCallRegistry(),
      maxBytes: options.maxBytes,
    };
    const count = options.workers ?? Math.max(1, Math.floor(availableParallelism() / 2));
    for (let index = 0; index < count; index += 1) {
      const slot: Slot = {
        worker: this.#spawn(),
        ready: false,
        lost: false,
        given: [],
        headSince: 0,
        failures: 0,
      };
      this.#slots.push(slot);
      this.#listen(slot);
    }
    this.#timer = setInterval(() => this.#checkDeadlines(), CHECK_MS);
    this.#timer.unref();
  }

  /** Jobs that wait for a worker. */
  get queued(): number {
    return this.#queue.length;
  }

  /** Decodes one body, which is transferred away. Rejects with the typed error of the decoder. */
  run(job: DecodeJob): Promise<Decoded> {
    if (this.#closed) return Promise.reject(fail('shutting_down'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ job: { ...job, id: this.#nextId++ }, resolve, reject });
      this.#dispatch();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const pending of this.#queue.splice(0)) pending.reject(fail('shutting_down'));
    await Promise.all(
      this.#slots.map(async (slot) => {
        for (const pending of slot.given.splice(0)) pending.reject(fail('shutting_down'));
        await slot.worker.terminate();
      }),
    );
  }

  #spawn(): Worker {
    return new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: this.#setup,
      resourceLimits: { maxOldGenerationSizeMb: OLD_SPACE_MIB },
      name: 'decode',
    });
  }

  #listen(slot: Slot): void {
    const { worker } = slot;
    worker.on('message', (message: WorkerMessage) => {
      if (slot.worker === worker) this.#receive(slot, message);
    });
    worker.on('error', (thrown) =>
      this.#lost(slot, worker, thrown instanceof Error ? thrown : new Error(String(thrown))),
    );
    worker.on('exit', (code) => this.#lost(slot, worker, new Error(`the worker ended with code ${code}`)));
  }

  #receive(slot: Slot, message: WorkerMessage): void {
    if (message.kind === 'ready') {
      slot.ready = true;
      slot.headSince = performance.now();
      this.#dispatch();
      return;
    }
    const pending = slot.given.shift();
    slot.headSince = performance.now();
    slot.failures = 0;
    this.#dispatch();
    if (pending === undefined || pending.job.id !== message.id) return;
    if (message.kind === 'done') {
      pending.resolve(message.decoded);
      return;
    }
    if (message.stack !== undefined) {
      const { signal, format } = pending.job;
      this.#options.logger.error({ stack: message.stack, signal, format }, 'decoding failed unexpectedly');
    }
    pending.reject(new CandelaError(message.code, message.message));
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      let best: Slot | undefined;
      for (const slot of this.#slots) {
        if (
          slot.ready &&
          slot.given.length < DEPTH &&
          (best === undefined || slot.given.length < best.given.length)
        ) {
          best = slot;
        }
      }
      const pending = best === undefined ? undefined : this.#queue.shift();
      if (best === undefined || pending === undefined) return;
      if (best.given.length === 0) best.headSince = performance.now();
      best.given.push(pending);
      best.worker.postMessage(pending.job, [pending.job.body.buffer]);
    }
  }

  #lost(slot: Slot, worker: Worker, error: Error): void {
    if (slot.worker !== worker || slot.lost || this.#closed) return;
    this.#options.logger.error(
      { err: error, jobs: slot.given.length },
      'a decode worker was lost; a new one takes its place',
    );
    this.#options.onWorkerLost();
    for (const pending of slot.given.splice(0)) {
      pending.reject(
        fail('overloaded', { detail: 'The request could not be decoded in time. Send smaller batches.' }),
      );
    }
    slot.ready = false;
    slot.lost = true;
    slot.failures += 1;
    const replace = (): void => {
      if (this.#closed) return;
      slot.lost = false;
      slot.worker = this.#spawn();
      this.#listen(slot);
    };
    // A worker that cannot even start must not spin.
    const delay =
      slot.failures <= 1 ? 0 : backoffMs(slot.failures, { firstMs: 100, maxMs: MAX_RESTART_DELAY_MS });
    if (delay === 0) replace();
    else setTimeout(replace, delay).unref();
  }

  #checkDeadlines(): void {
    const now = performance.now();
    for (const slot of this.#slots) {
      if (!slot.ready || slot.given.length === 0 || now - slot.headSince < this.#options.deadlineMs) continue;
      const { worker } = slot;
      this.#lost(
        slot,
        worker,
        new Error(`a request took longer than ${this.#options.deadlineMs} ms to decode`),
      );
      void worker.terminate();
    }
  }
}
