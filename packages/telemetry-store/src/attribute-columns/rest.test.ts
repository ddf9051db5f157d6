import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChangeKind, SeenKey } from './decide.ts';
import { keyOfColumn } from './names.ts';
import {
  changedRests,
  notedAs,
  columnsOf,
  restName,
  restOfColumn,
  type RestColumn,
  type RestFacts,
  restSql,
  type SeenMap,
} from './rest.ts';
import { COLUMN_TUNING } from './tuning.ts';

const PLACE = { table: 'otel_traces', map: 'SpanAttributes' };
const BOUNDS = { ...COLUMN_TUNING, restOf: 100, restBytes: 24, restLeftOut: 4, restGrown: 2 };

/** A key of so many bytes a row, one of 13 bytes on that part of the rows. */
const key = (name: string, bytes: number): SeenKey => ({
  ...PLACE,
  key: name,
  sampled: 1_000_000,
  rows: Math.round((bytes / 13) * 1_000_000),
  many: 5,
  half: 5,
  halfRows: 1,
  longest: 10,
  mean: 10,
});
const seen = (keys: readonly SeenKey[], bytes = 130): SeenMap => ({ ...PLACE, bytes, keys });
const rest = (leftOut: readonly string[]): RestColumn => ({
  ...PLACE,
  leftOut,
  column: restName({ ...PLACE, leftOut }) ?? '',
});
const fact = (leftOut: readonly string[], seconds = 86_400, kind: ChangeKind = 'filled'): RestFacts => ({
  ...rest(leftOut),
  last: { kind, seconds },
});

describe('the rest of a map', () => {
  const leftOut = (
    of: SeenMap,
    { columns = [], bounds = BOUNDS }: { columns?: readonly string[]; bounds?: typeof BOUNDS } = {},
  ) => changedRests([], [of], ({ key: name }) => columns.includes(name), bounds).added[0]?.leftOut;

  it('leaves out the keys that take most bytes, no more than it must', () => {
    const keys = [key('small', 3), key('b', 60), key('c', 30), key('d', 20), key('e', 12)];
    // What is not told of is held: 5 bytes of 130.
    expect(leftOut(seen(keys))).toEqual(['b', 'c', 'd']);
    expect(leftOut(seen(keys), { bounds: { ...BOUNDS, restBytes: 45 } })).toEqual(['b', 'c']);
    expect(leftOut(seen(keys), { bounds: { ...BOUNDS, restBytes: 13 } })).toEqual(['b', 'c', 'd', 'e']);
  });

  it('leaves out keys with a column first, but for those that take next to nothing', () => {
    const keys = [key('b', 60), key('c', 50), key('d', 20), key('e', 0.04), key('f', 0.06)];
    expect(leftOut(seen(keys), { columns: ['c', 'd', 'e', 'f'] })).toEqual(['b', 'c', 'd', 'f']);
    expect(leftOut(seen(keys), { columns: ['b', 'c', 'f'] })).toEqual(['b', 'c', 'f']);
  });

  it('leaves out ids before what takes as many bytes and comes again', () => {
    const id = { ...key('id', 8), many: 1_000_000, rows: Math.round((8 / 13) * 1_000_000) };
    const keys = [key('b', 100), id, key('c', 12), key('d', 6)];
    expect(leftOut(seen(keys))).toEqual(['b', 'id']);
    expect(leftOut(seen(keys.filter((one) => one !== id)))).toEqual(['b', 'c']);
    // On few rows they cost little.
    expect(leftOut(seen([key('b', 110), { ...id, rows: 10_000 }, key('c', 12)]))).toEqual(['b']);
  });

  it('leaves out no more keys than that, of those with a column the widest', () => {
    const keys = [key('b', 60), key('c', 30), key('d', 9), key('e', 8), key('f', 7), key('g', 6)];
    expect(leftOut(seen(keys), { columns: ['d', 'e', 'f', 'g'] })).toEqual(['b', 'c', 'd', 'e']);
  });

  it.each([
    ['narrow', seen([key('b', 90)], 99)],
    ['wide by very many keys', seen([25, 20, 20, 20, 20, 20].map((bytes, at) => key(`k${at}`, bytes)))],
    ['wide by keys that cannot be named', seen([key('k'.repeat(61), 120)])],
    ['wide by keys that are not told of', seen([key('b', 60)])],
  ])('is not made of a map that is %s', (_what, of) => {
    expect(leftOut(of)).toBeUndefined();
  });

  const wide = seen([key('b', 60), key('c', 50)]);
  const changes = (facts: readonly RestFacts[], of = wide) => {
    const { added, dropped } = changedRests(facts, [of], () => false, BOUNDS);
    return { added: added.map((one) => one.leftOut), dropped: dropped.map((one) => one.leftOut) };
  };

  it('is made where there is none, of the same map', () => {
    expect(changes([])).toEqual({ added: [['b', 'c']], dropped: [] });
    expect(changes([{ ...fact(['b', 'c']), map: 'ResourceAttributes' }]).added).toHaveLength(1);
    expect(changes([{ ...fact(['b', 'c']), table: 'otel_logs' }]).added).toHaveLength(1);
    // Another choice is no reason to make it anew, and what one is being made of is its own.
    expect(changes([fact(['b', 'c', 'd'], 0, 'common')])).toEqual({ added: [], dropped: [] });
  });

  it('goes when it outgrew its bound and is a day old', () => {
    // 24 bytes it may take: 48 are not yet too many.
    const grown = (bytes: number) => seen([key('b', 200 - bytes)], 200);
    expect(changes([fact(['b'])], grown(48)).dropped).toEqual([]);
    expect(changes([fact(['b'])], grown(49)).dropped).toEqual([['b']]);
    expect(changes([fact(['b'], 86_399)], grown(49)).dropped).toEqual([]);
    expect(changes([{ ...fact(['b']), last: undefined }], grown(49))).toEqual({
      added: [],
      dropped: [['b']],
    });
  });

  it('is one of a map: of several that were made at once the others go', () => {
    const both = [fact(['b', 'c'], 5), fact(['b', 'c', 'd'], 5)];
    const kept = changes(both).dropped;
    expect(kept).toHaveLength(1);
    expect(changes(both.toReversed()).dropped).toEqual(kept);
  });
});

