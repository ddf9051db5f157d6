import { expect, it } from 'vitest';
import { windowOf } from './service.ts';

const now = Date.parse('2026-11-22T12:00:00Z');
const of = (from: string | number, to: string | number = 'now') => windowOf({ from, to }, { now: () => now });

it('reads relative times, ISO 8601 and milliseconds, and ten years of them', () => {
  const ms = (window: { from: bigint; to: bigint }) => Number(window.from / 1_000_000n);
  expect(ms(of('-24h'))).toBe(now - 86_400_000);
  expect(ms(of(now - 5))).toBe(now - 5);
  expect(ms(of('2016-11-22T12:00:00Z'))).toBe(Date.parse('2016-11-22T12:00:00Z'));
  // What arrives in this very millisecond is part of it.
  expect(of('-1h').to).toBe(BigInt(now + 1) * 1_000_000n);
});

it.each<[string, string | number, string | number, RegExp]>([
  ['a unit that there is none of', '-10y', 'now', /"from" is not a time\. .* s, m, h, d or w/],
  ['words', '-1h', 'tomorrow', /"to" is not a time/],
  ['a time before all', '1901-01-01T00:00:00Z', 'now', /"from" lies outside of the years .* 1970 to 2243/],
  ['longer ago than that', '-30000d', 'now', /"from" lies outside/],
  ['a time after all', '-1h', 9_000_000_000_000, /"to" lies outside/],
  ['an end before the beginning', 'now', '-1h', /"from" must lie before "to"/],
])('says what is wrong with %s', (_, from, to, message) => {
  expect(() => of(from, to)).toThrow(message);
});
