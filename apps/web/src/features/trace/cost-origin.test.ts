import { expect, test } from 'vitest';
import { originWords } from './cost-origin.ts';

test('a cost says which price of which day it follows from', () => {
  const none = { priceId: null, priceDate: null, source: null };
  expect(
    originWords({
      kind: 'list',
      priceId: 'openai/gpt-4o',
      priceDate: '2026-11-05',
      source: 'https://example.org',
    }),
  ).toBe('; by the price of openai/gpt-4o of 2026-11-05');
  expect(originWords({ kind: 'person', ...none })).toContain('a person');
  expect(originWords({ kind: 'sender', ...none })).toContain('the sender');
  expect(originWords({ kind: 'earlier', ...none })).toContain('when the span arrived');
  expect(originWords(null)).toBe('');
});
