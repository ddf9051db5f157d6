import { expect, it } from 'vitest';
import { oneLine, structuredLine, withoutAnsi } from './log-text.ts';

it('terminal escapes go, everything else stays', () => {
  expect(withoutAnsi('\u001B[31mred\u001B[0m \u001B[1;38;5;9mbold\u001B[m')).toBe('red bold');
  expect(withoutAnsi('\u001B]8;;https://x\u0007link\u001B]8;;\u001B\\')).toBe('link');
  expect(withoutAnsi('[31m is text, <b>too</b>')).toBe('[31m is text, <b>too</b>');
  expect(oneLine('  a\n\tb \u001B[2Kc ')).toBe('a b c');
});

it('a JSON object reads as its message and the rest', () => {
  expect(structuredLine('{"msg":"order placed","total":12.5,"tags":["a"]}')).toEqual({
    message: 'order placed',
    rest: 'total=12.5 tags=["a"]',
  });
  expect(structuredLine('{"a":1}')).toEqual({ message: '', rest: 'a=1' });
  expect(structuredLine('{"message":7}')).toEqual({ message: '', rest: 'message=7' });
  expect(structuredLine('{"id":1234567890123456789,"of":{"id":1234567890123456789}}')?.rest).toBe(
    'id=1234567890123456789 of={"id":1234567890123456789}',
  );
  expect(structuredLine('[1]')).toBeUndefined();
  expect(structuredLine('{broken')).toBeUndefined();
  expect(structuredLine('plain')).toBeUndefined();
});
