import type { Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { extentOf, GRANULE_ROWS } from '../core/extent.ts';
import { type LongWork, longWorkOf, readsOf } from '../core/long-work.ts';
import type { Params } from '../core/params.ts';
import type { Runner } from '../core/run.ts';
import type { Sample } from '../core/sample.ts';
import { Scope, type Window } from '../core/scope.ts';
import type { Source } from '../core/source.ts';

/** Granules that are looked at, of the usual size: a question should be answered in less than 300 ms, of which finding out what to read takes a third. */
const GRANULES: Readonly<Record<LongWork, number>> = { texts: 44, attributes: 64 };

/** Where the sample would be so large a part, all rows are looked at instead: that takes no longer than two answers. */
const LEAST_EVERY = 3;

/**
 * The sample that a question is first answered from; undefined when all rows are looked at as soon.
 * @param reads binds what the question reads besides its filter
 */
export async function sampleFor(
  runner: Runner,
  context: RequestContext,
  source: Source,
  asked: { readonly window: Window; readonly filter: Filter | undefined },
  reads?: (params: Params) => void,
): Promise<Sample | undefined> {
  const scope = Scope.of(context, source).during(asked.window);
  const work = longWorkOf(readsOf(context, source, asked.filter, reads));
  if (work === undefined) return undefined;
  const { rows, granules } = await extentOf(runner, scope);
  const { finer = 1 } = source;
  // The mean is a little more than a granule is meant to hold: the end of an insert goes along with what comes before.
  const usual = rows / granules > (GRANULE_ROWS / finer) * 1.5;
  const every = Math.floor(granules / (GRANULES[work] * (usual ? 1 : finer)));
  return every < LEAST_EVERY ? undefined : { every, run: Math.max(1, Math.ceil(rows / granules)) };
}
