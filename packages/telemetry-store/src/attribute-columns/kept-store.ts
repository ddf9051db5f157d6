import type { TelemetryStore } from '../client/types.ts';
import type { Statement } from './statements.ts';

/** The store as the keeping of columns uses it: nothing is asked of it any more once that has ended. */
export class KeptStore {
  readonly #store: Pick<TelemetryStore, 'select' | 'command'>;
  readonly #ended: AbortSignal;

  constructor(store: Pick<TelemetryStore, 'select' | 'command'>, ended: AbortSignal) {
    this.#store = store;
    this.#ended = ended;
  }

  get hasEnded(): boolean {
    return this.#ended.aborted;
  }

  select<T>(sql: string, params: Record<string, unknown> = {}): Promise<T[]> {
    return this.#store.select<T>(sql, params, { signal: this.#ended });
  }

  async run({ sql, params }: Statement): Promise<void> {
    await this.#store.command(sql, params, { signal: this.#ended });
  }
}
