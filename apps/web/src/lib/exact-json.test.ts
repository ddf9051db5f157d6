import { expect, it } from 'vitest';
import { numberText, parseExactly } from './exact-json.ts';

it.each([
  '{"id":1234567890123456789,"list":[-12345678901234567890,1]}',
  '[1e400,0.1234567890123456789]',
  '{"__proto__":{"id":9007199254740993}}',
])('keeps the numbers of %s', (text) => {
  expect(JSON.stringify(parseExactly(text))).toBe(text);
});

it('takes a number that is none the less as one', () => {
  expect(parseExactly('[1234567890123456, 0.30000000000000004, 1.10, -0, 1e3]')).toEqual([
    1_234_567_890_123_456, 0.300_000_000_000_000_04, 1.1, -0, 1_000,
  ]);
});

it('tells the text of what it kept, and of nothing else', () => {
  const { id, text, like } = parseExactly(
    '{"id":9007199254740993,"text":"9007199254740993","like":{"rawJSON":"1"}}',
  ) as Record<string, unknown>;
  expect(numberText(id)).toBe('9007199254740993');
  expect(numberText(text)).toBeUndefined();
  expect(numberText(like)).toBeUndefined();
});

it('refuses what is no JSON', () => {
  expect(() => parseExactly('{"id":12345678901234567890')).toThrow(SyntaxError);
});
