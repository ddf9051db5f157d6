import { parseTime, previousWindow } from '@candela/kernel';
import type { Zone } from './format.ts';

/** The text of the URL: relative (`-1h`, `now`) or ISO 8601. */
export interface TimeRange {
  readonly from: string;
  readonly to: string;
}

/** The same range as epoch milliseconds, `from` before `to`. */
export interface TimeWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

export const DEFAULT_RANGE: TimeRange = { from: '-24h', to: 'now' };

export const PRESETS: readonly { readonly from: string; readonly label: string }[] = [
  { from: '-5m', label: 'Last 5 minutes' },
  { from: '-15m', label: 'Last 15 minutes' },
  { from: '-1h', label: 'Last hour' },
  { from: '-4h', label: 'Last 4 hours' },
  { from: '-24h', label: 'Last 24 hours' },
  { from: '-3d', label: 'Last 3 days' },
  { from: '-7d', label: 'Last 7 days' },
  { from: '-30d', label: 'Last 30 days' },
];

/** Ranges of the calendar, in the person's zone; the URL has their name as `from`. */
export const CALENDAR = [
  { from: 'today', label: 'Today' },
  { from: 'yesterday', label: 'Yesterday' },
  { from: 'this-week', label: 'This week' },
  { from: 'last-week', label: 'Last week' },
  { from: 'this-month', label: 'This month' },
  { from: 'last-month', label: 'Last month' },
] as const;
type CalendarName = (typeof CALENDAR)[number]['from'];
const isCalendarName = (text: string): text is CalendarName => CALENDAR.some((one) => one.from === text);

type Clock = [hour?: number, minute?: number, second?: number, ms?: number];
type Parts = [year: number, month: number, day: number, ...clock: Clock];

/** What a calendar and a clock of the zone show; months from 0. */
export function partsOf(ms: number, zone: Zone): Parts {
  const at = new Date(ms);
  return zone === 'utc'
    ? [
        at.getUTCFullYear(),
        at.getUTCMonth(),
        at.getUTCDate(),
        at.getUTCHours(),
        at.getUTCMinutes(),
        at.getUTCSeconds(),
        at.getUTCMilliseconds(),
      ]
    : [
        at.getFullYear(),
        at.getMonth(),
        at.getDate(),
        at.getHours(),
        at.getMinutes(),
        at.getSeconds(),
        at.getMilliseconds(),
      ];
}

/** When a calendar and a clock of the zone show that; days and months may lie outside of theirs. */
export const timeOf = (
  zone: Zone,
  ...[year, month, day, hour = 0, minute = 0, second = 0, ms = 0]: Parts
): number =>
  zone === 'utc'
    ? Date.UTC(year, month, day, hour, minute, second, ms)
    : new Date(year, month, day, hour, minute, second, ms).getTime();

/** A named range as ISO times that the server reads; other ranges as they are. The week begins on Monday. */
export function plainRange(range: TimeRange, nowMs: number, zone: Zone): TimeRange {
  if (!isCalendarName(range.from)) return range;
  const [year, month, day] = partsOf(nowMs, zone);
  const midnight = (m: number, d: number): string => new Date(timeOf(zone, year, m, d)).toISOString();
  const weekday = new Date(Date.UTC(year, month, day)).getUTCDay();
  const monday = day - ((weekday + 6) % 7);
  const ranges: Record<CalendarName, TimeRange> = {
    today: { from: midnight(month, day), to: 'now' },
    yesterday: { from: midnight(month, day - 1), to: midnight(month, day) },
    'this-week': { from: midnight(month, monday), to: 'now' },
    'last-week': { from: midnight(month, monday - 7), to: midnight(month, monday) },
    'this-month': { from: midnight(month, 1), to: 'now' },
    'last-month': { from: midnight(month - 1, 1), to: midnight(month, 1) },
  };
  return ranges[range.from];
}

/**
 * The period that a range of the calendar is compared with, in the person's zone: the day, week or month before, as far
 * as this one has come. Undefined of every other range, whose period before the server knows.
 */
