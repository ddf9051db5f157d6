import { silentLogger } from '@candela/kernel';
import { expect, it } from 'vitest';
import { LastSeenUpdates } from './last-seen.ts';

it('writes the latest note of each, many at once, and goes on after a failure', async () => {
  const written: (readonly [string, number])[][] = [];
  let fails = true;
  const touches = new LastSeenUpdates(async (notes) => {
    if (fails) throw new Error('on purpose');
    written.push([...notes]);
  }, silentLogger);
  touches.note('lost', 1);
  await touches.settle();
  fails = false;
  touches.note('a', 1);
  touches.note('a', 2);
  for (let n = 0; n < 250; n += 1) touches.note(`k${n}`, n);
  await Promise.all([touches.settle(), touches.settle()]);
  expect(written.map(({ length }) => length)).toEqual([200, 51]);
  expect(written[0]?.[0]).toEqual(['a', 2]);
});
