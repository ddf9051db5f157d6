import { describe, expect, it } from 'vitest';
import { previousWindow } from './previous-window.ts';

const at = (text: string): bigint => BigInt(Date.parse(text)) * 1_000_000n;
const shown = (from: string, to: string): string[] | undefined => {
  const before = previousWindow({ from: at(from), to: at(to) });
  return before && [before.from, before.to].map((ns) => new Date(Number(ns / 1_000_000n)).toISOString());
};

describe('the period before', () => {
  it.each([
    ['a day', '2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z', '2026-11-19T00:00:00.000Z'],
    ['a week', '2026-11-16T00:00:00Z', '2026-11-23T00:00:00Z', '2026-11-09T00:00:00.000Z'],
    ['March', '2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z', '2026-02-01T00:00:00.000Z'],
    ['January', '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z', '2025-12-01T00:00:00.000Z'],
    ['a quarter', '2026-04-01T00:00:00Z', '2026-07-01T00:00:00Z', '2026-01-01T00:00:00.000Z'],
    ['a leap year', '2024-01-01T00:00:00Z', '2025-01-01T00:00:00Z', '2023-01-01T00:00:00.000Z'],
    ['a custom one', '2026-11-20T10:00:00.500Z', '2026-11-20T11:30:00.750Z', '2026-11-20T08:30:00.250Z'],
    ['the last hour', '2026-11-20T10:00:00.123Z', '2026-11-20T11:00:00.124Z', '2026-11-20T09:00:00.123Z'],
  ])('of %s', (_what, from, to, before) => {
    expect(shown(from, to)).toEqual([before, new Date(Date.parse(from)).toISOString()]);
  });

  it('is none before 1970', () => {
    expect(shown('1970-01-01T00:00:00Z', '1970-02-01T00:00:00Z')).toBeUndefined();
    expect(shown('1970-01-05T00:00:00Z', '2026-01-05T00:00:00Z')).toBeUndefined();
  });
});
