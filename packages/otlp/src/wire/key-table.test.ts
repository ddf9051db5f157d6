import fc from 'fast-check';
import { expect, it } from 'vitest';
import { KeyTable } from './key-table.ts';
import { RangeCache } from './range-cache.ts';
import { boundaryBefore, decodeUtf8, isValidUtf8 } from './utf8.ts';

const bytesOf = (text: string): [Uint8Array, DataView] => {
  const bytes = new Uint8Array(Buffer.from(text, 'utf8'));
  return [bytes, new DataView(bytes.buffer)];
};

function intern(table: KeyTable, key: string, after = -1): number {
  const [bytes, view] = bytesOf(key);
  return table.intern(bytes, view, 0, bytes.length, after);
}

it('gives equal keys one number and different keys different ones, whatever their order', () => {
  const key = fc.string({ unit: 'grapheme', maxLength: 12 });
  fc.assert(
    fc.property(fc.array(key, { maxLength: 60 }), (keys) => {
      const table = new KeyTable((text) => text.length % 2 === 0);
      const ids = new Map<string, number>();
      let before = -1;
      for (const text of keys) {
        const id = intern(table, text, before);
        before = id;
        expect(ids.get(text) ?? id).toBe(id);
        ids.set(text, id);
        expect(table.text(id)).toBe(text);
        expect(table.idOf(text)).toBe(id);
        expect(table.isMarked(id)).toBe(text.length % 2 === 0);
      }
      expect(new Set(ids.values()).size).toBe(ids.size);
    }),
  );
});

it('grows within a request and starts anew between requests', () => {
  const table = new KeyTable();
  for (let index = 0; index < 50_000; index++) expect(intern(table, `key ${index}`)).toBe(index);
  for (let index = 0; index < 50_000; index += 997) expect(intern(table, `key ${index}`)).toBe(index);
  const { generation } = table;
  table.trim();
  expect(table.generation).toBe(generation + 1);
  expect(table.size).toBe(0);
  expect(intern(table, 'key 7')).toBe(0);
  expect(table.idOf('key 7')).toBe(0);
  // Small tables are kept.
  table.trim();
  expect(table.generation).toBe(generation + 1);
});

it('a cached range stands for its own bytes, short or long', () => {
  let made = 0;
  const cache = new RangeCache((bytes, start, end) => {
    made++;
    return decodeUtf8(bytes, start, end);
  });
  const get = (text: string): string => {
    const [bytes, view] = bytesOf(`..${text}..`);
    return cache.get(bytes, view, 2, bytes.length - 2);
  };
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 120 }), (text) => {
      expect(get(text)).toBe(text);
    }),
    { numRuns: 2000 },
  );
  made = 0;
  expect([get('again'), get('again')]).toEqual(['again', 'again']);
  expect(made).toBeLessThanOrEqual(1);
});

it('checks and cuts UTF-8', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      let valid = true;
      try {
        new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      } catch {
        valid = false;
      }
      expect(isValidUtf8(bytes, 0, bytes.length)).toBe(valid);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat({ max: 20 }), (text, limit) => {
      const [bytes] = bytesOf(text);
      const cut = boundaryBefore(bytes, 0, bytes.length, limit);
      expect(cut).toBeLessThanOrEqual(Math.max(limit, 0));
      expect(text.startsWith(decodeUtf8(bytes, 0, cut))).toBe(true);
      expect(bytes.length - cut < 4 || cut > limit - 4).toBe(true);
    }),
  );
});
