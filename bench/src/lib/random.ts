/** A fast seeded generator (xorshift128) for bench data: the same seed gives the same bytes. */
export class BenchRandom {
  #x: number;
  #y = 362_436_069;
  #z = 521_288_629;
  #w = 88_675_123;

  constructor(seed: number) {
    this.#x = (seed * 2_654_435_761 + 123_456_789) >>> 0 || 1;
    for (let i = 0; i < 20; i++) this.word();
  }

  word(): number {
    const t = this.#x ^ (this.#x << 11);
    this.#x = this.#y;
    this.#y = this.#z;
    this.#z = this.#w;
    this.#w = this.#w ^ (this.#w >>> 19) ^ (t ^ (t >>> 8));
    return this.#w >>> 0;
  }

  below(limit: number): number {
    return this.word() % limit;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError('pick from an empty list');
    return item;
  }

  hex(digits: number): string {
    let text = '';
    while (text.length < digits) text += this.word().toString(16).padStart(8, '0');
    return text.slice(0, digits);
  }
}
