import { expect, it } from 'vitest';
import { parseSearch } from './search-params.ts';
import { viewAddress, viewSearch } from './view-search.ts';

it('a view keeps the state of a page, neither its moment nor its project', () => {
  const search = { facets: 'a', q: 'status:error', row: '7', project: 'shop', live: true };
  expect(viewSearch(search, 'a,b')).toBe('?q=status%3Aerror&live=1&facets=a%2Cb');
  expect(viewSearch(parseSearch('?project=shop'), undefined)).toBe('');
});

it('a view opens in the project that it belongs to', () => {
  const view = { page: 'traces', search: '?q=%&project=other' };
  expect(viewAddress(view, 'shop')).toBe('/traces?q=%25&project=shop');
  expect(viewAddress(view, undefined)).toBe('/traces?q=%25');
});
