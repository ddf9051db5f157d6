import { expect, it } from 'vitest';
import { parseSearch, stringifySearch } from '../../lib/search-params.ts';
import { validateEvaluationsSearch } from './evaluations-search.ts';

it('is the same after a reload', () => {
  const search = { tab: 'overview', name: 'tone', since: '-30d', by: 'model', fails: true } as const;
  expect(validateEvaluationsSearch(parseSearch(stringifySearch(search)))).toEqual(search);
});
