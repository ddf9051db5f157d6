import { expect, it } from 'vitest';
import { coreWords } from './cpu-strip.tsx';

it('tells of a core what its line of shades shows', () => {
  const timeOf = (step: number) => `10:0${step}`;
  expect(coreWords([0.1, 0.9, null, 0.2], timeOf)).toBe('now 20%, on average 40%, at most 90% at 10:01');
  expect(coreWords([null, null], timeOf)).toBe('nothing measured');
});
