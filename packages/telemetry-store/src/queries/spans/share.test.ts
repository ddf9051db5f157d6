import { expect, it } from 'vitest';
import { SeenShares } from './share.ts';

it('what was seen of a list is known for ten minutes, of the last thousand lists', () => {
  let now = 0;
  const seen = new SeenShares(() => now);
  seen.set('first', 0.5);
  now = 599_999;
  expect(seen.get('first')).toBe(0.5);
  now = 600_001;
  expect(seen.get('first')).toBeUndefined();
  for (let list = 0; list < 1_001; list += 1) seen.set(`list ${list}`, list);
  expect([seen.get('list 0'), seen.get('list 1'), seen.get('list 1000')]).toEqual([undefined, 1, 1_000]);
});
