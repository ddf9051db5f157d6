import { expect, it } from 'vitest';
import { eachOnce } from './each-once.ts';

it('keeps the newest of a span that was sent while it ran and with its end', () => {
  const arrived = ['a ended', 'b', 'a running'];
  const listed = ['b', 'c', 'a running'];
  expect(eachOnce([...arrived, ...listed], (row) => row.slice(0, 1))).toEqual(['a ended', 'b', 'c']);
});
