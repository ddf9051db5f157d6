/** What stands where a value is missing: never 0, never empty. */
export const DASH = '–';

type Maybe = number | null | undefined;
const missing = (value: Maybe): value is null | undefined =>
  value === null || value === undefined || !Number.isFinite(value);

/** `350 ns`, `0.4 ms`, `230 ms`, `1.24 s`, `2m 05s`, `1h 03m`; milliseconds in. */
export function formatDuration(ms: Maybe): string {
  if (missing(ms)) return DASH;
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (ms === 0) return '0 ms';
  if (ms < 0.000_999_5) return `${trim(ms * 1e6, 3)} ns`;
  // A value goes to the next unit where rounding would write 1000 of its own, or 60.
  if (ms < 0.9995) return `${trim(ms * 1_000, 3)} µs`;
  if (ms < 999.5) return `${trim(ms, 3)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(ms < 9_995 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${pad(seconds % 60)}s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)}h ${pad(minutes % 60)}m`;
  return `${Math.floor(minutes / 1_440)}d ${Math.floor((minutes % 1_440) / 60)}h`;
}

/** `950`, `1.2k`, `3.4M`, `2B`, `7.1T`; beyond, powers of ten. */
export function formatCount(value: Maybe): string {
  if (missing(value)) return DASH;
  const size = Math.abs(value);
  if (size < 1_000) return Number.isInteger(value) ? String(value) : trim(value, 3);
  if (size < 999_500) return `${trim(value / 1e3, size < 99_950 ? 3 : 3)}k`;
  if (size < 999_500_000) return `${trim(value / 1e6, 3)}M`;
  if (size < 999.5e9) return `${trim(value / 1e9, 3)}B`;
  return size < 999.5e12 ? `${trim(value / 1e12, 3)}T` : value.toExponential(1).replace('+', '');
}

/** The noun of a count, given in the plural: `1 span`, `2 spans`. */
export const nounOf = (count: number, plural: string): string =>
  count === 1 ? plural.replace(/s$/, '') : plural;

/** `$0.0042`, `$1.23`, `$1.2k`; a tiny cost keeps two digits, a missing one is a dash. */
export function formatCost(usd: Maybe): string {
  if (missing(usd)) return DASH;
  if (usd === 0) return '$0';
  if (usd < 0) return `-${formatCost(-usd)}`;
  const size = Math.abs(usd);
  if (size < 0.000_01) return '<$0.00001';
  if (size < 0.1) return `$${usd.toFixed(Math.min(5, 1 - Math.floor(Math.log10(size))))}`;
  if (size < 1_000) return `$${usd.toFixed(2)}`;
  return `$${formatCount(usd)}`;
}

/** The full number with separators, for titles; what is too small or too large for that with a power of ten. */
export function exact(value: Maybe, unit = ''): string {
  if (missing(value)) return 'not reported';
  const size = Math.abs(value);
  const isWritten = size === 0 || (size >= 1e-6 && size < 1e15);
  return `${isWritten ? value.toLocaleString('en-US', { maximumFractionDigits: 9 }) : value}${unit}`;
}

export type Zone = 'local' | 'utc';

const part = (options: Intl.DateTimeFormatOptions, zone: Zone) =>
  new Intl.DateTimeFormat('en-GB', { ...options, ...(zone === 'utc' ? { timeZone: 'UTC' } : {}) });
const cache = new Map<string, Intl.DateTimeFormat>();
const formatter = (name: string, options: Intl.DateTimeFormatOptions, zone: Zone) => {
  const key = `${name}:${zone}`;
  const known = cache.get(key) ?? part(options, zone);
  cache.set(key, known);
  return known;
};
const DATE: Intl.DateTimeFormatOptions = { day: '2-digit', month: 'short' };
const CLOCK: Intl.DateTimeFormatOptions = {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
};

/** `20 Nov 10:32:05.123`. */
export function formatTime(ms: number, zone: Zone): string {
  const millis = pad(((Math.floor(ms) % 1_000) + 1_000) % 1_000, 3);
  return `${formatter('date', DATE, zone).format(ms)} ${formatter('clock', CLOCK, zone).format(ms)}.${millis}`;
}

const yearOf = (ms: number, zone: Zone): string => formatter('year', { year: 'numeric' }, zone).format(ms);

/** An end of a time range: `20 Nov 10:32:05`, of another year `20 Nov 2025 10:32:05`. */
export function formatBound(ms: number, nowMs: number, zone: Zone): string {
  const text = formatTime(ms, zone).slice(0, -4);
  const year = yearOf(ms, zone);
  return year === yearOf(nowMs, zone) ? text : `${text.slice(0, -9)} ${year}${text.slice(-9)}`;
}

/**
 * A time range: `20 Nov 10:30 – 11:45`, over midnight `20 Nov 10:30 – 21 Nov 11:45`; seconds where an end has some, without
 * a second end `20 Nov 10:30 – now`.
 */
export function formatBounds(fromMs: number, toMs: number | undefined, nowMs: number, zone: Zone): string {
  const from = formatBound(fromMs, nowMs, zone);
  const to = toMs === undefined ? 'now' : formatBound(toMs, nowMs, zone);
  const day = from.slice(0, -8);
  const ends = [from, toMs !== undefined && to.startsWith(day) ? to.slice(day.length) : to];
  const whole = from.endsWith(':00') && (toMs === undefined || to.endsWith(':00'));
  return ends.map((end) => (whole ? end.replace(/(:\d\d):00$/, '$1') : end)).join(' – ');
}

/** For rows of a list: `10:32:05` today, `20 Nov 10:32:05` on another day, `20 Nov 2025 10:32` in another year. */
export function formatRowTime(ms: number, nowMs: number, zone: Zone): string {
  const text = formatTime(ms, zone).slice(0, -4);
  if (yearOf(ms, zone) !== yearOf(nowMs, zone) && Math.abs(nowMs - ms) >= 86_400_000)
    return formatBound(ms, nowMs, zone).slice(0, -3);
  const today = formatter('date', DATE, zone).format(nowMs);
  return text.startsWith(`${today} `) && Math.abs(nowMs - ms) < 86_400_000
    ? text.slice(today.length + 1)
    : text;
}

/** `10:32:05`, for ranges over a day `20 Nov 10:32`, over a year `20 Nov 2025`. */
export function formatTick(ms: number, spanMs: number, zone: Zone): string {
  const clock = formatter('clock', CLOCK, zone).format(ms);
  if (spanMs <= 10 * 60_000) return clock;
  if (spanMs <= 86_400_000) return clock.slice(0, 5);
  const date = formatter('date', DATE, zone).format(ms);
  if (spanMs > 366 * 86_400_000) return `${date} ${yearOf(ms, zone)}`;
  return spanMs > 14 * 86_400_000 ? date : `${date} ${clock.slice(0, 5)}`;
}

/** ISO 8601 with zone, for titles. */
export const formatIso = (ms: number): string => new Date(ms).toISOString();

const pad = (value: number, width = 2) => String(value).padStart(width, '0');
/** At most `digits` significant digits, no trailing zeros. */
function trim(value: number, digits: number): string {
  return String(Number(value.toPrecision(digits)));
}
