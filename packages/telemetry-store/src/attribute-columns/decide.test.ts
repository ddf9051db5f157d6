import { describe, expect, it } from 'vitest';
import {
  type ChangeKind,
  commonest,
  decide,
  type KeyFacts,
  type SeenKey,
  type TableFacts,
  tablesToLookAt,
} from './decide.ts';
import { COLUMN_TUNING } from './tuning.ts';

const BOUNDS = { ...COLUMN_TUNING, pool: 2 };
const DAYS = 3 * 86_400;

const fact = (key: string, score: number, changes: Partial<KeyFacts> = {}): KeyFacts => ({
  table: 'otel_traces',
  map: 'SpanAttributes',
  key,
  score,
  idle: score === 0 ? undefined : 60,
  enough: BOUNDS.minScore,
  present: false,
  last: undefined,
  byLook: false,
  ...changes,
});
const column = (key: string, score: number, seconds = DAYS): KeyFacts =>
  fact(key, score, { present: true, last: { kind: 'filled', seconds } });
const told = (facts: readonly KeyFacts[], bounds = BOUNDS) => {
  const { candidates, room, victim } = decide(facts, bounds);
  return { candidates: candidates.map(({ key }) => key), room, victim: victim?.key };
};

describe('which keys get columns', () => {
  it('those asked for often enough, the most asked first, as long as there is room', () => {
    expect(told([fact('a', 2), fact('b', 3), fact('c', 9), column('d', 1)])).toEqual({
      candidates: ['c', 'b'],
      room: 1,
      victim: undefined,
    });
  });

  it('at most four are looked at, however many are wanted', () => {
    const many = Array.from({ length: 1_000 }, (_, n) => fact(`k${n}`, 10 + n));
    expect(told(many).candidates).toEqual(['k999', 'k998', 'k997', 'k996']);
  });

  it.each<ChangeKind>(['added', 'filled', 'dropped'])('none soon after something was %s', (kind) => {
    const changed = (seconds: number) => [fact('a', 9), fact('b', 0, { last: { kind, seconds } })];
    expect(told(changed(599)).candidates).toEqual([]);
    expect(told(changed(600)).candidates).toEqual(['a']);
  });

  it('as soon as they are asked for, whatever a look added just now', () => {
    const looked = (kind: ChangeKind) => [
      fact('a', 9),
      fact('b', 0, { last: { kind, seconds: 0 }, byLook: true }),
    ];
    expect(told(looked('common')).candidates).toEqual(['a']);
    expect(told(looked('filled')).candidates).toEqual(['a']);
    expect(told(looked('dropped')).candidates).toEqual([]);
  });

  it('not one that was refused or dropped today; one whose addition was cut off, after the pause', () => {
    const after = (kind: ChangeKind, seconds: number) =>
      told([fact('a', 9, { last: { kind, seconds } })]).candidates;
    expect(after('refused', 86_399)).toEqual([]);
    expect(after('refused', 86_400)).toEqual(['a']);
    expect(after('dropped', 86_399)).toEqual([]);
    expect(after('added', 601)).toEqual(['a']);
    expect(after('common', 601)).toEqual(['a']);
  });

  it('when the pool is full, one that is asked for far more than the least asked column of some age', () => {
    const full = [column('old', 5), column('loved', 90)];
    expect(told([...full, fact('a', 19)])).toMatchObject({ candidates: [], victim: undefined });
    expect(told([...full, fact('a', 20), fact('b', 21)])).toEqual({
      candidates: ['b', 'a'],
      room: 1,
      victim: 'old',
    });
    expect(told([column('young', 0, 86_399), column('loved', 90), fact('a', 50)]).candidates).toEqual([]);
  });

  it('one that nobody asks for goes only for one that is wanted', () => {
    const unused = [column('a', 0), column('b', 0)];
    expect(told([...unused, fact('c', 3)])).toMatchObject({ candidates: [], victim: undefined });
    expect(told([...unused, fact('c', 4)])).toMatchObject({ candidates: ['c'], victim: 'a' });
  });

  describe('in a table that is filled as fast as it is read', () => {
    const cheap = (key: string, score: number, changes: Partial<KeyFacts> = {}): KeyFacts =>
      fact(key, score, { enough: 1, ...changes });
    const cheapColumn = (key: string, score: number, changes: Partial<KeyFacts> = {}): KeyFacts =>
      cheap(key, score, { present: true, last: { kind: 'filled', seconds: DAYS }, ...changes });
    const justNow = (n: number) =>
      Array.from({ length: n }, (_, at) => cheap(`new${at}`, 0, { last: { kind: 'filled', seconds: 1 } }));

    it('those asked for once, whatever changed just now, but a dozen an hour', () => {
      expect(told([cheap('a', 1), ...justNow(1)]).candidates).toEqual(['a']);
      expect(told([cheap('a', 1), fact('b', 2), fact('c', 3)]).candidates).toEqual(['c', 'a']);
      expect(told([cheap('a', 1), cheap('b', 1), ...justNow(11)])).toMatchObject({ room: 1 });
      expect(told([cheap('a', 1), ...justNow(12)]).candidates).toEqual([]);
      expect(told([cheap('a', 9), ...justNow(12)]).candidates).toEqual([]);
    });

    it('as often as the size of the table says', () => {
      expect(told([cheap('a', 1, { enough: 2 }), cheap('b', 2, { enough: 2 })]).candidates).toEqual(['b']);
    });

    it('the latest first, so that many names made up do not hide it', () => {
      const made = Array.from({ length: 900 }, (_, n) => cheap(`a${n}`, 1, { idle: 30 }));
      expect(told([...made, cheap('z', 1, { idle: 1 })]).candidates[0]).toBe('z');
    });

    it('not those that were asked for an hour ago, refused today, or begun by another process just now', () => {
      expect(told([cheap('a', 2, { idle: 3_600 })]).candidates).toEqual([]);
      expect(told([cheap('a', 2, { idle: undefined })]).candidates).toEqual([]);
      const after = (kind: ChangeKind, seconds: number) =>
        told([cheap('a', 1, { last: { kind, seconds } })]).candidates;
      expect(after('refused', 86_399)).toEqual([]);
      expect(after('dropped', 86_399)).toEqual([]);
      expect(after('added', 599)).toEqual([]);
      expect(after('added', 600)).toEqual(['a']);
    });

    it('when the pool is full, in the place of one that nobody asked for since yesterday', () => {
      const yesterday = cheapColumn('yesterday', 50, { idle: 86_400 });
      const today = cheapColumn('today', 1, { idle: 86_399 });
      expect(told([yesterday, today, cheap('a', 1)])).toMatchObject({
        candidates: ['a'],
        room: 1,
        victim: 'yesterday',
      });
      expect(told([yesterday, today, fact('a', 3)]).victim).toBeUndefined();
      expect(told([today, cheapColumn('also', 1), cheap('a', 1)]).victim).toBeUndefined();
      expect(told([today, cheapColumn('also', 2), cheap('a', 4)]).victim).toBe('today');
      const young = cheapColumn('young', 0, { idle: undefined, last: { kind: 'filled', seconds: 86_399 } });
      expect(told([young, today, cheap('a', 1)]).victim).toBeUndefined();
      expect(told([yesterday, today, cheap('a', 1), ...justNow(12)]).victim).toBeUndefined();
    });
  });

  it('with a pool of none nothing is added and nothing dropped', () => {
    expect(told([column('a', 0), fact('b', 99)], { ...BOUNDS, pool: 0 })).toEqual({
      candidates: [],
      room: 0,
      victim: undefined,
    });
  });

  it('when there are more columns than the pool allows, none is added', () => {
    expect(told([column('a', 9), column('b', 9), column('c', 9), fact('d', 20)]).candidates).toEqual([]);
  });
});

