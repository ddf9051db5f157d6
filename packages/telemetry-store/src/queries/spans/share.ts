import type { Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { compileFilter } from '../core/filter.ts';
import type { Runner } from '../core/run.ts';
import { byTexts } from '../core/snapshot.ts';
import { Scope, type Window } from '../core/scope.ts';
import { SPANS } from './span-fields.ts';

/** Places of the window, evenly spread, around which a sample is taken: as much as the engine reads at once anyway. */
const SAMPLES = 4n;
/** A sample in which fewer match says nothing, or that they are rare. */
const LEAST_SEEN = 20;

interface Sampled {
  readonly window: Window;
  readonly filter: Filter;
  /** Hash of what spans belong to: a trace, a session. */
  readonly of: string;
  /** Which spans belong to any. Default: all. */
  readonly when?: string;
}

/** Which part of the traces or sessions has a matching span, as a sample of the spans says: too few rather than too many. */
export async function shareOfMatching(
  runner: Runner,
  context: RequestContext,
  { window, filter, of, when }: Sampled,
): Promise<number> {
  const places = Array.from({ length: Number(SAMPLES) }, (_, index) => {
    const from = window.from + ((window.to - window.from) * (2n * BigInt(index) + 1n)) / (2n * SAMPLES);
    return { from, to: from + 1n };
  });
  const all = Scope.of(byTexts(context), SPANS).during(window).indexed(places);
  const scope = when === undefined ? all : all.and(when);
  const [found] = await runner.run<{ Matching: number; Everybody: number }>(
    scope,
    `SELECT uniqIf(${of}, ${compileFilter(SPANS, filter, scope.params)}) AS Matching, uniq(${of}) AS Everybody ${scope.from}`,
  );
  const { Matching: matching, Everybody: everybody } = found ?? { Matching: 0, Everybody: 0 };
  return matching < LEAST_SEEN ? 0 : Math.min(matching / everybody, 1);
}
