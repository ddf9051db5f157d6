import { diffTexts } from '@candela/contract/diff';
import { describe, expect, it } from 'vitest';
import { folded, type SideRow, sideBySide } from './side-by-side.ts';

const compared = (before: string, after: string) => sideBySide(diffTexts(before, after));
const text = (rows: readonly SideRow[], side: 'left' | 'right') =>
  rows
    .map((row) => row[side])
    .filter((line) => line !== null)
    .map((line) => line.parts.map((part) => part.text).join(''))
    .join('\n');

describe('two texts side by side', () => {
  it('pairs the lines that changed and marks their words', () => {
    const rows = compared(
      'You are kind.\nAnswer in {{language}}.\nEnd',
      'You are kind.\nAnswer in {{tongue}}.\nMore\nEnd',
    );
    expect(rows.map((row) => [row.same, row.left?.number, row.right?.number])).toEqual([
      [true, 1, 1],
      [false, 2, 2],
      [false, undefined, 3],
      [true, 3, 4],
    ]);
    const changed = (side: 'left' | 'right') =>
      rows[1]?.[side]?.parts.filter((part) => part.changed).map((part) => part.text);
    expect([changed('left'), changed('right')]).toEqual([['language'], ['tongue']]);
  });
  it('gives both texts back whole, empty lines too', () => {
    const before = 'a\n\nb <b>\n\n\nc\nd';
    const after = 'x\na\n\nb <i>\n\n\nd\ne';
    const rows = compared(before, after);
    expect([text(rows, 'left'), text(rows, 'right')]).toEqual([before, after]);
    expect(compared('', '')).toEqual([]);
    expect(text(compared('', 'all\nnew'), 'right')).toBe('all\nnew');
  });
  it('leaves a last line alone that lines were added to', () => {
    const rows = compared('one\ntwo', 'one\ntwo\nthree');
    expect(rows.map((row) => row.same)).toEqual([true, true, false]);
    expect(text(rows, 'right')).toBe('one\ntwo\nthree');
  });
  it('folds what is the same far from a change, and nothing else', () => {
    const lines = Array.from({ length: 40 }, (_, at) => `line ${at}`);
    const rows = compared(lines.join('\n'), lines.with(20, 'other').join('\n'));
    const shown = folded(rows);
    expect(shown.map((each) => (each.kind === 'fold' ? each.rows.length : 1))).toEqual([
      17, 1, 1, 1, 1, 1, 1, 1, 16,
    ]);
    expect(shown.flatMap((each) => (each.kind === 'fold' ? each.rows : [each.row]))).toEqual(rows);
    const short = compared('a\nb\nc\nd', 'a\nB\nc\nd');
    expect(folded(short).map((each) => (each.kind === 'row' ? each.row : undefined))).toEqual(short);
  });
});
