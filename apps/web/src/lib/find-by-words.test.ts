import { expect, it } from 'vitest';
import { findByWords } from './find-by-words.ts';

const names = ['team support', 'Support bot', 'billing', 'support bot (staging)', ''];
const find = (typed: string) => findByWords(names, typed, (name) => name);

it('finds what has every word, those that begin with the first word before the others, in their order', () => {
  expect(find('sup')).toEqual(['Support bot', 'support bot (staging)', 'team support']);
  expect(find('bot  SUP')).toEqual(['Support bot', 'support bot (staging)']);
  expect(find('nothing')).toEqual([]);
});

it('is all of them without a word', () => {
  expect(find('  ')).toBe(names);
});
