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

const NUMBER = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?`;
const DURATION = new RegExp(`^(${NUMBER})(ns|us|µs|ms|s|min|m|h|d)?$`, 'i');
const PLAIN = new RegExp(String.raw`^\$?(${NUMBER})([kmb])?$`, 'i');

/** Milliseconds of `2s`, `250ms`, `1.5h`; a bare number is milliseconds. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (!match) return undefined;
  const value = Number(match[1]) * (UNIT_MS.get((match[2] ?? 'ms').toLowerCase()) ?? 1);
  return Number.isFinite(value) ? value : undefined;
}

/** The number of `12`, `1.5k`, `$0.02`. */
export function parseNumber(text: string): number | undefined {
  const match = PLAIN.exec(text);
  if (!match) return undefined;
  const value = Number(match[1]) * (MULTIPLIER.get((match[2] ?? '').toLowerCase()) ?? 1);
  return Number.isFinite(value) ? value : undefined;
}

/** A duration that `parseDuration` reads back to exactly these milliseconds. */
export function printDuration(ms: number): string {
  const seconds = ms / 1_000;
  // Not when the division lost something, as it does for the smallest numbers.
  return ms !== 0 && Number.isSafeInteger(seconds) && seconds * 1_000 === ms ? `${seconds}s` : `${ms}ms`;
}
