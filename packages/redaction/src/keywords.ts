import type { Pattern } from './patterns.ts';

/** Keywords are found by so many of their first letters. */
const GRAM = 3;
const BUCKETS = 1 << 16;
const bucketOf = (a: number, b: number, c: number): number => ((a << 10) ^ (b << 5) ^ c) & (BUCKETS - 1);

interface Entry {
  readonly keyword: string;
  readonly pattern: number;
}

/** Tells which patterns may match a text: the keywords of all of them are sought in one pass. */
export class Keywords {
  readonly #patterns: readonly Pattern[];
  /** Shorter ones, sought one by one. */
  readonly #short: readonly Entry[];
  /** By the first letters: the place in `#entries`, 0 for none. */
  readonly #places = new Uint16Array(BUCKETS);
  readonly #entries: Entry[][] = [[]];

  constructor(patterns: readonly Pattern[]) {
    this.#patterns = patterns;
    const all = patterns.flatMap(({ keywords }, pattern) =>
      keywords.map((keyword) => ({ keyword, pattern })),
    );
    this.#short = all.filter(({ keyword }) => keyword.length < GRAM);
    for (const entry of all) {
      const { keyword } = entry;
      if (keyword.length < GRAM) continue;
      const bucket = bucketOf(keyword.charCodeAt(0), keyword.charCodeAt(1), keyword.charCodeAt(2));
      const place = this.#places[bucket] || this.#entries.push([]) - 1;
      this.#places[bucket] = place;
      this.#entries[place]?.push(entry);
    }
  }

  /** Those of the patterns that have a keyword in the text, in their order. @param lower the text in small letters */
  in(lower: string): readonly Pattern[] {
    const found = new Set<number>();
    for (const { keyword, pattern } of this.#short) if (lower.includes(keyword)) found.add(pattern);
    let a = 0;
    let b = lower.charCodeAt(0);
    let c = lower.charCodeAt(1);
    for (let at = 0, end = lower.length - GRAM; at <= end; at += 1) {
      a = b;
      b = c;
      c = lower.charCodeAt(at + 2);
      const place = this.#places[bucketOf(a, b, c)];
      if (place === undefined || place === 0) continue;
      for (const { keyword, pattern } of this.#entries[place] ?? [])
        if (!found.has(pattern) && lower.startsWith(keyword, at)) found.add(pattern);
    }
    return this.#patterns.filter((_, pattern) => found.has(pattern));
  }
}
