import { parseTime } from '@candela/kernel';
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

/** A named range as ISO times that the server reads; other ranges as they are. The week begins on Monday. */
export function plainRange(range: TimeRange, nowMs: number, zone: Zone): TimeRange {
  if (!isCalendarName(range.from)) return range;
  const now = new Date(nowMs);
  const [year, month, day, weekday] =
    zone === 'utc'
      ? [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), now.getUTCDay()]
      : [now.getFullYear(), now.getMonth(), now.getDate(), now.getDay()];
  const midnight = (m: number, d: number): string =>
    new Date(zone === 'utc' ? Date.UTC(year, m, d) : new Date(year, m, d).getTime()).toISOString();
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

const UNIT_NAMES: Record<string, string> = {
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
};

/** `Last 4 hours`, or the two ends in the person's zone. */
export function labelOf(range: TimeRange, format: (ms: number) => string): string {
  const named = CALENDAR.find((one) => one.from === range.from);
  if (named) return named.label;
  if (range.to === 'now' && /^(now)?-\d/.test(range.from)) {
    const preset = PRESETS.find((candidate) => candidate.from === range.from);
    if (preset) return preset.label;
    const [, count = '', unit = ''] = /-(\d+)([smhdw])$/.exec(range.from) ?? [];
    return `Last ${count} ${UNIT_NAMES[unit] ?? ''}${count === '1' ? '' : 's'}`;
  }
  const window = resolveRange(range, Date.now());
  return `${format(window.fromMs)} – ${range.to === 'now' ? 'now' : format(window.toMs)}`;
}

const STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400,
];

/** The bucket width in whole seconds that gives at most `most` bars over the window. */
export function bucketSeconds(window: TimeWindow, most = 80): number {
  const wanted = (window.toMs - window.fromMs) / 1_000 / most;
  return STEPS.find((step) => step >= wanted) ?? Math.ceil(wanted / 86_400) * 86_400;
}
