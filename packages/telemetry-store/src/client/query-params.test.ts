import { expect, it } from 'vitest';
import { queryParam } from './query-params.ts';

it.each([
  ['plain', 'plain'],
  ["it's\ta\\b\r\n", "it\\'s\\ta\\\\b\\r\\n"],
  ["') OR 1=1 --", "\\') OR 1=1 --"],
  ['中 😀 \0', '中 😀 \0'],
  [42, '42'],
  [-0.5e-9, '-5e-10'],
  [2n ** 64n - 1n, '18446744073709551615'],
  [Number.NaN, 'nan'],
  [Number.POSITIVE_INFINITY, '+inf'],
  [Number.NEGATIVE_INFINITY, '-inf'],
  [true, '1'],
  [null, '\\N'],
  [[], '[]'],
  [[1, 2n, true, null], '[1,2,TRUE,NULL]'],
  [["a','b", '\\', '\n'], "['a\\',\\'b','\\\\','\\n']"],
  [[['a'], []], "[['a'],[]]"],
])('a value is sent as %2$j', (value, text) => {
  expect(queryParam(value)).toBe(text);
});

it('takes nothing else', () => {
  for (const value of [{}, new Map(), () => 1, [{}], Symbol('a')])
    expect(() => queryParam(value)).toThrow(TypeError);
});
