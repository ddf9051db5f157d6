import { describe, expect, it } from 'vitest';
import { type ChangeKind, decide, type KeyFacts } from './decide.ts';
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

  it('not one that was refused or dropped today; one whose addition was cut off, after the pause', () => {
    const after = (kind: ChangeKind, seconds: number) =>
      told([fact('a', 9, { last: { kind, seconds } })]).candidates;
    expect(after('refused', 86_399)).toEqual([]);
    expect(after('refused', 86_400)).toEqual(['a']);
    expect(after('dropped', 86_399)).toEqual([]);
    expect(after('added', 601)).toEqual(['a']);
  });

  it('when the pool is full, in the place of a column that nobody asked for since yesterday', () => {
    const idle = (key: string, seconds: number) => ({ ...column(key, 50), idle: seconds });
    expect(told([idle('old', 90_000), idle('older', 90_001), fact('a', 3), fact('b', 4)])).toEqual({
      candidates: ['b', 'a'],
      room: 1,
      victim: 'older',
    });
    expect(told([column('loved', 1), idle('today', 86_399), fact('a', 99)]).victim).toBeUndefined();
    expect(told([column('unused', 0), column('loved', 1), fact('a', 2)]).victim).toBeUndefined();
    expect(told([column('young', 0, 86_399), column('loved', 90), fact('a', 50)]).candidates).toEqual([]);
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
      expect(told([today, cheapColumn('also', 1), cheap('a', 1)]).victim).toBeUndefined();
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
