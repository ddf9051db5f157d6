import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TABLES } from '../schema/tables.ts';
import { type AttributeKey, columnName, keyOfColumn, LEARNED_TABLES } from './names.ts';

const span = (key: string): AttributeKey => ({ table: 'otel_traces', map: 'SpanAttributes', key });

const keys = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 70 }),
  fc.string({
    unit: fc.constantFrom('a', 'A', '_', '5', 'f', '%', '.', 'é', "'", '`', '\\', '}', '\0', '\n', '\uD83D'),
  }),
);
const places = fc.constantFrom(
  ['otel_traces', 'SpanAttributes'],
  ['otel_traces', 'ResourceAttributes'],
  ['otel_logs', 'LogAttributes'],
  ['otel_logs', 'ResourceAttributes'],
);
const attributes = fc.tuple(places, keys).map(([[table = '', map = ''], key]) => ({ table, map, key }));

describe('names of columns of keys', () => {
  it.each([
    ['url.path', 'Attribute_url_2epath'],
    ['a_b', 'Attribute_a_5fb'],
    ['userId', 'Attribute_user_49d'],
    ['é', 'Attribute__c3_a9'],
    ['x'.repeat(60), `Attribute_${'x'.repeat(60)}`],
    ['x'.repeat(61), undefined],
    ['é'.repeat(31), undefined],
    ['', undefined],
    ['\uD800', undefined],
  ])('%j is %s', (key, name) => {
    expect(columnName(span(key))).toBe(name);
  });

  it('are none for other tables and maps, such as messages', () => {
    expect(columnName({ table: 'otel_traces', map: 'ContentAttributes', key: 'a' })).toBeUndefined();
    expect(columnName({ table: 'exceptions', map: 'SpanAttributes', key: 'a' })).toBeUndefined();
  });

  it('tell the key, are safe to write and short enough for names of files, whatever the key', () => {
    fc.assert(
      fc.property(attributes, (attribute) => {
        const name = columnName(attribute);
        if (name === undefined) return;
        expect(name).toMatch(/^[A-Z][a-z]+_[a-z0-9_]+$/);
        expect(name.length).toBeLessThanOrEqual(190);
        expect(keyOfColumn(attribute.table, name)).toEqual(attribute);
      }),
      { numRuns: 2_000 },
    );
  });

  it('differ where keys differ, also for those who do not tell capitals from small letters', () => {
    fc.assert(
      fc.property(keys, keys, (one, other) => {
        const [first, second] = [columnName(span(one)), columnName(span(other))];
        if (first === undefined || second === undefined) return;
        expect(first.toLowerCase() === second.toLowerCase()).toBe(one === other);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are read from nothing else: not from columns of the schema, nor from names nobody made', () => {
    for (const table of TABLES) {
      for (const { name } of table.columns) expect(keyOfColumn(table.name, name)).toBeUndefined();
    }
    for (const table of LEARNED_TABLES) {
      for (const name of [
        'HttpRoute',
        'Attribute_',
        'Attribute_A',
        'Attribute__c3',
        'Attribute__61',
        'Other_a',
      ]) {
        expect(keyOfColumn(table, name)).toBeUndefined();
      }
    }
    fc.assert(
      fc.property(fc.string(), (rest) => {
        const name = `Attribute_${rest}`;
        const found = keyOfColumn('otel_traces', name);
        expect(found === undefined || columnName(found) === name).toBe(true);
      }),
    );
  });
});
