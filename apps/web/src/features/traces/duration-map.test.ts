import { parseFilter } from '@candela/contract/filter';
import { describe, expect, it } from 'vitest';
import { durationFilter } from './duration-map.tsx';

describe('durations of a rectangle', () => {
  it('are text that the search reads', () => {
    expect(durationFilter({ low: 0, high: 12.3456 })).toBe('duration<12.3ms');
    const text = durationFilter({ low: 1_234.5, high: 5_678 });
    expect(parseFilter(text, 'spans')).toMatchObject({ ok: true });
    expect(parseFilter(durationFilter({ low: 5, high: 5 }), 'spans')).toMatchObject({ ok: true });
  });
});