describe('the column of a rest', () => {
  const texts = fc.string({
    unit: fc.constantFrom(
      'a',
      'A',
      '_',
      'é',
      "'",
      '`',
      '"',
      '\\',
      '}',
      '{',
      ',',
      '(',
      '?',
      '\0',
      '\n',
      '\t',
      '😀',
    ),
  });
  const keys = fc.uniqueArray(fc.oneof(texts, fc.string({ unit: 'grapheme' })), {
    minLength: 1,
    maxLength: 8,
  });
  /** As the engine writes texts; what it does in truth is tested beside it. */
  const told = (text: string): string =>
    `'${text.replaceAll(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\0', '\\0')}'`;

  it('tells by its name and what it is made of what is left out, whatever the keys', () => {
    fc.assert(
      fc.property(keys, (leftOut) => {
        const column = restName({ ...PLACE, leftOut }) ?? '';
        expect(column).toMatch(/^Rest_Attribute_[0-9a-f]{16}$/);
        const expression = restSql(PLACE.map, leftOut.map(told)).keys;
        expect(restOfColumn(PLACE.table, `${column}_keys`, expression)).toEqual({
          ...PLACE,
          column,
          leftOut: leftOut.toSorted(),
        });
      }),
    );
  });

  it('is of one map and of one list of keys, in any order', () => {
    const name = (leftOut: readonly string[], place = PLACE) => restName({ ...place, leftOut });
    expect(name(['a', 'b'])).toBe(name(['b', 'a']));
    expect(name(['a', 'b'])).not.toBe(name(['a,b']));
    expect(name(['a'])).not.toBe(name(['a'], { table: 'otel_traces', map: 'ResourceAttributes' }));
    expect(name([])).toBeUndefined();
    expect(name(['a'], { table: 'otel_traces', map: 'ContentAttributes' })).toBeUndefined();
  });

  it('is never taken for that of a key, nor read when it was made of something else', () => {
    const { column } = rest(['a', 'b']);
    for (const name of Object.values(columnsOf({ column })))
      expect(keyOfColumn('otel_traces', name)).toBeUndefined();
    const { keys } = columnsOf({ column });
    const of = (expression: string, name: string = keys, table = 'otel_traces') =>
      restOfColumn(table, name, expression);
    const { keys: made, values } = restSql('SpanAttributes', ["'a'", "'b'"]);
    expect(of(made)?.leftOut).toEqual(['a', 'b']);
    for (const other of [
      restSql('SpanAttributes', ["'a'"]).keys,
      restSql('ResourceAttributes', ["'a'", "'b'"]).keys,
      values,
      made.replace('NOT IN', 'IN'),
      `${made} `,
      '',
    ]) {
      expect(of(other)).toBeUndefined();
    }
    expect(of(made, column)).toBeUndefined();
    expect(of(made, `${column}0_keys`)).toBeUndefined();
    expect(of(values, columnsOf({ column }).values)).toBeUndefined();
    expect(of(made, keys, 'otel_logs')).toBeUndefined();
    expect(of(made, 'Attribute_a')).toBeUndefined();
  });

  it('is written down as nothing that a key is', () => {
    const one = rest(['a']);
    expect(notedAs(one)).toEqual({ table: 'otel_traces', map: one.column, key: '' });
  });
});
