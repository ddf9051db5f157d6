import { afterEach, describe, expect, it } from 'vitest';
import { parseTime } from './time.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const TEN = Date.UTC(2026, 10, 20, 10);
const before = process.env['TZ'];

afterEach(() => {
  if (before === undefined) delete process.env['TZ'];
  else process.env['TZ'] = before;
});

describe('a point in time', () => {
  it.each(['UTC', 'America/New_York', 'Asia/Kathmandu'])('is the same on a machine in %s', (zone) => {
    process.env['TZ'] = zone;
    for (const text of [
      '2026-11-20T10:00:00Z',
      '2026-11-20T10:00:00.000Z',
      '2026-11-20T12:00:00+02:00',
      '2026-11-20T10:00:00',
      '2026-11-20T10:00',
      '2026-11-20 10:00:00.000',
      ' 2026-11-20 10:00 ',
    ]) {
      expect([text, parseTime(text, NOW)]).toEqual([text, TEN]);
    }
    expect(parseTime('2026-11-20', NOW)).toBe(Date.UTC(2026, 10, 20));
  });

  it('is read from now, as a number, or not at all', () => {
    expect(parseTime('now', NOW)).toBe(NOW);
    expect(parseTime('-24h', NOW)).toBe(NOW - 86_400_000);
    expect(parseTime('now-1w', NOW)).toBe(NOW - 7 * 86_400_000);
    expect(parseTime(5, NOW)).toBe(5);
    for (const text of ['', 'yesterday', '-5y', '10:00', '2026-13-01', '2026-11-20T25:00', Infinity]) {
      expect([text, parseTime(text, NOW)]).toEqual([text, undefined]);
    }
  });
});
