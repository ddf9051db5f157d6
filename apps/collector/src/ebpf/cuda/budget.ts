/** What a process may have spent at once before probes are taken out, in seconds of its time. */
const BURST_SECONDS = 0.05;
/** What it must have saved up before they are put back: as much as a second brings. */
const RESUME_AFTER_SECONDS = 1;

/**
 * Keeps what probes cost the traced programs within a share of their time. Every process has an account that fills by
 * `share` and is emptied by what its hits cost. When one is overdrawn the probes are taken out until it has recovered.
 */
export class ProbeBudget {
  readonly #share: number;
  readonly #accounts = new Map<number, { hits: number; balance: number }>();
  #exhausted = false;

  /** `share` of a thread's time that may be spent; from 1 on nothing is ever taken out. */
  constructor(share: number) {
    this.#share = share;
  }

  /** Whether probes have to be out now. */
  get exhausted(): boolean {
    return this.#exhausted;
  }

  /** Enters the hits that each process has had in all, `seconds` after the last time. `cost`: seconds a hit. */
  enter(seconds: number, cost: number, hitsOf: Iterable<readonly [pid: number, hits: number]>): void {
    if (this.#share >= 1) return;
    const present = new Set<number>();
    for (const [pid, hits] of hitsOf) {
      present.add(pid);
      const account = this.#accounts.get(pid) ?? { hits, balance: BURST_SECONDS };
      this.#accounts.set(pid, account);
      account.balance += seconds * this.#share - Math.max(0, hits - account.hits) * cost;
      account.balance = Math.min(account.balance, BURST_SECONDS);
      account.hits = hits;
    }
    for (const pid of this.#accounts.keys()) if (!present.has(pid)) this.#accounts.delete(pid);
    const least = Math.min(BURST_SECONDS, ...[...this.#accounts.values()].map(({ balance }) => balance));
    const enough = Math.min(BURST_SECONDS, this.#share * RESUME_AFTER_SECONDS);
    this.#exhausted = this.#exhausted ? least < enough : least < 0;
  }
}
