const UNIT_MS: Record<string, number> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const RELATIVE = /^(?:now)?-(\d{1,9})([smhdw])$/;

/** A time of day without a zone, which `Date.parse` would read in that of the machine. */
const ZONELESS = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)$/i;

/**
 * Reads a point in time: ISO 8601 (`2026-11-20T10:00:00Z`; without a zone it is UTC, so that browser and server mean
 * the same), relative (`-24h`, `now-7d`), `now`, or epoch milliseconds as a number. Returns epoch milliseconds, or
 * undefined when it is none of these.
 */
export function parseTime(value: string | number, nowMs: number): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  const text = value.trim();
  if (text === 'now') return nowMs;
  const relative = RELATIVE.exec(text);
  if (relative) return nowMs - Number(relative[1]) * (UNIT_MS[relative[2] ?? ''] ?? 0);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined;
  const ms = Date.parse(text.replace(ZONELESS, '$1T$2Z'));
  return Number.isNaN(ms) ? undefined : ms;
}

/** ISO 8601 UTC with milliseconds from nanoseconds since the epoch. */
export function isoFromNanos(nanos: bigint): string {
  return new Date(Number(nanos / 1_000_000n)).toISOString();
}
