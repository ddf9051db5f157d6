import { parseFilterOrFail } from '@candela/contract';
import { expect, it } from 'vitest';
import { SPAN_WORDS } from '../../schema/expressions.ts';
import { SPANS } from '../spans/span-fields.ts';
import { compileFilter } from './filter.ts';
import { Params } from './params.ts';
import { indexing } from './testing.ts';

const compiled = (q: string, params: Params): string => {
  const filter = parseFilterOrFail(q, 'spans');
  return filter === undefined ? '' : compileFilter(SPANS, filter, params);
};

it.each([
  ['refund', 1],
  ['refund -name:x "order lost" gone', 1],
  // One that has several spellings is asked for by itself.
  ['refund größe order', 2],
  ['refund or order', 2],
  // These have to stand in one message.
  ['prompt:refund prompt:order', 2],
  ['prompt:"refund order"', 1],
  // Nothing that an index could tell.
  ['refund 退款 "..."', 1],
] as const)('%s asks a text index at once for what it can', (q, asked) => {
  const params = new Params({ store: indexing('otel_traces') });
  expect(compiled(q, params).split(SPAN_WORDS).length - 1).toBe(asked);
  expect(params.usesTextIndex).toBe(true);
  const [none, other] = [new Params(), new Params({ store: indexing('otel_logs') })];
  for (const without of [none, other]) {
    expect(compiled(q, without)).not.toContain(SPAN_WORDS);
    expect([without.usesTextIndex, without.readsTexts]).toEqual([false, true]);
  }
});
