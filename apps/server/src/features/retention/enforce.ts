import type { Clock, Logger } from '@candela/kernel';
import { type PruneInput, pruneProject, type TelemetryStore } from '@candela/telemetry-store';
import type { RetentionChoices } from './service.ts';

export interface EnforceParts {
  readonly choices: Pick<RetentionChoices, 'all'>;
  /** Configurations that records of a project may be in. */
  readonly configsOf: (projectId: string) => Promise<Iterable<string>>;
  readonly use: <T>(id: string, projectId: string, work: (store: TelemetryStore) => Promise<T>) => Promise<T>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const EVERY_MS = 3_600_000;

/**
 * Deletes what projects keep longer than they chose, at the start, every hour and when it is asked for; one after
 * another. What was stored with fewer days needs nothing: the tables drop it by themselves.
 */
export class RetentionKeeper {
  readonly #parts: EnforceParts;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | undefined;
  #again = false;
  readonly #stopped = new AbortController();

  constructor(parts: EnforceParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.wake(), EVERY_MS);
    this.#timer.unref();
    this.wake();
  }

  /** Begins now; under way already, it runs once more afterwards. */
  wake(): void {
    this.#again = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Waits for no deletion under way: the engine goes on with it, and the next start with the rest. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    clearInterval(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    const { choices, configsOf } = this.#parts;
    while (this.#again && !this.#stopped.signal.aborted) {
      this.#again = false;
      for (const { projectId, signal, days } of choices.all()) {
        if (this.#stopped.signal.aborted) return;
        try {
          for (const id of await configsOf(projectId)) await this.#prune(id, { projectId, signal, days });
        } catch (thrown) {
          this.#failed(thrown, { projectId, signal });
        }
      }
    }
  }

  /** One database at a time: one that is away keeps nothing longer in the others. */
  async #prune(id: string, of: Omit<PruneInput, 'now' | 'abort'>): Promise<void> {
    const { use, clock, logger } = this.#parts;
    try {
      const input = { ...of, now: clock.now(), abort: this.#stopped.signal };
      const partitions = await use(id, of.projectId, (store) => pruneProject(store, input));
      if (partitions > 0) logger.info({ ...of, partitions }, 'older records deleted');
    } catch (thrown) {
      this.#failed(thrown, { ...of, connector: id });
    }
  }

  #failed(thrown: unknown, about: object): void {
    if (this.#stopped.signal.aborted) return;
    this.#parts.logger.warn(
      { err: thrown, ...about },
      'older records could not be deleted; tried again later',
    );
  }
}
