import type { Clock } from '@candela/kernel';

/** How many minutes are remembered. */
const REMEMBERED_MINUTES = 60;
const MINUTE_MS = 60_000;

export interface MinuteCounts {
  accepted: number;
  rejected: number;
  /** Whole requests. */
  refused: number;
}

export interface Minute extends Readonly<MinuteCounts> {
  /** Its start, milliseconds since the epoch. */
  readonly startMs: number;
}

/** Counts of each of the last sixty minutes, in a ring. */
export class Minutes {
  readonly #clock: Clock;
  readonly #ring = new Map<number, MinuteCounts>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(counts: MinuteCounts): void {
    const now = Math.floor(this.#clock.now() / MINUTE_MS);
    const known = this.#ring.get(now);
    if (known === undefined) {
      this.#ring.set(now, { ...counts });
      for (const minute of this.#ring.keys()) {
        // Also those of a clock that has since gone back.
        if (minute <= now - REMEMBERED_MINUTES || minute > now) this.#ring.delete(minute);
      }
      return;
    }
    known.accepted += counts.accepted;
    known.rejected += counts.rejected;
    known.refused += counts.refused;
  }

  /** Every remembered minute, oldest first, the quiet ones too. */
  list(): Minute[] {
    const now = Math.floor(this.#clock.now() / MINUTE_MS);
    return Array.from({ length: REMEMBERED_MINUTES }, (_, index) => {
      const minute = now - REMEMBERED_MINUTES + 1 + index;
      const counts = this.#ring.get(minute) ?? { accepted: 0, rejected: 0, refused: 0 };
      return { startMs: minute * MINUTE_MS, ...counts };
    });
  }
}
