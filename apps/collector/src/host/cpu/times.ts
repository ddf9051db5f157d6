/** In what order a reading has its times, by `cpu.mode` of the semantic conventions. */
export const CPU_MODES = ['user', 'nice', 'system', 'idle', 'iowait', 'interrupt', 'steal'] as const;
export type CpuMode = (typeof CPU_MODES)[number];

const IDLE = CPU_MODES.indexOf('idle');
const IOWAIT = CPU_MODES.indexOf('iowait');

/** What one logical CPU has done since the start of the system. */
export interface CpuReading {
  readonly cpu: number;
  /** In the order of `CPU_MODES`, in a unit of the system's choice. */
  readonly times: readonly number[];
}

/** Busy shares since the reading before, and times of all CPUs since the start of the system. */
export class CpuTimes {
  readonly #before = new Map<number, number[]>();
  readonly #totals: number[] = CPU_MODES.map(() => 0);

  /**
   * Takes a reading. Gives the busy share of each CPU that was known before and for which at least `least` units have
   * passed since: less than that says nothing. A CPU that is offline keeps its place and goes on when it is back.
   */
  add(readings: readonly CpuReading[], least = 1): Map<number, number> {
    const shares = new Map<number, number>();
    for (const { cpu, times } of readings) {
      const before = this.#before.get(cpu);
      if (before === undefined) {
        this.#before.set(cpu, [...times]);
        for (const [mode, time] of times.entries()) this.#totals[mode] = (this.#totals[mode] ?? 0) + time;
        continue;
      }
      let total = 0;
      let resting = 0;
      for (const [mode, now] of times.entries()) {
        const last = before[mode] ?? 0;
        const grown = growth(last, now);
        if (grown > 0 || now < last / 2) before[mode] = now;
        this.#totals[mode] = (this.#totals[mode] ?? 0) + grown;
        total += grown;
        if (mode === IDLE || mode === IOWAIT) resting += grown;
      }
      if (total >= least) shares.set(cpu, (total - resting) / total);
    }
    return shares;
  }

  /** Of all CPUs, in the order of `CPU_MODES`; none of them ever falls. */
  get totals(): readonly number[] {
    return this.#totals;
  }
}

/**
 * Idle and waiting times step back a little on a living kernel: nothing has passed then until they are where they were.
 * A fall below half is a machine that counts anew (a virtual one that was restored).
 */
function growth(last: number, now: number): number {
  if (now >= last) return now - last;
  return now < last / 2 ? now : 0;
}
