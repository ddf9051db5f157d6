import { expect, it } from 'vitest';
import { persistedTraces, validateTracesSearch } from './traces-search.ts';

it('takes a selected row only as ids of a trace and a span', () => {
  const trace = '0123456789abcdef0123456789abcdef';
  expect(validateTracesSearch({ row: trace })).toEqual({ row: trace });
  expect(validateTracesSearch({ view: 'spans', row: `${trace}-0000000000000012` })).toEqual({
    view: 'spans',
    row: `${trace}-0000000000000012`,
  });
  expect(validateTracesSearch({ row: 'javascript:1' })).toEqual({});
});

it('remembers the search of the page, not what the header holds', () => {
  const search = { q: 'service:cart', sort: '-cost', live: true as const };
  const everything = { ...search, from: '-1h', env: 'staging' };
  persistedTraces.keep(everything);
  expect(persistedTraces.last()).toEqual(search);
});
