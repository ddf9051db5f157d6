const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['min', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);
const MULTIPLIER: ReadonlyMap<string, number> = new Map([
  ['k', 1e3],
  ['m', 1e6],
  ['b', 1e9],
]);

const BYTE_UNITS: ReadonlyMap<string, number> = new Map([
  ['k', 1e3],
  ['m', 1e6],
  ['g', 1e9],
  ['t', 1e12],
  ['ki', 2 ** 10],
  ['mi', 2 ** 20],
  ['gi', 2 ** 30],
  ['ti', 2 ** 40],
]);

const NUMBER = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?`;
const DURATION = new RegExp(`^(${NUMBER})(ns|us|µs|ms|s|min|m|h|d)?$`, 'i');
const SEVERAL = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|min|m|h|d)){2,8}$/i;
const PART = /\d+(?:\.\d+)?(?:ns|us|µs|ms|s|min|m|h|d)/gi;
const BYTES = new RegExp(`^(${NUMBER})\\s?([kmgt]i?)?b?$`, 'i');
const PLAIN = new RegExp(String.raw`^\$?(${NUMBER})([kmb])?$`, 'i');

/**
 * A number in another unit. By a power of ten its decimal point is moved, and else a product keeps the digits that a double
 * has for sure: the product alone may miss the number that was meant (1.001 times 1,000 is less than 1,001).
 */
export function scaled(value: number, unit: number): number {
  const product = value * unit;
  const digits = Math.log10(unit);
  if (!Number.isInteger(digits)) return Number.isInteger(product) ? product : Number(product.toPrecision(15));
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  return Number(`${mantissa}e${Number(exponent) + digits}`);
}

/** Milliseconds of `2s`, `250ms`, `1.5h`, `1m30s`; a bare number is milliseconds. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (!match) return severalUnits(text);
  const value = scaled(Number(match[1]), UNIT_MS.get((match[2] ?? 'ms').toLowerCase()) ?? 1);
  return Number.isFinite(value) ? value : undefined;
}

/** `1h30m`: every part with its unit. */
function severalUnits(text: string): number | undefined {
  if (!SEVERAL.test(text)) return undefined;
  let sum = 0;
  for (const [part] of text.matchAll(PART)) sum += parseDuration(part) ?? Number.NaN;
  return Number.isFinite(sum) ? sum : undefined;
}

/** Bytes of `512`, `10kB`, `1.5MiB`: k, M, G, T are thousands, Ki, Mi, Gi, Ti are 1,024s. */
export function parseBytes(text: string): number | undefined {
  const match = BYTES.exec(text);
  if (!match) return undefined;
  const value = scaled(Number(match[1]), BYTE_UNITS.get((match[2] ?? '').toLowerCase()) ?? 1);
  return Number.isFinite(value) ? value : undefined;
}

/** The number of `12`, `1.5k`, `$0.02`. */
export function parseNumber(text: string): number | undefined {
  const match = PLAIN.exec(text);
  if (!match) return undefined;
  const value = scaled(Number(match[1]), MULTIPLIER.get((match[2] ?? '').toLowerCase()) ?? 1);
  return Number.isFinite(value) ? value : undefined;
}

/** A duration that `parseDuration` reads back to exactly these milliseconds. */
export function printDuration(ms: number): string {
  const seconds = ms / 1_000;
  // Not when the division lost something, as it does for the smallest numbers.
  return ms !== 0 && Number.isSafeInteger(seconds) && seconds * 1_000 === ms ? `${seconds}s` : `${ms}ms`;
}
