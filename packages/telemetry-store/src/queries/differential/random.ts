/** A small generator of its own, so that a failing seed can be run again. */
export class Random {
  private state: number;

  constructor(seed: string) {
    this.state = 0x811c_9dc5;
    for (const character of seed) {
      this.state = Math.imul(this.state ^ (character.codePointAt(0) ?? 0), 0x0100_0193) >>> 0;
    }
  }

  /** From 0 to 1, without 1. */
  next(): number {
    this.state = (this.state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** A whole number, both ends included. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(list: readonly T[]): T {
    const one = list[this.int(0, list.length - 1)];
    if (one === undefined && list.length === 0) throw new RangeError('Nothing to pick from');
    return one as T;
  }

  /** Some of them, each once, in any order; `least` at least. */
  some<T>(list: readonly T[], least: number, most: number): T[] {
    const left = [...list];
    const taken: T[] = [];
    for (let n = Math.min(this.int(least, most), list.length); n > 0; n -= 1) {
      taken.push(...left.splice(this.int(0, left.length - 1), 1));
    }
    return taken;
  }
}
