import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Keywords } from './keywords.ts';
import { ASSIGNMENTS, TOKENS } from './patterns.ts';

const PATTERNS = [...TOKENS, ...ASSIGNMENTS];

it('finds the patterns that have a keyword in the text, and no others', () => {
  const keywords = new Keywords(PATTERNS);
  const piece = fc.oneof(
    fc.constantFrom(...PATTERNS.flatMap((pattern) => pattern.keywords)),
    fc.string({ maxLength: 5, unit: 'grapheme' }).map((text) => text.toLowerCase()),
    // Beginnings of keywords alone.
    fc.constantFrom(...PATTERNS.map((pattern) => pattern.keywords[0]?.slice(0, 3) ?? '')),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      expect(keywords.in(text)).toEqual(
        PATTERNS.filter((pattern) => pattern.keywords.some((keyword) => text.includes(keyword))),
      );
    }),
    { numRuns: 1_000 },
  );
});
