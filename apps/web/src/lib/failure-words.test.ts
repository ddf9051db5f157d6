import { expect, it } from 'vitest';
import { failureWords, namedError, typeName } from './failure-words.ts';

it.each([
  ['_OTHER', 'exit status 1', 'exit status 1'],
  ['TimeoutError', 'no answer in 30 s', 'no answer in 30 s (TimeoutError)'],
  ['TimeoutError', 'TimeoutError: no answer', 'TimeoutError: no answer'],
  ['TimeoutError', null, 'TimeoutError'],
  ['_OTHER', null, undefined],
  [null, '', undefined],
])('says of %s and %s: %s', (errorType, statusMessage, words) => {
  expect(failureWords({ errorType, statusMessage })).toBe(words);
});

it('names no type where the span names none', () => {
  expect(namedError({ errorType: '_OTHER', statusMessage: null })).toBeNull();
  expect(namedError({ errorType: '429', statusMessage: null })).toBe('429');
});

it('calls an exception by its type, and says in words that it has none', () => {
  expect(['TimeoutError', '', '_OTHER'].map(typeName)).toEqual([
    'TimeoutError',
    'Exception without a type',
    'Failure without a type',
  ]);
});
