import { expect, it } from 'vitest';
import { searchTerms } from './terms.ts';

it.each([
  ['Refund  order', ['refund', 'order']],
  ['say "Not Now" please', ['say', 'not now', 'please']],
  ['"open end', ['open end']],
  ['a"b c"d', ['a', 'b c', 'd']],
  [' "" "  " ', []],
  ['x x X', ['x']],
  [
    Array.from({ length: 50 }, (_, index) => `w${index}`).join(' '),
    Array.from({ length: 50 }, (_, index) => `w${index}`),
  ],
])('terms of %s', (text, terms) => {
  expect(searchTerms(text)).toEqual(terms);
});
