import fc from 'fast-check';
import { expect, it } from 'vitest';
import { slices } from './slices.ts';

it('slices cover a window without gap or overlap, from the near end on', () => {
  const time = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
  fc.assert(
    fc.property(time, time, fc.boolean(), (a, b, newestFirst) => {
      const window = a < b ? { from: a, to: b } : { from: b, to: a };
      const parts = [...slices(window, newestFirst)];
      expect(parts.length).toBeLessThanOrEqual(6);
      let edge = newestFirst ? window.to : window.from;
      for (const part of parts) {
        expect(part.from).toBeLessThan(part.to);
        expect(newestFirst ? part.to : part.from).toBe(edge);
        edge = newestFirst ? part.from : part.to;
      }
      expect(edge).toBe(newestFirst ? window.from : window.to);
    }),
  );
});
