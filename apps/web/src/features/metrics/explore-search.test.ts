import { describe, expect, it } from 'vitest';
import {
  type ExplorerQuery,
  printQuery,
  queriesOf,
  readQuery,
  validateMetricExploreSearch,
} from './explore-search.ts';

describe('queries in the URL', () => {
  it('come back as they were, whatever the names hold', () => {
    const query: ExplorerQuery = {
      metric: 'a&b=c|d,"é"%',
      aggregation: 'p95',
      groupBy: ['service', 'attributes.x,y&z'],
      filter: 'service:"a b" -attributes.k:1',
      type: 'histogram',
      unit: 's',
      meaning: 'distribution',
    };
    expect(readQuery(printQuery(query))).toEqual(query);
  });

  it('drops what does not fit and always has a first query', () => {
    const search = validateMetricExploreSearch({
      a: 'metric=x&agg=nonsense&type=no',
      step: '-5',
      ratio: 'a/a',
      heat: '1',
      z: 'q',
    });
    expect(search).toEqual({ a: 'metric=x&agg=nonsense&type=no', heat: true });
    expect(queriesOf(search)).toEqual([{ letter: 'a', query: { metric: 'x', groupBy: [], filter: '' } }]);
    expect(queriesOf({})).toHaveLength(1);
    expect(validateMetricExploreSearch({ ratio: 'b/a' })).toEqual({ ratio: 'b/a' });
    for (const ratio of ['a', 'a/', 'a/z', '/b', 'abc'])
      expect(validateMetricExploreSearch({ ratio })).toEqual({});
  });
});
