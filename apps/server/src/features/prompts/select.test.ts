import { CandelaError } from '@candela/kernel';
import type { PromptIndex } from '@candela/metadata-store';
import { describe, expect, it } from 'vitest';
import { choose } from './select.ts';

const NUMBERS = ['10.0.0', '9.1.0', '9.0.10', '9.0.9', '1.2.0', '0.0.1'];
const index = (numbers: readonly string[], labels: readonly [string, string][] = []): PromptIndex => ({
  id: 'p',
  name: 'greeting',
  draftId: 'd',
  createdBy: null,
  createdAt: 0,
  updatedAt: 0,
  versions: numbers.map((text) => {
    const [major = 0, minor = 0, patch = 0] = text.split('.').map(Number);
    return { id: text, major, minor, patch };
  }),
  labels: new Map(labels),
});
const full = index(NUMBERS, [
  ['live', '9.0.9'],
  ['dangling', 'gone'],
]);
const said = (wanted: string, of = full): string => {
  try {
    return choose(of, wanted).id;
  } catch (thrown) {
    return thrown instanceof CandelaError ? `${thrown.code}: ${thrown.message}` : String(thrown);
  }
};

describe('the version that is meant', () => {
  it.each<[string, string]>([
    ['', '10.0.0'],
    ['latest', '10.0.0'],
    ['9.x', '9.1.0'],
    ['9.0.x', '9.0.10'],
    ['live', '9.0.9'],
    ...NUMBERS.map((each) => [each, each] satisfies [string, string]),
  ])('by %j is %s', (wanted, id) => {
    expect(said(wanted)).toBe(id);
  });

  it.each([
    ['2.0.0', /^not_found: Version 2.0.0 of the prompt "greeting" was not found/],
    ['10.0.1', /^not_found/],
    ['0.0.0', /^not_found/],
    ['3.x', /^not_found: A version 3.x of the prompt/],
    ['9.2.x', /^not_found/],
    ['absent', /^not_found: The label "absent" of the prompt/],
    ['dangling', /^not_found/],
    ['1.2', /^bad_request: "1.2" is no version. Use an exact one/],
    ['<img>', /^bad_request/],
  ])('by %j is none', (wanted, sentence) => {
    expect(said(wanted)).toMatch(sentence);
  });

  it('is none of a prompt that has only a draft, and says so', () => {
    for (const wanted of ['', 'latest', '1.0.0', '1.x', 'live'])
      expect(said(wanted, index([]))).toMatch(/^refused: The prompt "greeting" has only a draft. Publish/);
  });
});
