import type { Filter } from '@candela/contract';
import { compileFilter } from './filter.ts';
import { Params } from './params.ts';
import type { Runner } from './run.ts';
import type { Scope } from './scope.ts';
import type { Source } from './source.ts';

/** What a question reads of every row that takes long. Attributes: those that have no column. */
export type LongWork = 'texts' | 'attributes';

/**
 * Whether a question takes long for what it reads of every row; undefined when it does not.
 * @param scope tells which store is asked @param reads binds what the question reads besides its filter
 */
export async function longWorkOf(
  runner: Runner,
  scope: Scope,
  source: Source,
  filter: Filter | undefined,
  reads: (params: Params) => void = () => undefined,
): Promise<LongWork | undefined> {
  const params = new Params();
  if (filter !== undefined) compileFilter(source, filter, params);
  reads(params);
  if (params.readsNothingLong) return undefined;
  const store = await runner.storeOf(scope);
  if (params.readsTexts(store)) return 'texts';
  const narrow = await Promise.all(params.attributes.map(async (read) => store.readsNarrowly?.(read)));
  return narrow.every(Boolean) ? undefined : 'attributes';
}
