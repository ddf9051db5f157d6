import { parseTime } from '@candela/kernel';
import type { Zone } from './format.ts';
import { isTimeText, partsOf, type TimeRange, timeOf } from './time-range.ts';

const DAYS_BACK: ReadonlyMap<string, number> = new Map([
  ['today', 0],
  ['yesterday', 1],
]);
const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/;

/**
 * What was typed as text for the URL: relative stays as it is, everything else becomes ISO 8601 UTC. A date, `today` or
 * `yesterday`, each with a clock or without, or a clock alone, which is of the day given.
 */
function readTyped(text: string, nowMs: number, zone: Zone, dayMs = nowMs): string | undefined {
  const trimmed = text.trim().toLowerCase();
  if (isTimeText(trimmed) && !/^\d{4}-/.test(trimmed)) return trimmed;
  const dated = /^(\d{4}-\d{2}-\d{2})(?:[ t](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?))?(z)?$/.exec(trimmed);
  if (dated) {
    const [, date = '', clock = '00:00', utc] = dated;
    const ms = Date.parse(`${date}T${clock}${zone === 'utc' || utc ? 'Z' : ''}`);
    return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
  }
  const [, word = '', rest = ''] = /^([a-z]*)\s*(.*)$/.exec(trimmed) ?? [];
  const back = word === '' ? 0 : DAYS_BACK.get(word);
  const clock = CLOCK.exec(rest);
  if (back === undefined || (rest === '' ? word === '' : clock === null)) return undefined;
  const [hour, minute, second] = [clock?.[1], clock?.[2], clock?.[3]].map((part) => Number(part ?? 0));
  if (hour === undefined || minute === undefined || second === undefined) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const [year, month, day] = partsOf(word === '' ? dayMs : nowMs, zone);
  return new Date(timeOf(zone, year, month, day - back, hour, minute, second)).toISOString();
}

/** Both ends as typed: a clock alone as the second is of the day of the first. */
export function readTypedRange(
  typed: TimeRange,
  nowMs: number,
  zone: Zone,
): { readonly from: string | undefined; readonly to: string | undefined } {
  const from = readTyped(typed.from, nowMs, zone);
  const fromMs = from === undefined ? undefined : parseTime(from, nowMs);
  return { from, to: readTyped(typed.to, nowMs, zone, fromMs) };
}
