import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffTexts } from './diff.ts';

const side = (blocks: ReturnType<typeof diffTexts>, gone: 'added' | 'removed') =>
  blocks
    .filter(({ kind }) => kind !== gone)
    .map(({ text }) => text)
    .join('');

describe('what changed between two texts', () => {
  it('is told by lines, and by words where lines were replaced', () => {
    expect(diffTexts('one\ntwo words here\nthree\n', 'one\ntwo other words here\nthree\nfour')).toEqual([
      { kind: 'same', text: 'one\n' },
      {
        kind: 'removed',
        text: 'two words here\n',
        words: [
          { kind: 'same', text: 'two ' },
          { kind: 'same', text: 'words here\n' },
        ],
      },
      {
        kind: 'added',
        text: 'two other words here\n',
        words: [
          { kind: 'same', text: 'two ' },
          { kind: 'added', text: 'other ' },
          { kind: 'same', text: 'words here\n' },
        ],
      },
      { kind: 'same', text: 'three\n' },
      { kind: 'added', text: 'four' },
    ]);
    expect(diffTexts('a', 'a')).toEqual([{ kind: 'same', text: 'a' }]);
  });

  it('gives both texts back whole, whatever they are', () => {
    const line = fc.constantFrom('a\n', 'b\n', 'a b\n', '\n', 'c', 'ü 😀\r\n', '{{x}} ');
    const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join(''));
    fc.assert(
      fc.property(text, text, (from, to) => {
        const blocks = diffTexts(from, to);
        expect([side(blocks, 'added'), side(blocks, 'removed')]).toEqual([from, to]);
        for (const { text: whole, words } of blocks)
          if (words !== undefined) expect(words.map((word) => word.text).join('')).toBe(whole);
      }),
    );
  });

  it('is bounded: texts that have nothing in common are replaced whole', () => {
    const lines = (mark: string) => Array.from({ length: 20_000 }, (_, n) => `${mark}${n}\n`).join('');
    const blocks = diffTexts(lines('a'), lines('b'));
    expect(blocks.map(({ kind, words }) => [kind, words])).toEqual([
      ['removed', undefined],
      ['added', undefined],
    ]);
  });
});
