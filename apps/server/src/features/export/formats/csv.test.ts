import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cell, csvLine } from './csv.ts';

it.each<[unknown, string]>([
  [null, ''],
  [undefined, ''],
  ['', ''],
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "x"', '"say ""x"""'],
  ['two\nlines', '"two\nlines"'],
  ['=1+2', "'=1+2"],
  ['+49 30', "'+49 30"],
  ['-5', "'-5"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', '"\'\t=1"'],
  ['x;=1', '"x;=1"'],
  ['x\t=1', '"x\t=1"'],
  ['\r=1', '"\'\r=1"'],
  ['＝1', "'＝1"],
  [-5, '-5'],
  [0.25, '0.25'],
  [true, 'true'],
  [['a', 'b'], '"a; b"'],
  [[], ''],
  [{ a: 1 }, '"{""a"":1}"'],
])('%j is %s', (value, text) => {
  expect(cell(value)).toBe(text);
});

it('no text begins with the sign of a formula, and every line has its cells', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 5 }), (values) => {
      const line = csvLine(values);
      expect(line.endsWith('\r\n')).toBe(true);
      let cells = 1;
      let quoted = false;
      for (const character of line.slice(0, -2)) {
        if (character === '"') quoted = !quoted;
        else if (character === ',' && !quoted) cells += 1;
      }
      expect(quoted).toBe(false);
      expect(cells).toBe(values.length);
      for (const value of values) expect(cell(value).replace(/^"/, '')).not.toMatch(/^[=+\-@\t\r]/);
    }),
  );
});
