import { describe, expect, test } from 'vitest';
import { CandelaError } from './errors.ts';
import { PromptCache } from './prompt-cache.ts';
import { waitBefore } from './retry.ts';
import { retryAfterOf } from './transport.ts';

describe('waits', () => {
  test('are a random part of a bound that doubles, on top of what was asked for', () => {
    expect([1, 2, 3, 9].map((number) => waitBefore(number, null, 1))).toEqual([200, 400, 800, 5_000]);
    expect(waitBefore(3, null, 0)).toBe(0);
    expect(waitBefore(1, 7, 0.5)).toBe(7_100);
  });

  test('Retry-After is a number of seconds or a date', () => {
    const now = Date.parse('Sun, 22 Nov 2026 10:00:00 GMT');
    expect(retryAfterOf(null, now)).toBeNull();
    expect(retryAfterOf('12', now)).toBe(12);
    expect(retryAfterOf('Sun, 22 Nov 2026 10:00:05 GMT', now)).toBe(5);
    expect(retryAfterOf('Sun, 22 Nov 2026 09:00:00 GMT', now)).toBe(0);
    expect(retryAfterOf('soon', now)).toBeNull();
    expect(retryAfterOf('99999999999999', now)).toBeNull();
  });
});

describe('the prompt cache', () => {
  const opened = (over: { ttlMs?: number; staleMs?: number; maxEntries?: number } = {}) => {
    const clock = { now: 1_000 };
    const cache = new PromptCache<string>({
      ttlMs: 100,
      staleMs: 50_000,
      maxEntries: 2,
      ...over,
      now: () => clock.now,
    });
    return { cache, clock };
  };
  const away = (retryAfterSeconds: number | null = null) =>
    new CandelaError('overloaded', 'Busy.', { retryable: true, retryAfterSeconds });
  const copy = (value: string) => ({ value, etag: `"${value}"`, size: 10 });

  test('gives a young copy, and asks about an older one', () => {
    const { cache, clock } = opened();
    cache.confirm('a', copy('one'));
    clock.now += 99;
    expect(cache.fresh('a')).toEqual({ value: 'one', staleBecause: undefined });
    clock.now += 1;
    expect(cache.fresh('a')).toBeUndefined();
    expect(cache.known('a')).toEqual({ etag: '"one"', bridge: true });
    cache.confirm('a', 'unchanged');
    expect(cache.fresh('a')?.value).toBe('one');
  });

  test('after a failure the older copy serves without asking for a while, at most a minute', () => {
    const { cache, clock } = opened();
    cache.confirm('a', copy('one'));
    clock.now += 200;
    const error = away();
    expect(cache.failed('a', error)).toEqual({ value: 'one', staleBecause: error });
    clock.now += 4_999;
    expect(cache.fresh('a')).toEqual({ value: 'one', staleBecause: error });
    clock.now += 1;
    expect(cache.fresh('a')).toBeUndefined();
    cache.failed('a', away(10));
    clock.now += 9_999;
    expect(cache.fresh('a')?.value).toBe('one');
  });

  test('a copy that is too old serves no more', () => {
    const { cache, clock } = opened();
    cache.confirm('a', copy('one'));
    clock.now += 50_099;
    expect(cache.failed('a', away()).value).toBe('one');
    clock.now += 1;
    expect(cache.fresh('a')).toBeUndefined();
    expect(() => cache.failed('a', away())).toThrow('Busy.');
  });

  test('holds so many copies, the least recently used goes', () => {
    const { cache } = opened();
    cache.confirm('a', copy('one'));
    cache.confirm('b', copy('two'));
    cache.fresh('a');
    cache.confirm('c', copy('three'));
    expect(['a', 'b', 'c'].map((key) => cache.fresh(key)?.value)).toEqual(['one', undefined, 'three']);
  });

  test('holds so many characters', () => {
    const { cache } = opened({ maxEntries: 100 });
    const half = { value: 'big', etag: null, size: 16 * 1024 * 1024 };
    for (const key of ['a', 'b', 'c']) cache.confirm(key, half);
    expect(['a', 'b', 'c'].map((key) => cache.fresh(key)?.value)).toEqual([undefined, 'big', 'big']);
    cache.confirm('d', { ...half, size: half.size * 3 });
    expect(cache.fresh('d')).toBeUndefined();
    expect(cache.fresh('c')?.value).toBe('big');
  });

  test('holds nothing when it is switched off', () => {
    const { cache } = opened({ ttlMs: 0, staleMs: 0 });
    expect(cache.confirm('a', copy('one'))).toBe('one');
    expect(cache.known('a')).toEqual({ etag: undefined, bridge: false });
  });
});
