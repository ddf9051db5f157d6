import type { Filter } from '@candela/contract';
import { compileFilter } from './filter.ts';
import { Params } from './params.ts';
import type { ReadContext } from './snapshot.ts';
import type { Source } from './source.ts';

/** What a question reads of every row that takes long. Attributes: those that have no column. */
export type LongWork = 'texts' | 'attributes';

/** What a filter, and whatever is bound besides it, reads of each row. */
export function readsOf(
  context: ReadContext,
  source: Source,
  filter: Filter | undefined,
  reads: (params: Params) => void = () => undefined,
): Params {
  const params = new Params(context);
  if (filter !== undefined) compileFilter(source, filter, params);
  reads(params);
  return params;
}

/** Why reading that takes long; undefined when it does not. */
export const longWorkOf = ({ readsTexts, readsMaps }: Params): LongWork | undefined =>
  readsTexts ? 'texts' : readsMaps ? 'attributes' : undefined;
