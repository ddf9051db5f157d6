import { completionValue } from '@candela/contract/filter';
import { describe, expect, it } from 'vitest';
import { mergeValues } from './suggestions.ts';

type Merged = Parameters<typeof mergeValues>;
const merge = (known: Merged[0], seen: Merged[1], typed: Merged[2]) =>
  mergeValues(known, seen, typed, completionValue);

describe('suggestions', () => {
  it('puts values that begin with the text first, each once, without the empty one', () => {
    const seen = [
      { value: 'my gpt', count: 9 },
      { value: '', count: 8 },
      { value: 'gpt-4o', count: 3 },
      { value: 'claude', count: 2 },
      { value: 'gpt-4o', count: 1 },
    ];
    expect(merge([], seen, 'GPT').map((one) => one.label)).toEqual(['gpt-4o', 'my gpt']);
  });
  it('counts what was seen and still offers what is allowed', () => {
    const known = [
      { insert: 'ok', label: 'ok', hint: '' },
      { insert: 'error', label: 'error', hint: '' },
    ];
    expect(merge(known, [{ value: 'error', count: 4 }], '')).toEqual([
      { insert: 'error', label: 'error', hint: '', count: 4 },
      { insert: 'ok', label: 'ok', hint: '' },
    ]);
  });
  it('quotes what must be quoted', () => {
    expect(merge([], [{ value: 'GET /item "x"', count: 1 }], '')[0]?.insert).toBe('"GET /item \\"x\\""');
  });
});