describe('what is common', () => {
  const ROOMY = { ...COLUMN_TUNING, pool: 8 };
  const seen = (key: string, changes: Partial<SeenKey> = {}): SeenKey => ({
    table: 'otel_traces',
    map: 'SpanAttributes',
    key,
    sampled: 100_000,
    rows: 30_000,
    many: 5,
    half: 5,
    halfRows: (changes.rows ?? 30_000) / 2,
    longest: 20,
    mean: 10,
    ...changes,
  });
  const chosen = (keys: readonly SeenKey[], facts: readonly KeyFacts[] = [], bounds = ROOMY) =>
    commonest(facts, keys, bounds).map(({ key }) => key);

  it('gets columns, the most common first, of those the one of most values, up to half of the pool', () => {
    const keys = [
      seen('e', { rows: 10_000 }),
      seen('d', { rows: 29_900 }),
      seen('c', { rows: 30_100, many: 900, half: 850 }),
      seen('b', { rows: 29_800 }),
      seen('a', { rows: 90_000 }),
    ];
    expect(chosen(keys)).toEqual(['a', 'c', 'b', 'd']);
  });

  it.each([
    ['a key of one row of a hundred', { rows: 1_000 }, true],
    ['a rarer one', { rows: 999 }, false],
    ['as many values as a dictionary holds', { many: 8_000, half: 7_900 }, true],
    ['more that are long', { many: 8_001, half: 8_001, mean: 17 }, false],
    ['ids', { rows: 10_000, many: 10_000, half: 5_000 }, false],
    ['ids that neighbours share', { many: 3_000, half: 1_500 }, false],
    ['ids, more of them in one half', { many: 30_000, half: 20_000, halfRows: 20_000 }, false],
    ['ids, all in one half', { many: 30_000, half: 30_000, halfRows: 30_000 }, false],
    ['ids, none in one half', { many: 30_000, half: 0, halfRows: 0 }, false],
    ['texts', { longest: 1_001 }, false],
    ['sentences', { longest: 400, mean: 201 }, false],
    ['one value, that not all have', { many: 1, half: 1 }, true],
    ['one value, that all have', { rows: 100_000, many: 1, half: 1 }, false],
    ['two values, one of which all have', { rows: 100_000, many: 2 }, true],
    ['a key too long for a name', { key: 'k'.repeat(61) }, false],
    ['a key of a map without columns', { map: 'ContentAttributes' }, false],
    ['what a column of every store says', { key: 'gen_ai.request.model' }, false],
  ] as const)('%s', (_what, changes, is) => {
    expect(chosen([seen('key', changes)])).toHaveLength(is ? 1 : 0);
  });

  it('is a few keys of many values, too, which have their places beside those of few', () => {
    const bounds = { ...COLUMN_TUNING, pool: 24 };
    const few = (count: number) => Array.from({ length: count }, (_, n) => seen(`few${n}`, { rows: 20_000 }));
    const many = ['a', 'b', 'c'].map((key) => seen(key, { many: 45_600, half: 29_400, mean: 12 }));
    const types = (facts: readonly KeyFacts[], keys: readonly SeenKey[]) =>
      commonest(facts, keys, bounds).map(({ key, type }) => `${key} ${type}`);
    expect(types([], [...many, ...few(1)])).toEqual(['few0 LowCardinality(String)', 'a String', 'b String']);
    const full = types([], [...many, ...few(20)]);
    expect(full).toHaveLength(12);
    expect(full.slice(-3)).toEqual(['few17 LowCardinality(String)', 'a String', 'b String']);
    // One place is left.
    const present = Array.from({ length: 11 }, (_, n) => column(`old${n}`, 0));
    expect(types(present, [...many, ...few(20)])).toEqual(['a String']);
    expect(chosen(many)).toEqual([]);
  });

  it('of one map does not push out what is common in another', () => {
    const resources = ['r1', 'r2', 'r3', 'r4', 'r5'].map((key) =>
      seen(key, { map: 'ResourceAttributes', rows: 100_000 }),
    );
    expect(chosen([...resources, seen('a'), seen('b', { rows: 20_000 })])).toEqual(['r1', 'a', 'r2', 'b']);
  });

  it('takes at most half of the pool together with columns that nobody asks for any more, and no room of others', () => {
    const keys = ['a', 'b', 'c', 'd', 'e'].map((key) => seen(key));
    expect(chosen(keys, [column('old', 2), column('loved', 90)])).toEqual(['a', 'b', 'c']);
    expect(
      chosen(
        keys,
        ['p', 'q', 'r', 's'].map((key) => column(key, 0)),
      ),
    ).toEqual([]);
    expect(
      chosen(
        keys,
        ['1', '2', '3', '4', '5', '6', '7'].map((key) => column(key, 90)),
      ),
    ).toEqual(['a']);
    expect(chosen(keys, [], { ...ROOMY, pool: 0 })).toEqual([]);
    expect(chosen(keys, [], { ...ROOMY, pool: 1 })).toEqual([]);
  });

  it('is not what has a column, what was refused or dropped today; what was cut off is', () => {
    const after = (kind: ChangeKind, seconds: number) =>
      chosen([seen('a')], [fact('a', 0, { last: { kind, seconds }, byLook: kind === 'common' })]);
    expect(chosen([seen('a')], [column('a', 0)])).toEqual([]);
    expect(after('refused', 86_399)).toEqual([]);
    expect(after('dropped', 86_399)).toEqual([]);
    expect(after('dropped', 86_400)).toEqual(['a']);
    expect(after('common', 700)).toEqual(['a']);
  });

  describe('is looked for', () => {
    const spans = (changes: Partial<TableFacts> = {}): TableFacts => ({
      table: 'otel_traces',
      rows: 1_000_000,
      looked: undefined,
      looking: undefined,
      ...changes,
    });
    const due = (changes: Partial<TableFacts>, facts: readonly KeyFacts[] = [], bounds = ROOMY) =>
      tablesToLookAt(facts, [spans(changes)], bounds).length === 1;

    it('in tables of many rows, once in six hours, once at a time', () => {
      expect(due({})).toBe(true);
      expect(due({ rows: 999_999 })).toBe(false);
      expect(due({ looked: 21_599, looking: 21_600 })).toBe(false);
      expect(due({ looked: 21_600, looking: 21_601 })).toBe(true);
      expect(due({ looking: 599 })).toBe(false);
      expect(due({ looking: 600 })).toBe(true);
      expect(due({ looked: 30_000, looking: 599 })).toBe(false);
    });

    it('with room for columns or without, but not while something else was changed', () => {
      expect(
        due(
          {},
          ['p', 'q', 'r', 's'].map((key) => column(key, 0)),
        ),
      ).toBe(true);
      expect(due({}, [column('a', 9, 599)])).toBe(false);
      expect(due({}, [column('a', 9, 600)])).toBe(true);
      // What was asked for a moment ago does not keep from looking where both are cheap.
      expect(due({}, [{ ...column('a', 9, 1), enough: 1 }])).toBe(true);
    });
  });
});
