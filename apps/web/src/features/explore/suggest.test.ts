import { FIELDS } from '@candela/contract/filter';
import { describe, expect, it } from 'vitest';
import { completionAt } from '../../lib/query-text.ts';
import { suggestFields, suggestValues } from './suggest.ts';

const values = (text: string, seen: { value: string; count: number }[] = []) => {
  const completion = completionAt(text, text.length);
  if (!completion) throw new Error('nothing to complete');
  return suggestValues(FIELDS, completion, seen).map((suggestion) => suggestion.value);
};

describe('suggestions', () => {
  it('puts fields that begin with the text first, finds them by alias, leaves out other signals', () => {
    expect(suggestFields(FIELDS, 'spans', 'tok').map((field) => field.value)).toEqual([
      'input_tokens',
      'output_tokens',
    ]);
    expect(suggestFields(FIELDS, 'spans', 'env')[0]?.value).toBe('environment');
    expect(suggestFields(FIELDS, 'spans', '').some((field) => field.value === 'severity')).toBe(false);
  });
  it('offers what was seen, else what the field allows', () => {
    expect(values('status:')).toEqual(['ok', 'error', 'unset']);
    expect(
      values('model:GPT', [
        { value: 'gpt-4o', count: 3 },
        { value: 'claude', count: 9 },
        { value: '', count: 9 },
      ]),
    ).toEqual(['gpt-4o']);
    expect(values('constructor:')).toEqual([]);
  });
});
