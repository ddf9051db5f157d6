import { FIELDS } from '@candela/contract/filter';
import { describe, expect, it } from 'vitest';
import { suggestFields } from './suggest.ts';

describe('fields', () => {
  it('begin with the text first, are found by alias, and are of the signal', () => {
    expect(suggestFields(FIELDS, 'spans', 'tok').map((field) => field.value)).toEqual([
      'input_tokens',
      'output_tokens',
    ]);
    expect(suggestFields(FIELDS, 'spans', 'env')[0]?.value).toBe('environment');
    expect(suggestFields(FIELDS, 'spans', '').some((field) => field.value === 'severity')).toBe(false);
  });
});
