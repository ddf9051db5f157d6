import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secretKeyOf, secretKeyProblem } from './key.ts';

describe('the name of a secret', () => {
  it.each([
    ['OPENAI_API_KEY', 'OPENAI_API_KEY'],
    ['openaiApiKey', 'OPENAI_API_KEY'],
    ['openai-api-key', 'OPENAI_API_KEY'],
    ['  openai api.key ', 'OPENAI_API_KEY'],
    ['openai - . api__key', 'OPENAI_API_KEY'],
    ['__a__', 'A'],
    ['$(rm) key\n', 'RM_KEY'],
    ['HTTPProxy', 'HTTPPROXY'],
    ['s3Bucket2Name', 'S3BUCKET2NAME'],
    ['naïve', 'NAVE'],
    ['ключ', ''],
    ['', ''],
  ])('%j is %s', (text, key) => {
    expect(secretKeyOf(text)).toBe(key);
  });

  it('is in form, of ASCII, and stays what it is when it is asked for again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const key = secretKeyOf(text);
        expect(key).toMatch(/^(?:[A-Z0-9]+(?:_[A-Z0-9]+)*)?$/);
        expect(secretKeyOf(key)).toBe(key);
        expect(secretKeyOf(key.toLowerCase())).toBe(key);
        expect(secretKeyOf(` ${text}\t`)).toBe(key);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is refused when no environment variable could have it', () => {
    expect(secretKeyProblem('A')).toBeUndefined();
    expect(secretKeyProblem('A'.repeat(128))).toBeUndefined();
    expect(secretKeyProblem('A'.repeat(129))).toMatch(/128/);
    expect(secretKeyProblem('')).toMatch(/nothing is left/);
    expect(secretKeyProblem('2FA')).toMatch(/digit/);
  });
});
