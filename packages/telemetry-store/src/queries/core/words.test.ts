import { parseFilterOrFail } from '@candela/contract';
import { expect, it } from 'vitest';
import { SPAN_WORDS } from '../../schema/expressions.ts';
import { SPANS } from '../spans/span-fields.ts';
import { compileFilter } from './filter.ts';
import { Params } from './params.ts';

it.each([
  ['refund', [1]],
  ['refund -name:x "order lost" gone', [1]],
  // One that has several spellings is asked for by itself.
  ['refund größe order', [2]],
  ['refund or order', [1, 1]],
  // These have to stand in one message.
  ['prompt:refund prompt:order', [1, 1]],
  ['prompt:"refund order"', [1]],
  // Nothing that an index could tell.
  ['refund 退款 "..."', [1]],
] as const)('%s asks a text index at once for what it can', (q, asked) => {
  const params = new Params();
  const filter = parseFilterOrFail(q, 'spans');
  const sql = filter === undefined ? '' : compileFilter(SPANS, filter, params);
  expect(params.words.map(({ indexed }) => indexed.split(SPAN_WORDS).length - 1)).toEqual(asked);
  for (const { read } of params.words) expect(sql).toContain(read);
});
