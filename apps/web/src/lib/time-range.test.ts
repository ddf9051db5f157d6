import { describe, expect, it } from 'vitest';
import { bucketSeconds, isRangeText, isTimeText, labelOf, plainRange, resolveRange } from './time-range.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');

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
  it('keeps the number of bars bounded', () => {
    for (const hours of [0.05, 1, 24, 24 * 30, 24 * 4_000]) {
      const window = { fromMs: NOW - hours * 3_600_000, toMs: NOW };
      expect((hours * 3_600) / bucketSeconds(window)).toBeLessThanOrEqual(80);
    }
  });
});
