import { expect, it } from 'vitest';
import { parseCpuList } from './cpu-list.ts';

it('reads lists of the kernel and bounds them', () => {
  expect(parseCpuList('0-3,8,10-11\n')).toEqual([0, 1, 2, 3, 8, 10, 11]);
  expect(parseCpuList('5')).toEqual([5]);
  expect(parseCpuList('')).toEqual([]);
  expect(parseCpuList('3-1,x,-2,1e3')).toEqual([]);
  expect(parseCpuList('2,2,1')).toEqual([1, 2]);
  expect(parseCpuList('0-999999')).toHaveLength(16_384);
});
