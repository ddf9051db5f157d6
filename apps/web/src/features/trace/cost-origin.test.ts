import { expect, test } from 'vitest';
import { originWords, partLines } from './cost-origin.ts';

test('a cost says which price of which day it follows from', () => {
  const none = { priceId: null, priceDate: null, source: null, parts: [] };
  expect(
    originWords({
      kind: 'list',
      priceId: 'openai/gpt-4o',
      priceDate: '2026-11-05',
      source: 'https://example.org',
      parts: [],
    }),
  ).toBe('; by the price of openai/gpt-4o of 2026-11-05');
  expect(originWords({ kind: 'person', ...none })).toContain('a person');
  expect(originWords({ kind: 'sender', ...none })).toContain('the sender');
  expect(originWords({ kind: 'earlier', ...none })).toContain('when the span arrived');
  expect(originWords(null)).toBe('');
});

test('a cost says what each class of tokens adds, at which rate', () => {
  expect(
    partLines({
      kind: 'list',
      priceId: 'openai/gpt-4o',
      priceDate: '2026-11-05',
      source: null,
      parts: [
        { of: 'input', amount: 1_200, rate: 2.5, costUsd: 0.003 },
        { of: 'webSearch', amount: 2, rate: 10, costUsd: 0.02 },
      ],
    }),
  ).toEqual([
    '1,200 input at 2.5 USD per million: 0.003 USD',
    '2 web searches at 10 USD per thousand: 0.02 USD',
  ]);
  expect(partLines(null)).toEqual([]);
});
