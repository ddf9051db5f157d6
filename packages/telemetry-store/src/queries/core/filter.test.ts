import { FILTER_LIMITS, type Filter } from '@candela/contract';
import { expect, it } from 'vitest';
import { queryParam } from '../../client/query-params.ts';
import { SPANS } from '../spans/span-fields.ts';
import { compileFilter } from './filter.ts';
import { Params } from './params.ts';

const { conditions, fieldLength, listLength } = FILTER_LIMITS;

/** The SQL of a filter, and the bytes of its values in a URL. */
function compiled(filter: Filter): { readonly sql: string; readonly bytes: number } {
  const params = new Params();
  const sql = compileFilter(SPANS, filter, params);
  const values = Object.entries(params.values).map(([name, value]) => [name, queryParam(value)]);
  return { sql, bytes: new URLSearchParams(values).toString().length };
}

const list = (key: string, length: number): Filter => ({
  field: `attributes.${key}`,
  op: 'in',
  value: Array.from({ length }, (_, index) => `${index}`),
});

it('a list of values is looked up in the index of pairs, unless its key is long and so are many', () => {
  expect(compiled(list('shop.order.id', listLength)).sql).toContain('indexHint(hasAny(');
  expect(compiled(list('k'.repeat(280), 10)).sql).toContain('indexHint(hasAny(');
  expect(compiled(list('k'.repeat(280), listLength)).sql).not.toContain('indexHint');
  expect(compiled(list('中'.repeat(280), 1)).sql).toContain('indexHint(has(');
});

it.each(['中', '\\', 'k', '\n'])('many lists of long keys of %j fit into a URL', (letter) => {
  const or = Array.from({ length: conditions }, (_, index) =>
    list(letter.repeat(fieldLength - 13) + `${index}`.padStart(2, '0'), listLength),
  );
  expect(compiled({ or }).bytes).toBeLessThan(3 << 20);
  // As many keys as the hint takes.
  const keys = Array.from({ length: conditions }, (_, index) =>
    list(letter.repeat(4) + `${index}`.padStart(2, '0'), listLength),
  );
  expect(compiled({ or: keys }).bytes).toBeLessThan(5 << 20);
});
