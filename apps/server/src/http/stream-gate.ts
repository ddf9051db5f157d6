import { fail } from '@candela/kernel';

/** Bounds how many streams are open, in all and for one client, and ends them when the platform stops. */
export class StreamGate {
  readonly #limits: { readonly total: number; readonly perClient: number };
  readonly #open = new Map<string, number>();
  readonly #stop = new AbortController();
  #total = 0;

  constructor(limits: { readonly total: number; readonly perClient: number }) {
    this.#limits = limits;
  }

  /** Fires when the platform stops. */
  get stopping(): AbortSignal {
    return this.#stop.signal;
  }

  get open(): number {
    return this.#total;
  }

  /** Counts one stream of that client; call what it returns when it ended. @throws too_many_streams, shutting_down */
  enter(client: string): () => void {
    if (this.#stop.signal.aborted) throw fail('shutting_down');
    const own = this.#open.get(client) ?? 0;
    if (own >= this.#limits.perClient) {
      throw fail('too_many_streams', { limit: this.#limits.perClient, where: 'for this client' });
    }
    if (this.#total >= this.#limits.total) {
      throw fail('too_many_streams', { limit: this.#limits.total, where: 'on this platform' });
    }
    this.#open.set(client, own + 1);
    this.#total += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#total -= 1;
      const now = (this.#open.get(client) ?? 1) - 1;
      if (now > 0) this.#open.set(client, now);
      else this.#open.delete(client);
    };
  }

  /** No new streams; those that are open end. */
  close(): void {
    this.#stop.abort(fail('shutting_down'));
  }
}