export function calendarBefore(range: TimeRange, nowMs: number, zone: Zone): TimeRange | undefined {
  const { from: name } = range;
  if (!isCalendarName(name)) return undefined;
  const { fromMs, toMs } = resolveRange(plainRange(range, nowMs, zone), nowMs);
  // Begins and ends are moved by the calendar, then found on the clock: not every day begins at the same time of it.
  const back = (ms: number, clock: Clock): number => {
    const [year, month, day] = partsOf(ms, zone);
    if (!name.endsWith('month'))
      return timeOf(zone, year, month, day - (name.endsWith('week') ? 7 : 1), ...clock);
    // What has come farther than the month before is long is compared with all of it.
    const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
    return day > last ? timeOf(zone, year, month, 1) : timeOf(zone, year, month - 1, day, ...clock);
  };
  const [, , , ...clock] = partsOf(toMs, zone);
  const to = name.startsWith('this') || name === 'today' ? back(toMs, clock) : back(toMs, []);
  // A time of the clock that was left out that day comes after it: never into the period itself.
  return {
    from: new Date(back(fromMs, [])).toISOString(),
    to: new Date(Math.min(to, fromMs)).toISOString(),
  };
}

/**
 * The period that a window is compared with, by the rule of the server; or the `given` one of the calendar. Undefined when
 * there is none.
 */
export function windowBefore(window: TimeWindow, given: true | TimeRange): TimeWindow | undefined {
  if (given !== true) return resolveRange(given, window.toMs);
  const nanos = (ms: number) => BigInt(Math.round(ms)) * 1_000_000n;
  const before = previousWindow({ from: nanos(window.fromMs), to: nanos(window.toMs) });
  return before && { fromMs: Number(before.from / 1_000_000n), toMs: Number(before.to / 1_000_000n) };
}

/** What the URL may say of a bound: a time, or the name of a calendar range as `from`. */
export const isRangeText = (text: unknown): text is string =>
  isTimeText(text) || (typeof text === 'string' && isCalendarName(text));

/** Reads a bound as typed or linked; undefined when it is no time. */
export function isTimeText(text: unknown): text is string {
  return typeof text === 'string' && text.length <= 40 && parseTime(text, 0) !== undefined;
}

/** Turns the range into a window; an unreadable or inverted range becomes the default one. */
export function resolveRange(range: TimeRange, nowMs: number): TimeWindow {
  const fromMs = parseTime(range.from, nowMs);
  const toMs = parseTime(range.to, nowMs);
  if (fromMs !== undefined && toMs !== undefined && fromMs < toMs) return { fromMs, toMs };
  return { fromMs: nowMs - 86_400_000, toMs: nowMs };
}

/** Whether the range moves on with time: only then can it be watched live. */
export const isRelative = (range: TimeRange): boolean => range.to === 'now';

/**
 * The address of a page with the times that are on screen: a relative range would show whoever opens it later something
 * else. A range of the calendar becomes its times, too, whose period before is the one directly before.
 */
export function fixedLink(href: string, window: TimeWindow): string {
  const url = new URL(href);
  url.searchParams.set('from', new Date(window.fromMs).toISOString());
  url.searchParams.set('to', new Date(window.toMs).toISOString());
  // What stands still cannot be watched.
  url.searchParams.delete('live');
  return url.href;
}

const UNIT_NAMES: Record<string, string> = {
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
};

/** `Last 4 hours`, or the two ends as they are written; the second is undefined where it is now. */
export function labelOf(
  range: TimeRange,
  write: (fromMs: number, toMs: number | undefined) => string,
): string {
  const named = CALENDAR.find((one) => one.from === range.from);
  if (named) return named.label;
  if (range.to === 'now' && /^(now)?-\d/.test(range.from)) {
    const preset = PRESETS.find((candidate) => candidate.from === range.from);
    if (preset) return preset.label;
    const [, count = '', unit = ''] = /-(\d+)([smhdw])$/.exec(range.from) ?? [];
    return `Last ${count} ${UNIT_NAMES[unit] ?? ''}${count === '1' ? '' : 's'}`;
  }
  const window = resolveRange(range, Date.now());
  return write(window.fromMs, range.to === 'now' ? undefined : window.toMs);
}

const STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400,
];

/** The bucket width in whole seconds that gives at most `most` bars over the window. */
export function bucketSeconds(window: TimeWindow, most = 80): number {
  const wanted = (window.toMs - window.fromMs) / 1_000 / most;
  return STEPS.find((step) => step >= wanted) ?? Math.ceil(wanted / 86_400) * 86_400;
}
