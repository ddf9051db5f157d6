import { describe, expect, it } from 'vitest';
import { changeOf, changeSpoken, changeText } from './change.ts';

describe('change against the period before', () => {
  it('says how far and whether that is good news', () => {
    expect(changeOf(125, 100, 'lower')).toEqual({ ratio: 0.25, direction: 'up', verdict: 'worse' });
    expect(changeOf(92, 100, 'lower').verdict).toBe('better');
    expect(changeOf(100.5, 100, 'lower').direction).toBe('same');
    expect(changeOf(3, 0, 'lower')).toEqual({ ratio: null, direction: 'new', verdict: 'worse' });
    expect(changeOf(0, 3, 'lower')).toEqual({ ratio: -1, direction: 'gone', verdict: 'better' });
    expect(changeOf(null, 3).direction).toBe('unknown');
    expect(changeOf(0, 0).direction).toBe('same');
  });
  it('reads short', () => {
    const texts = [
      changeOf(125, 100),
      changeOf(92, 100),
      changeOf(1_200, 100),
      changeOf(1, 0),
      changeOf(null, 1),
    ];
    expect(texts.map(changeText)).toEqual(['+25%', '−8%', '×12', 'new', '']);
  });
  it('is heard as a sentence, whichever way it went', () => {
    const heard = [
      changeOf(125, 100),
      changeOf(125, 100, 'lower'),
      changeOf(100, 100, 'lower'),
      changeOf(3, 0, 'lower'),
      changeOf(0, 3, 'lower'),
    ].map((change) => changeText(change) + changeSpoken(change));
    expect(heard).toEqual([
      '+25% against the period before',
      '+25%, worse than in the period before',
      'no change against the period before',
      'new, worse, nothing in the period before',
      '−100%, better than in the period before',
    ]);
  });
});
