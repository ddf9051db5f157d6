import { DASH, exact, formatCost, formatCount, formatDuration } from './format.ts';

/**
 * Values with their unit, by the codes of UCUM that OpenTelemetry uses: `ms`, `s`, `By`, `1` (a ratio, shown as
 * percent), `%`, `Cel`, `W`, `Hz`, `J`, annotations like `{token}`, and rates of any of them (`By/s`). Money is `USD`.
 */
type Maybe = number | null | undefined;
const missing = (value: Maybe): value is null | undefined =>
  value === null || value === undefined || !Number.isFinite(value);

/** Milliseconds in one of the unit. */
const TIMES: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['ms', 1],
  ['s', 1_000],
  ['min', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);
/** Bytes in one of the unit. */
const BYTES: ReadonlyMap<string, number> = new Map([
  ['By', 1],
  ['kBy', 1e3],
  ['MBy', 1e6],
  ['GBy', 1e9],
  ['KiBy', 2 ** 10],
  ['MiBy', 2 ** 20],
  ['GiBy', 2 ** 30],
]);
/** Units that take SI prefixes, as they are written. */
const SI: ReadonlyMap<string, string> = new Map([
  ['Hz', 'Hz'],
  ['W', 'W'],
  ['J', 'J'],
  ['V', 'V'],
  ['A', 'A'],
  ['bit', 'bit'],
  ['m', 'm'],
]);
const PLAIN: ReadonlyMap<string, string> = new Map([
  ['Cel', '°C'],
  ['%', '%'],
]);

const digits = (value: number, most = 3) => String(Number(value.toPrecision(most)));

function withPrefix(value: number, base: number, prefixes: readonly string[], unit: string): string {
  const size = Math.abs(value);
  let step = 0;
  while (step < prefixes.length - 1 && size >= 0.9995 * base ** (step + 1)) step += 1;
  return `${digits(value / base ** step)} ${prefixes[step]}${unit}`;
}

/** `1.2 GiB`, `230 ms`, `42%`, `71 °C`, `1.2k tokens`, `3.4 MiB/s`; a missing value is a dash. */
export function formatValue(value: Maybe, unit = ''): string {
  if (missing(value)) return DASH;
  const slash = unit.lastIndexOf('/');
  if (slash > 0) {
    const per = unit.slice(slash + 1);
    const [numerator, of] = [unit.slice(0, slash), per === 's' ? '/s' : `/${words(per)}`];
    // A share of time (`s/s`) is a plain ratio.
    return numerator === per ? formatValue(value, '1') : `${formatValue(value, numerator)}${of}`;
  }
  const time = TIMES.get(unit);
  if (time !== undefined) return formatDuration(value * time);
  const bytes = BYTES.get(unit);
  if (bytes !== undefined) return withPrefix(value * bytes, 1_024, ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'], 'B');
  const si = SI.get(unit);
  if (si !== undefined && Math.abs(value) < 1 && value !== 0) return milli(value, si);
  if (si !== undefined) return withPrefix(value, 1_000, ['', 'k', 'M', 'G', 'T', 'P'], si);
  if (unit === '1') return `${digits(value * 100)}%`;
  if (unit === '%') return `${digits(value)}%`;
  if (unit === 'USD') return formatCost(value);
  const plain = PLAIN.get(unit);
  if (plain !== undefined) return `${digits(value, 4)} ${plain}`;
  const name = words(unit);
  if (name === '') return formatCount(value);
  const plural = /^\{.*\}$/.test(unit) && value !== 1 && /[a-rt-z]$/.test(name) ? `${name}s` : name;
  return `${formatCount(value)} ${plural}`;
}

function milli(value: number, unit: string): string {
  const size = Math.abs(value);
  if (size >= 1e-3) return `${digits(value * 1e3)} m${unit}`;
  if (size >= 1e-6) return `${digits(value * 1e6)} µ${unit}`;
  return `${digits(value * 1e9)} n${unit}`;
}

/** `{token}` as `token`; a unit that is unknown as it is. */
const words = (unit: string): string => unit.replace(/^\{(.*)\}$/, '$1');

/** As `formatValue`, without the words of an annotation: for axes and narrow places. */
export function formatTickValue(value: Maybe, unit = ''): string {
  const text = formatValue(value, unit.replace(/\{[^}]*\}/g, '').replace(/^\//, '') === '' ? '' : unit);
  // Round values stand at ticks: `10 s`, not `10.0 s`; `5m`, not `5m 00s`.
  return TIMES.has(unit) ? text.replace(/\.0+ s$|(\.\d*[1-9])0+ s$/, '$1 s').replace(/ 00?[hms]$/, '') : text;
}

/** The whole number and its unit, for titles and tooltips that must be exact. */
export function exactValue(value: Maybe, unit = ''): string {
  if (missing(value)) return 'not reported';
  if (unit === '1') return `${exact(value * 100)}%`;
  if (unit === '' || unit === '%') return exact(value, unit);
  return exact(value, ` ${words(unit)}`);
}

/** What a tooltip says: counts and money whole, what is measured as people say it. */
export const tipValue = (value: Maybe, unit = ''): string =>
  unit === 'USD' || words(unit) === '' || /^\{.*\}$/.test(unit)
    ? exactValue(value, unit)
    : formatValue(value, unit);

/** Base of round numbers of a unit: bytes count by 1,024. */
export const roundBase = (unit: string): number =>
  BYTES.has(unit.replace(/\/.*$/, '')) && (BYTES.get(unit.replace(/\/.*$/, '')) ?? 1) % 10 !== 0 ? 2 : 10;
