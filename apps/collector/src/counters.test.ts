import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MonotonicCounters } from './counters.ts';

it('goes on through resets and wraps', () => {
  const counters = new MonotonicCounters();
  expect(counters.read('a', 100)).toBe(100);
  expect(counters.read('a', 150)).toBe(150);
  // Reset: what it counts now it has counted since.
  expect(counters.read('a', 20)).toBe(170);
  expect(counters.read('a', 20)).toBe(170);

  const nearWrap = 2 ** 32 - 10;
  expect(counters.read('b', nearWrap, 32)).toBe(nearWrap);
  expect(counters.read('b', 5, 32)).toBe(nearWrap + 15);
  // A fall from the lower half is a reset, wide as the counter may be.
  expect(counters.read('b', 1_000, 32)).toBe(nearWrap + 1_010);
  expect(counters.read('b', 3, 32)).toBe(nearWrap + 1_013);
});

it('refuses what no counter says', () => {
  const counters = new MonotonicCounters();
  for (const raw of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, -5n]) {
    expect(counters.read('a', raw)).toBeUndefined();
  }
  expect(counters.size).toBe(0);
});

it('keeps the small steps of counters beyond 2^53', () => {
  const counters = new MonotonicCounters();
  const base = 2n ** 62n;
  counters.read('a', base);
  counters.read('b', 0);
  expect(counters.read('b', 10n)).toBe(10);
  expect(counters.read('a', base + 4_096n)).toBe(Number(base) + 4_096);
});

it('forgets what has long not been read, and only that', () => {
  const counters = new MonotonicCounters();
  counters.read('gone', 1);
  counters.read('there', 1);
  for (let tick = 0; tick < 200; tick += 1) {
    counters.read('there', 1);
    counters.sweep();
  }
  expect(counters.size).toBe(1);
  expect(counters.read('there', 2)).toBe(2);
});

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('grow' as const), by: fc.nat({ max: 1_000_000 }) }),
    fc.record({ kind: fc.constant('reset' as const), by: fc.nat({ max: 1_000 }) }),
  ),
  { maxLength: 40 },
);

it('never goes down and equals what was really counted', () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 31 }), steps, (start, walk) => {
      const counters = new MonotonicCounters();
      let raw = start;
      let counted = start;
      let last = counters.read('x', raw) ?? -1;
      expect(last).toBe(counted);
      for (const { kind, by } of walk) {
        // A reset to at least where it was cannot be told from growth by anybody.
        if (kind === 'reset' && by >= raw) continue;
        raw = kind === 'grow' ? raw + by : by;
        counted += by;
        const now = counters.read('x', raw) ?? -1;
        expect(now).toBeGreaterThanOrEqual(last);
        expect(now).toBe(counted);
        last = now;
      }
    }),
  );
});

it('counts through wraps of any width', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(8, 16, 32),
      fc.array(fc.nat({ max: 120 }), { maxLength: 60 }),
      (bits, growth) => {
        const counters = new MonotonicCounters();
        let real = 0;
        counters.read('x', 0, bits);
        for (const by of growth) {
          real += by;
          expect(counters.read('x', real % 2 ** bits, bits)).toBe(real);
        }
      },
    ),
  );
});

it('is not moved by a device that is gone and answers with all ones', () => {
  const counters = new MonotonicCounters();
  expect(counters.read('x', 10n, 64)).toBe(10);
  expect(counters.read('x', 2n ** 64n - 1n, 64)).toBeUndefined();
  expect(counters.read('x', 12n, 64)).toBe(12);
});
