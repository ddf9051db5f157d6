import { expect, it } from 'vitest';
import { fold } from './fold.ts';

/** What the engine does: each letter for itself. */
const byLetter = (text: string): string =>
  Array.from(text, (letter) => letter.toLowerCase())
    .join('')
    .replaceAll('ς', 'σ');

const LETTERS = Array.from({ length: 0x11_0000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));

it.each([
  ['alone', '', ' '],
  ['between letters', 'A', 'B'],
  ['beside sigmas', ' aΣ', 'Σa'],
  ['beside letters and marks whose case depends on others elsewhere', ' İIJ\u0307', '\u0307\u0301ς '],
  ['beside half letters', '\ud800', '\udc00'],
])('every letter %s is folded for itself', (_name, before, after) => {
  const text = LETTERS.map((letter) => before + letter + after).join('');
  // Not told apart by the matcher: it would print both.
  expect(fold(text) === byLetter(text)).toBe(true);
});
