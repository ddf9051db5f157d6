import type { Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { compileFilter } from '../core/filter.ts';
import type { Runner } from '../core/run.ts';
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
  const all = Scope.of(context, SPANS).during(window).indexed(places);
  const scope = when === undefined ? all : all.and(when);
  const [found] = await runner.run<{ Matching: number; Everybody: number }>(
    scope,
    `SELECT uniqIf(${of}, ${compileFilter(SPANS, filter, scope.params)}) AS Matching, uniq(${of}) AS Everybody ${scope.from}`,
  );
  const { Matching: matching, Everybody: everybody } = found ?? { Matching: 0, Everybody: 0 };
  return matching < LEAST_SEEN ? 0 : Math.min(matching / everybody, 1);
}

/** How long a list is remembered that was asked for, and how many are. */
const KEPT_MS = 600_000;
const MOST_KEPT = 1_000;

/** Which part of the first of all matched when a list was asked for before: it is asked for again and again, page by page. */
export class SeenShares {
  readonly #shares = new Map<string, { readonly share: number; readonly untilMs: number }>();
  readonly #now: () => number;

  /** @param now milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get(list: string): number | undefined {
    const seen = this.#shares.get(list);
    return seen === undefined || seen.untilMs < this.#now() ? undefined : seen.share;
  }

  set(list: string, share: number): void {
    this.#shares.delete(list);
    this.#shares.set(list, { share, untilMs: this.#now() + KEPT_MS });
    const [oldest] = this.#shares.keys();
    if (this.#shares.size > MOST_KEPT && oldest !== undefined) this.#shares.delete(oldest);
  }
}
