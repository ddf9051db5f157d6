import { describe, expect, it } from 'vitest';
import { Params } from './params.ts';

describe('a whole second', () => {
  it.each([
    [0n, '0'],
    [1n, '1'],
    [999_999_999n, '1'],
    [1_000_000_000n, '1'],
    [1_000_000_001n, '2'],
    [-1n, '0'],
    [-5_000_000_000n, '0'],
    [2n ** 63n - 1n, '4294967295'],
  ])('of %s ns is the first that is not before it, as far as a DateTime holds one', (nanos, second) => {
    const params = new Params();
    expect(params.second(nanos)).toBe('toDateTime({p0:UInt32})');
    expect(params.values).toEqual({ p0: second });
  });
});
