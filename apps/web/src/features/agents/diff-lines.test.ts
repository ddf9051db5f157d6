import fc from 'fast-check';
import { expect, it } from 'vitest';
import { diffLines } from './diff-lines.ts';

const told = (before: string, after: string) =>
  diffLines(before, after).map(({ kind, text }) => `${{ same: ' ', added: '+', removed: '-' }[kind]}${text}`);

it('shows what went and what came, in place', () => {
  expect(told('a\nb\nc', 'a\nB\nc')).toEqual([' a', '-b', '+B', ' c']);
  expect(told('', 'a')).toEqual(['+a']);
  expect(told('a', '')).toEqual(['-a']);
  expect(told('same', 'same')).toEqual([' same']);
  expect(told('x\na\nb', 'a\nb\ny')).toEqual(['-x', ' a', ' b', '+y']);
});

it('gives both texts back', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
    .map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after);
      const side = (gone: string) =>
        lines
          .filter(({ kind }) => kind !== gone)
          .map((line) => line.text)
          .join('\n');
      return side('added') === before && side('removed') === after;
    }),
  );
});

it('does not grind on long texts', () => {
  const long = Array.from({ length: 5_000 }, (_, index) => `${index}`).join('\n');
  expect(diffLines(long, `x\n${long}\ny`)).toHaveLength(10_002);
});
