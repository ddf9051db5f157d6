import { describe, expect, it } from 'vitest';
import { mergeValues } from './suggestions.ts';

const labels = (...args: Parameters<typeof mergeValues>) => mergeValues(...args).map((one) => one.label);

describe('suggestions', () => {
  it('puts values that begin with the text first, each once, without the empty one', () => {
    const seen = [
      { value: 'my gpt', count: 9 },
      { value: '', count: 8 },
      { value: 'gpt-4o', count: 3 },
      { value: 'claude', count: 2 },
      { value: 'gpt-4o', count: 1 },
    ];
    expect(labels([], seen, 'GPT')).toEqual(['gpt-4o', 'my gpt']);
  });
  it('counts what was seen and still offers what is allowed', () => {
    const known = [
      { insert: 'ok', label: 'ok', hint: '' },
      { insert: 'error', label: 'error', hint: '' },
    ];
    expect(mergeValues(known, [{ value: 'error', count: 4 }], '')).toEqual([
      { insert: 'error', label: 'error', hint: '', count: 4 },
      { insert: 'ok', label: 'ok', hint: '' },
    ]);
  });
  it('quotes what must be quoted', () => {
    expect(mergeValues([], [{ value: 'GET /item "x"', count: 1 }], '')[0]?.insert).toBe(
      '"GET /item \\"x\\""',
    );
  });
});
