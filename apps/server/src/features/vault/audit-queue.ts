import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RequestContext } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import { type AuditActor, type AuditEntry, record } from '../audit/service.ts';

/** Rows of one transaction. */
const AT_ONCE = 200;
/** Turns of the event loop without another row, after which those that are there are written. */
const QUIET_TURNS = 3;

interface Waiting {
  readonly actor: AuditActor | RequestContext;
  readonly entry: AuditEntry;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Writes rows of the audit log that nothing else is written with: those that come while one transaction is on its way
 * to the disk share the next one. `write` resolves when the row is kept, and rejects when it could not be: what it
 * stands for must not happen then.
 */
export class AuditQueue {
  readonly #metadata: Pick<MetadataStore, 'change'>;
  readonly #waiting: Waiting[] = [];
  #writing = false;

  constructor(metadata: Pick<MetadataStore, 'change'>) {
    this.#metadata = metadata;
  }

  write(actor: AuditActor | RequestContext, entry: AuditEntry): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ actor, entry, done, failed });
      void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    if (this.#writing) return;
    this.#writing = true;
    try {
      while (this.#waiting.length > 0) {
        await this.#gather();
        await this.#flush(this.#waiting.splice(0, AT_ONCE));
      }
    } finally {
      this.#writing = false;
    }
  }

  /**
   * Lets the requests that have arrived come this far. A file is written without giving others a turn, so that each would
   * otherwise wait for a disk of its own.
   */
  async #gather(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS && this.#waiting.length < AT_ONCE; quiet += 1) {
      const before = this.#waiting.length;
      await nextTurn();
      if (this.#waiting.length > before) quiet = -1;
    }
  }

  async #flush(batch: readonly Waiting[]): Promise<void> {
    try {
      await this.#metadata.change(undefined, async (repositories) => {
        for (const { actor, entry } of batch) await record(repositories, actor, entry);
      });
    } catch (error) {
      for (const { failed } of batch) failed(error);
      return;
    }
    for (const { done } of batch) done();
  }
}
