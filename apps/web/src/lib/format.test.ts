import { describe, expect, it } from 'vitest';
import {
  DASH,
  exact,
  formatBound,
  formatBounds,
  formatCost,
  formatCount,
  formatDuration,
  formatRowTime,
  formatTick,
  formatTime,
} from './format.ts';

describe('numbers a person reads', () => {
  it('writes durations in the unit that fits', () => {
    const cases: [number | null, string][] = [
      [null, DASH],
      [0, '0 ms'],
      [1e-9, '0.001 ns'],
      [0.0004, '400 ns'],
      [0.000_999_8, '1 µs'],
      [-0.0004, '-400 ns'],
      [0.42, '420 µs'],
      [230, '230 ms'],
      [230.44, '230 ms'],
      [0.9996, '1 ms'],
      [999.4, '999 ms'],
      [999.9, '1.00 s'],
      [1_240, '1.24 s'],
      [59_940, '59.9 s'],
      [59_990, '1m 00s'],
      [125_000, '2m 05s'],
      [3_780_000, '1h 03m'],
      [86_340_000, '23h 59m'],
      [86_400_000, '1d 0h'],
      [200_000_000, '2d 7h'],
    ];
    for (const [ms, text] of cases) expect(formatDuration(ms)).toBe(text);
  });
  it('shortens counts', () => {
    expect([0, 950, 1_200, 12_345, 999_499, 999_600, 3_400_000, 2e9].map(formatCount)).toEqual([
      '0',
      '950',
      '1.2k',
      '12.3k',
      '999k',
      '1M',
      '3.4M',
      '2B',
    ]);
  });
  it('goes on beyond billions', () => {
    expect([999.4e9, 2.9e13, -7.12e14, 1.5e18].map(formatCount)).toEqual(['999B', '29T', '-712T', '1.5e18']);
  });
  it('keeps two digits of a small cost and never shows a missing one as zero', () => {
    expect([0, 0.0042, 0.000012, 1e-9, 0.25, 1.234, 1_234].map(formatCost)).toEqual([
      '$0',
      '$0.0042',
      '$0.00001',
      '<$0.00001',
      '$0.25',
      '$1.23',
      '$1.23k',
    ]);
    expect(formatCost(undefined)).toBe(DASH);
    expect(exact(null)).toBe('not reported');
    expect(formatCost(-1.234)).toBe('-$1.23');
    expect(exact(1_234_567, ' tokens')).toBe('1,234,567 tokens');
  });
  it('writes what is tiny or huge exactly, and in little room', () => {
    expect([0, 1e-12, -2.5e-7, 1e-6, 1e300].map((value) => exact(value))).toEqual([
      '0',
      '1e-12',
      '-2.5e-7',
      '0.000001',
      '1e+300',
    ]);
  });
  it('writes times in the zone asked for', () => {
    const ms = Date.parse('2026-11-20T10:32:05.123Z');
    expect(formatTime(ms, 'utc')).toBe('20 Nov 10:32:05.123');
    expect(formatTick(ms, 60_000, 'utc')).toBe('10:32:05');
    expect(formatTick(ms, 3_600_000, 'utc')).toBe('10:32');
    expect(formatTick(ms, 3 * 86_400_000, 'utc')).toBe('20 Nov 10:32');
    expect(formatTick(ms, 30 * 86_400_000, 'utc')).toBe('20 Nov');
  });
  it('writes a range without what says nothing', () => {
    const at = (text: string) => Date.parse(`${text}Z`);
    const range = (from: string, to?: string) =>
      formatBounds(at(from), to === undefined ? undefined : at(to), at('2026-11-23T00:00'), 'utc');
    expect(range('2026-11-22T14:00', '2026-11-22T15:00')).toBe('22 Nov 14:00 – 15:00');
    expect(range('2026-11-22T14:00', '2026-11-22T15:00:30')).toBe('22 Nov 14:00:00 – 15:00:30');
    expect(range('2026-11-21T14:00', '2026-11-22T00:00')).toBe('21 Nov 14:00 – 22 Nov 00:00');
    expect(range('2025-11-22T14:00', '2025-11-22T15:00')).toBe('22 Nov 2025 14:00 – 15:00');
    expect(range('2026-11-22T14:00')).toBe('22 Nov 14:00 – now');
  });
  it('writes the year where it is not the one that everybody thinks of', () => {
    const ms = Date.parse('2026-11-20T10:32:05.123Z');
    const later = Date.parse('2027-02-01T00:00:00Z');
    expect(formatTick(ms, 3_650 * 86_400_000, 'utc')).toBe('20 Nov 2026');
    expect(formatBound(ms, ms + 86_400_000, 'utc')).toBe('20 Nov 10:32:05');
    expect(formatBound(ms, later, 'utc')).toBe('20 Nov 2026 10:32:05');
    expect(formatRowTime(ms, ms + 1_000, 'utc')).toBe('10:32:05');
    expect(formatRowTime(ms, ms + 2 * 86_400_000, 'utc')).toBe('20 Nov 10:32:05');
    expect(formatRowTime(ms, later, 'utc')).toBe('20 Nov 2026 10:32');
    const newYearsEve = Date.parse('2026-12-31T23:59:00Z');
    expect(formatRowTime(newYearsEve, newYearsEve + 120_000, 'utc')).toBe('31 Dec 23:59:00');
  });
});
