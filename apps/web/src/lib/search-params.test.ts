import { describe, expect, it } from 'vitest';
import {
  choiceParam,
  flagParam,
  onlyValid,
  parseSearch,
  stringifySearch,
  textParam,
} from './search-params.ts';

describe('search parameters', () => {
  it('stay text: an id of digits is no number, and empty values leave the URL', () => {
    const text = stringifySearch({
      span: '0000000000000012',
      q: 'a:"b & c"',
      live: true,
      sort: undefined,
      cols: '',
    });
    expect(text).toBe('?span=0000000000000012&q=a%3A%22b+%26+c%22&live=1');
    expect(parseSearch(text)).toEqual({ span: '0000000000000012', q: 'a:"b & c"', live: '1' });
    expect(stringifySearch({})).toBe('');
  });
  it('drop what does not fit', () => {
    const raw = parseSearch('?q=x&view=nope&live=0&__proto__=1');
    expect(textParam(raw, 'q')).toBe('x');
    expect(textParam(raw, 'q', 0)).toBeUndefined();
    expect(choiceParam(raw, 'view', ['spans'])).toBeUndefined();
    expect(flagParam(raw, 'live')).toBeUndefined();
  });
  it('leave nothing of a page but what a validator let through', () => {
    const q = (raw: Record<string, unknown>) => {
      const text = textParam(raw, 'q', 3);
      return text === undefined ? {} : { q: text };
    };
    const env = (raw: Record<string, unknown>) => ({ env: textParam(raw, 'env') });
    const raw = parseSearch('?q=abc&env=prod&sort=nope&__proto__=1');
    // As the router does: what the address says, and over it what the validator gives.
    expect(stringifySearch({ ...raw, ...onlyValid(env, q)(raw) })).toBe('?q=abc&env=prod');
    const long = parseSearch('?q=too-long');
    expect(stringifySearch({ ...long, ...onlyValid(env, q)(long) })).toBe('');
  });
});
