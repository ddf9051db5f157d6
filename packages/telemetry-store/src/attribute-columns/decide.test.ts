import { describe, expect, it } from 'vitest';
import { type ChangeKind, decide, type KeyFacts } from './decide.ts';

const BOUNDS = { pool: 2, minScore: 3, pauseSeconds: 600, coolSeconds: 86_400 };
const DAYS = 3 * 86_400;

const fact = (key: string, score: number, changes: Partial<KeyFacts> = {}): KeyFacts => ({
  table: 'otel_traces',
  map: 'SpanAttributes',
  key,
  score,
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
