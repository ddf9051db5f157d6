import { describe, expect, it } from 'vitest';
import { linkToken } from './link-token.ts';

const TOKEN = 'abcdefghij_KLMNOPQRST-0123456789';

describe('token of a link', () => {
  it('stands behind # or in the search', () => {
    expect(linkToken(`#${TOKEN}`, '')).toBe(TOKEN);
    expect(linkToken(`#token=${TOKEN}`, '')).toBe(TOKEN);
    expect(linkToken('', `?token=${TOKEN}`)).toBe(TOKEN);
  });

  it('is empty when it cannot be ours', () => {
    expect(linkToken('', '')).toBe('');
    expect(linkToken('#short', '?token=short')).toBe('');
    expect(linkToken(`#${TOKEN}<script>`, '')).toBe('');
    expect(linkToken(`#${'a'.repeat(129)}`, '')).toBe('');
  });
});
