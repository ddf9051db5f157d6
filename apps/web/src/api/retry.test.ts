import { expect, it } from 'vitest';
import { asksAgain, waitBefore } from './retry.ts';
import { ApiError } from './client.ts';

const refused = (status: number, code: string, retryAfterSeconds?: number) =>
  new ApiError('No.', status, code, 'r', { retryAfterSeconds });

it('asks again what may heal, and not for ever', () => {
  const tries = (error: unknown) => Array.from({ length: 9 }, (_, at) => asksAgain(at, error)).indexOf(false);
  expect(tries(refused(503, 'overloaded', 5))).toBe(5);
  expect(tries(refused(429, 'rate_limited', 3))).toBe(5);
  expect(tries(refused(503, 'store_unavailable', 5))).toBe(2);
  expect(tries(refused(0, 'unreachable'))).toBe(2);
  for (const error of [refused(422, 'query_too_expensive'), refused(500, 'internal'), new Error('a bug')])
    expect(tries(error)).toBe(0);
});

it('comes back when a busy server said, not sooner and not with all others', () => {
  const busy = refused(503, 'overloaded', 5);
  expect([0, 0.5, 1].map((chance) => waitBefore(0, busy, chance))).toEqual([5_000, 6_250, 7_500]);
  expect(waitBefore(4, busy, 0)).toBe(8_000);
  expect(waitBefore(0, refused(0, 'unreachable'), 0)).toBe(500);
  expect(waitBefore(0, refused(429, 'rate_limited', 60), 0)).toBe(60_000);
  expect(waitBefore(50, refused(503, 'overloaded'), 0)).toBe(30_000);
  expect(waitBefore(0, refused(503, 'overloaded', 999_999_999), 0)).toBe(120_000);
});
