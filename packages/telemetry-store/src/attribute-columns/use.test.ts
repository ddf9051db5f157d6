import { describe, expect, it } from 'vitest';
import { KeyUse } from './use.ts';

const attribute = (key: string) => ({ table: 'otel_traces', map: 'SpanAttributes', key });

describe('how often keys are asked for', () => {
  it('is counted by table, map and key, and taken once, the most asked first', () => {
    const use = new KeyUse();
    for (const key of ['a', 'b', 'b']) use.count(attribute(key));
    use.count({ ...attribute('b'), map: 'ResourceAttributes' });
    expect(use.take(2)).toEqual([
      { ...attribute('b'), asks: 2 },
      { ...attribute('a'), asks: 1 },
    ]);
    expect(use.take(2)).toEqual([]);
  });

  it('stays small however many different keys are asked for, and keeps those that are asked for often', () => {
    const use = new KeyUse();
    for (let turn = 0; turn < 5; turn++) use.count(attribute('mine'));
    for (let n = 0; n < 100_000; n++) use.count(attribute(`hostile ${n}`));
    expect(use.size).toBeLessThanOrEqual(512);
    expect(use.take(1)).toEqual([{ ...attribute('mine'), asks: 5 }]);
  });
});
