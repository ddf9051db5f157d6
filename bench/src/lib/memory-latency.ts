/** Words of four bytes, 128 MiB together: more than a cache holds. */
const WORDS = 2 ** 25;
/** Goes through all words before it comes to one again (Hull and Dobell: odd step, factor of the form 4k + 1). */
const FACTOR = 1_664_525;
const STEP = 1_013_904_223;

let words: Uint32Array | undefined;

/**
 * Nanoseconds that one read from memory takes, each at a place that the one before says. Reading a store goes as fast as
 * this; on a machine that others use, too, it differs by minutes while arithmetic takes the same time.
 */
export function memoryLatency(reads = 400_000): number {
  // Written once: pages that nobody wrote are one and the same.
  words ??= new Uint32Array(WORDS).fill(0);
  let at = Math.floor(Math.random() * WORDS);
  const startedAt = performance.now();
  for (let n = 0; n < reads; n++) at = (Math.imul(at, FACTOR) + STEP + (words[at] ?? 0)) & (WORDS - 1);
  const ns = ((performance.now() - startedAt) * 1e6) / reads;
  if (at < 0) throw new Error('unreachable: places are not negative');
  return ns;
}
