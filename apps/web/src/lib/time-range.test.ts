import { describe, expect, it } from 'vitest';
import {
  bucketSeconds,
  CALENDAR,
  calendarBefore,
  fixedLink,
  isRangeText,
  isTimeText,
  labelOf,
  partsOf,
  plainRange,
  resolveRange,
  windowBefore,
} from './time-range.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');

function inZone(zone: string, check: () => void): void {
  const was = process.env['TZ'];
  process.env['TZ'] = zone;
  try {
    check();
  } finally {
    if (was === undefined) delete process.env['TZ'];
    else process.env['TZ'] = was;
  }
}

describe('time range', () => {
  it('resolves relative and absolute text, and falls back when it is unreadable or inverted', () => {
    expect(resolveRange({ from: '-1h', to: 'now' }, NOW)).toEqual({ fromMs: NOW - 3_600_000, toMs: NOW });
    expect(resolveRange({ from: '2026-11-20T10:00:00Z', to: '2026-11-20T11:00:00Z' }, NOW)).toEqual({
      fromMs: NOW - 7_200_000,
      toMs: NOW - 3_600_000,
    });
    const fallback = { fromMs: NOW - 86_400_000, toMs: NOW };
    expect(resolveRange({ from: 'now', to: '-1h' }, NOW)).toEqual(fallback);
    expect(resolveRange({ from: '<script>', to: 'now' }, NOW)).toEqual(fallback);
  });
  it('accepts only times', () => {
    expect(isTimeText('-15m')).toBe(true);
    expect(isTimeText('yesterday')).toBe(false);
    expect(isTimeText(7)).toBe(false);
  });
  it('names ranges', () => {
    expect(labelOf({ from: '-4h', to: 'now' }, String)).toBe('Last 4 hours');
    expect(labelOf({ from: '-1d', to: 'now' }, String)).toBe('Last 1 day');
  });
  it('knows the calendar', () => {
    // A Friday.
    const plain = (from: string) => plainRange({ from, to: 'now' }, NOW, 'utc');
    expect(plain('today')).toEqual({ from: '2026-11-20T00:00:00.000Z', to: 'now' });
    expect(plain('yesterday')).toEqual({
      from: '2026-11-19T00:00:00.000Z',
      to: '2026-11-20T00:00:00.000Z',
    });
    expect(plain('this-week').from).toBe('2026-11-16T00:00:00.000Z');
    expect(plain('last-week')).toEqual({
      from: '2026-11-09T00:00:00.000Z',
      to: '2026-11-16T00:00:00.000Z',
    });
    expect(plain('last-month')).toEqual({
      from: '2026-10-01T00:00:00.000Z',
      to: '2026-11-01T00:00:00.000Z',
    });
    expect(plainRange({ from: '-1h', to: 'now' }, NOW, 'utc').from).toBe('-1h');
    expect(labelOf({ from: 'last-week', to: 'now' }, String)).toBe('Last week');
    expect(isRangeText('yesterday') && !isRangeText('tomorrow')).toBe(true);
    const sunday = Date.parse('2026-11-22T23:00:00Z');
    expect(plainRange({ from: 'this-week', to: 'now' }, sunday, 'utc').from).toBe('2026-11-16T00:00:00.000Z');
  });
  it('compares ranges of the calendar with the same part of the one before', () => {
    const before = (from: string, now: string) => {
      const range = calendarBefore({ from, to: 'now' }, Date.parse(now), 'utc');
      return range && [range.from, range.to].map((time) => time.replace(':00.000Z', ''));
    };
    const friday = '2026-11-20T12:34:00Z';
    expect(before('today', friday)).toEqual(['2026-11-19T00:00', '2026-11-19T12:34']);
    expect(before('yesterday', friday)).toEqual(['2026-11-18T00:00', '2026-11-19T00:00']);
    expect(before('this-week', friday)).toEqual(['2026-11-09T00:00', '2026-11-13T12:34']);
    expect(before('last-week', friday)).toEqual(['2026-11-02T00:00', '2026-11-09T00:00']);
    expect(before('this-month', friday)).toEqual(['2026-10-01T00:00', '2026-10-20T12:34']);
    expect(before('last-month', friday)).toEqual(['2026-09-01T00:00', '2026-10-01T00:00']);
    // February has no 30th: all of it, and nothing of March.
    expect(before('this-month', '2026-03-30T12:34:00Z')).toEqual(['2026-02-01T00:00', '2026-03-01T00:00']);
    expect(before('-24h', friday)).toBeUndefined();
  });
  it('compares other windows by the rule of the server: whole months with months, else with their own length', () => {
    const before = (from: string, to: string) => {
      const window = windowBefore({ fromMs: Date.parse(from), toMs: Date.parse(to) }, true);
      return window && [window.fromMs, window.toMs].map((ms) => new Date(ms).toISOString().slice(0, 16));
    };
    expect(before('2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z')).toEqual([
      '2026-09-01T00:00',
      '2026-10-01T00:00',
    ]);
    expect(before('2026-11-20T10:00:00Z', '2026-11-20T11:30:00Z')).toEqual([
      '2026-11-20T08:30',
      '2026-11-20T10:00',
    ]);
    const given = { from: '2026-09-01T00:00:00Z', to: '2026-09-20T00:00:00Z' };
    expect(windowBefore({ fromMs: NOW - 1, toMs: NOW }, given)).toEqual({
      fromMs: Date.parse(given.from),
      toMs: Date.parse(given.to),
    });
  });
  it('compares days and months of the zone, whatever its clocks do', () => {
    const before = (from: string, now: string) =>
      calendarBefore({ from, to: 'now' }, Date.parse(now), 'local');
    inZone('Europe/Berlin', () => {
      // October had 31 days and an hour there, September 30 days.
      expect(before('last-month', '2026-11-20T12:00:00Z')).toEqual({
        from: '2026-08-31T22:00:00.000Z',
        to: '2026-09-30T22:00:00.000Z',
      });
      // The Sunday on which the clocks are set back has 25 hours, the Saturday before it 24.
      expect(before('yesterday', '2026-10-26T12:00:00Z')).toEqual({
        from: '2026-10-23T22:00:00.000Z',
        to: '2026-10-24T22:00:00.000Z',
      });
    });
    inZone('America/Santiago', () => {
      // On the sixth of September the clock goes from 23:59 to 01:00: that day begins at one.
      expect(before('yesterday', '2026-09-06T05:00:00Z')).toEqual({
        from: '2026-09-04T04:00:00.000Z',
        to: '2026-09-05T04:00:00.000Z',
      });
      expect(before('today', '2026-09-06T05:00:00Z')).toEqual({
        from: '2026-09-05T04:00:00.000Z',
        to: '2026-09-05T06:00:00.000Z',
      });
      expect(before('today', '2026-09-07T15:00:00Z')?.from).toBe('2026-09-06T04:00:00.000Z');
    });
    inZone('America/Nuuk', () => {
      // The Saturday before has no 23:30: all of it, and nothing of the Sunday.
      expect(before('today', '2026-03-30T00:30:00Z')).toEqual({
        from: '2026-03-28T02:00:00.000Z',
        to: '2026-03-29T01:00:00.000Z',
      });
    });
  });
  it.each([
    'America/Santiago',
    'America/Havana',
    'America/Nuuk',
    'Africa/Cairo',
    'Atlantic/Azores',
    'Australia/Lord_Howe',
  ])('compares every day of a year in %s with whole days before it', (zone) => {
    const day = (ms: number) => partsOf(ms, 'local').slice(0, 3).join('-');
    const wrong: unknown[] = [];
    inZone(zone, () => {
      for (let now = Date.UTC(2026, 0, 1, 0, 7); now < Date.UTC(2027, 0, 5); now += 307 * 60_000) {
        for (const { from } of CALENDAR) {
          const window = resolveRange(plainRange({ from, to: 'now' }, now, 'local'), now);
          const before = calendarBefore({ from, to: 'now' }, now, 'local');
          const [begin, end] = [Date.parse(before?.from ?? ''), Date.parse(before?.to ?? '')];
          const ended = window.toMs < now;
          const good =
            begin < end &&
            (ended ? end === window.fromMs : end <= window.fromMs) &&
            day(begin - 1) !== day(begin) &&
            day(window.fromMs - 1) !== day(begin - 1);
          if (!good) wrong.push([from, new Date(now).toString(), before]);
        }
      }
    });
    expect(wrong).toEqual([]);
  });
  it('keeps the number of bars bounded', () => {
    for (const hours of [0.05, 1, 24, 24 * 30, 24 * 4_000]) {
      const window = { fromMs: NOW - hours * 3_600_000, toMs: NOW };
      expect((hours * 3_600) / bucketSeconds(window)).toBeLessThanOrEqual(80);
    }
  });

  it('writes links that show the same times whenever they are opened', () => {
    const window = resolveRange({ from: '-1h', to: 'now' }, NOW);
    const link = new URL(
      fixedLink(
        'http://candela/traces?q=name%3A%22a+b%22&from=-1h&live=true&diff=status%3Aerror&cols=a,b',
        window,
      ),
    );
    expect(Object.fromEntries(link.searchParams)).toEqual({
      q: 'name:"a b"',
      from: '2026-11-20T11:00:00.000Z',
      to: '2026-11-20T12:00:00.000Z',
      diff: 'status:error',
      cols: 'a,b',
    });
    const range = { from: link.searchParams.get('from') ?? '', to: link.searchParams.get('to') ?? '' };
    expect(resolveRange(range, NOW + 1_800_000)).toEqual(window);
    expect(new URL(fixedLink('http://candela/', window)).searchParams.get('to')).toBe(
      '2026-11-20T12:00:00.000Z',
    );
  });
});
