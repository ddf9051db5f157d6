import type { Clock, Logger } from '@candela/kernel';
import { pruneProject, type TelemetryStore } from '@candela/telemetry-store';
import type { RetentionChoices } from './service.ts';

export interface EnforceParts {
  readonly choices: RetentionChoices;
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
  #stopped = false;

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

  /** Ends after the table under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    const { choices, configsOf, use, clock, logger } = this.#parts;
    while (this.#again && !this.#stopped) {
      this.#again = false;
      for (const { projectId, signal, days } of choices.all()) {
        if (this.#stopped) return;
        try {
          for (const id of await configsOf(projectId)) {
            const input = { projectId, signal, days, now: clock.now() };
            const partitions = await use(id, projectId, (store) => pruneProject(store, input));
            if (partitions > 0) logger.info({ projectId, signal, days, partitions }, 'older records deleted');
          }
        } catch (thrown) {
          logger.warn(
            { err: thrown, projectId, signal },
            'older records could not be deleted; tried again later',
          );
        }
      }
    }
  }
}
