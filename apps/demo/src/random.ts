/**
 * A seeded source of chance. The same seed gives the same stream on every machine; `fork` gives an independent
 * stream for a key, so that trace 41 looks the same whatever happened in traces 1 to 40.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;
  readonly seed: string;

  constructor(seed: string) {
    this.seed = seed;
    const [a, b, c, d] = hashWords(seed);
    this.#a = a;
    this.#b = b;
    this.#c = c;
    this.#d = d;
    for (let i = 0; i < 12; i++) this.word();
  }

  fork(key: string | number): Random {
    return new Random(`${this.seed}/${key}`);
  }

  /** 32 random bits (the small fast counting generator). */
  word(): number {
    const sum = (this.#a + this.#b + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }

  /** In [0, 1). */
  unit(): number {
    return this.word() / 4_294_967_296;
  }

  /** Whole number from `low` to `high`, both included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.unit() * (high - low + 1));
  }

  between(low: number, high: number): number {
    return low + this.unit() * (high - low);
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.unit() * items.length)];
    if (item === undefined) throw new RangeError('pick from an empty list');
    return item;
  }

  /** Some of the items in their order, `count` at most. */
  sample<T>(items: readonly T[], count: number): T[] {
    const left = [...items];
    while (left.length > count) left.splice(Math.floor(this.unit() * left.length), 1);
    return left;
  }

  weighted<T>(items: readonly (readonly [T, number])[]): T {
    let rest = this.unit() * items.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [item, weight] of items) {
      rest -= weight;
      if (rest < 0) return item;
    }
    return this.pick(items)[0];
  }

  /** Waiting time of a Poisson process with `rate` events per unit. */
  exponential(rate: number): number {
    return -Math.log(1 - this.unit()) / rate;
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.unit())) * Math.cos(2 * Math.PI * this.unit());
  }

  /** Skewed like real latencies: half of the values below `median`, a long tail above. */
  latency(median: number, spread = 0.35): number {
    return median * Math.exp(spread * this.normal());
  }

  /** `digits` lower-case hexadecimal digits, never all zero. */
  hex(digits: number): string {
    let text = '';
    while (text.length < digits) text += this.word().toString(16).padStart(8, '0');
    text = text.slice(0, digits);
    return /^0+$/.test(text) ? `1${text.slice(1)}` : text;
  }
}

function hashWords(text: string): [number, number, number, number] {
  let [a, b, c, d] = [1_779_033_703, 3_144_134_277, 1_013_904_242, 2_773_480_762];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = b ^ Math.imul(a ^ code, 597_399_067);
    b = c ^ Math.imul(b ^ code, 2_869_860_233);
    c = d ^ Math.imul(c ^ code, 951_274_213);
    d = a ^ Math.imul(d ^ code, 2_716_044_179);
  }
  return [a | 0, b | 0, c | 0, d | 0];
}
