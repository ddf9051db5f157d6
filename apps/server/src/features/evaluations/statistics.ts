/** Statistics of verdicts and scores. Pure; the vectors of its test are from independent computations. */

/** z of 95 %. */
const Z = 1.959_963_984_540_054;

/** Below this many verdicts a rate says nothing. */
export const ENOUGH = 20;

/** Wilson score interval, 95 %, of `hits` in `of` (Wilson 1927). Null without observations. */
export function wilson(hits: number, of: number): { readonly low: number; readonly high: number } | null {
  if (of <= 0) return null;
  const p = hits / of;
  const spread = Z * Z;
  const centre = p + spread / (2 * of);
  const half = Z * Math.sqrt((p * (1 - p)) / of + spread / (4 * of * of));
  const scale = 1 + spread / of;
  return { low: Math.max(0, (centre - half) / scale), high: Math.min(1, (centre + half) / scale) };
}

/**
 * Cohen's kappa of a square table of counts (rows: one rater, columns: the other). Null where it is undefined: no
 * observation, or agreement by chance is certain. @param weights `quadratic`: near levels count as partly agreed
 */
export function kappa(
  table: readonly (readonly number[])[],
  weights: 'none' | 'quadratic' = 'none',
): number | null {
  const size = table.length;
  const total = table.flat().reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rows = table.map((row) => row.reduce((sum, count) => sum + count, 0));
  const columns = table.map((_, at) => table.reduce((sum, row) => sum + (row[at] ?? 0), 0));
  const apart = (i: number, j: number) =>
    weights === 'none' ? Number(i !== j) : ((i - j) / Math.max(1, size - 1)) ** 2;
  let observed = 0;
  let expected = 0;
  table.forEach((row, i) =>
    row.forEach((count, j) => {
      observed += apart(i, j) * (count / total);
      expected += apart(i, j) * (((rows[i] ?? 0) * (columns[j] ?? 0)) / (total * total));
    }),
  );
  return expected === 0 ? null : 1 - observed / expected;
}

/** McNemar's exact test, two-sided: `b` and `c` count the pairs that changed one way and the other. 1 without changes. */
export function mcnemar(b: number, c: number): number {
  const n = b + c;
  if (n === 0) return 1;
  let term = 0.5 ** n;
  // Of very many pairs the first terms are below what a number holds: the normal approximation is exact enough then.
  if (term === 0) return 2 * (1 - normal((Math.abs(b - c) - 1) / Math.sqrt(n)));
  let tail = 0;
  for (let k = 0; k <= Math.min(b, c); k++) {
    tail += term;
    term *= (n - k) / (k + 1);
  }
  return Math.min(1, 2 * tail);
}

/** Mean of paired differences with its 95 % interval (normal). Null below two pairs. */
export function pairedDifference(
  differences: readonly number[],
): { readonly mean: number; readonly low: number; readonly high: number } | null {
  const n = differences.length;
  if (n < 2) return null;
  const mean = differences.reduce((sum, one) => sum + one, 0) / n;
  const variance = differences.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (n - 1);
  const half = Z * Math.sqrt(variance / n);
  return { mean, low: mean - half, high: mean + half };
}

/** Distribution function of the standard normal (Abramowitz and Stegun 7.1.26, error below 1.5e-7). */
function normal(x: number): number {
  const z = Math.abs(x) / Math.SQRT2;
  const t = 1 / (1 + 0.327_591_1 * z);
  const series =
    t *
    (0.254_829_592 + t * (-0.284_496_736 + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
  const erf = 1 - series * Math.exp(-z * z);
  return x >= 0 ? (1 + erf) / 2 : (1 - erf) / 2;
}
