import fc from 'fast-check';
import { expect, it } from 'vitest';
import { entityKey, parseEntityKey } from './entity-key.ts';

it('keeps plain ids readable and brings any other through one path segment', () => {
  expect(entityKey('sess-1f.2:a@b')).toBe('sess-1f.2:a@b');
  expect(entityKey('a/b')).toMatch(/^~[\w-]+$/);
  for (const id of ['..', '%2f', '~', 'ü', '会話', ' ', 'x'.repeat(2_000)]) {
    const key = entityKey(id);
    expect(encodeURIComponent(key).replace('~', '')).toMatch(/^[\w-]+$/);
    expect(parseEntityKey(key)).toBe(id);
  }
  expect(parseEntityKey('~%%%')).toBeUndefined();
  expect(parseEntityKey('~gA')).toBeUndefined();
  expect(parseEntityKey('')).toBeUndefined();
});

it('is exact for every text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (id) => parseEntityKey(entityKey(id)) === id),
  );
});
