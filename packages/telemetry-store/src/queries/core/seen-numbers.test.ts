import { expect, it } from 'vitest';
import { SeenNumbers } from './seen-numbers.ts';

it('a number is known for ten minutes, of the last thousand questions', () => {
  let now = 0;
  const seen = new SeenNumbers(() => now);
  seen.set('first', 0.5);
  now = 599_999;
  expect(seen.get('first')).toBe(0.5);
  now = 600_001;
  expect(seen.get('first')).toBeUndefined();
  for (let list = 0; list < 1_001; list += 1) seen.set(`list ${list}`, list);
  expect([seen.get('list 0'), seen.get('list 1'), seen.get('list 1000')]).toEqual([undefined, 1, 1_000]);
});
