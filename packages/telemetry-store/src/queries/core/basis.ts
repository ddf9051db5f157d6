import type { Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { extentOf, GRANULE_ROWS } from './extent.ts';
import { type LongWork, longWorkOf, readsOf } from './long-work.ts';
import type { Runner } from './run.ts';
import { Scope, type Window } from './scope.ts';
import { AT_ONCE } from './slices.ts';
import type { Source } from './source.ts';

/**
 * The rows that a list is made of whose order is not that in which they lie: those of its window, or, for whoever cannot wait, of
 * the end of it. What is found there is in the list, in its order, but others may belong in between.
 */
export interface Basis {
  readonly window: Window;
  /** About the part of the rows that lies there; null: all. */
  readonly share: number | null;
  /** Rows of its page at most. */
  readonly limit: number;
  /** Settings for the statement that reads them; mostly none. */
  readonly settings: string;
}

/** Rows of a list that is made of a part: more take longer, and nobody looks at them before the list itself is there. */
const FIRST_ROWS = 25;

interface Size {
  /** Granules that a list is first made of: it should be there in less than 150 ms, and most of that passes whatever is read. */
  readonly granules: number;
  /** Of fewer than so many the list itself is there as soon. */
  readonly worth: number;
}

const SIZES: Readonly<Record<LongWork, Size>> = {
  texts: { granules: 6, worth: 48 },
  attributes: { granules: 20, worth: 120 },
};

interface Asked {
  readonly window: Window;
  readonly filter: Filter | undefined;
  /** Whether a part of the list is better than all of it later. */
  readonly hurried: boolean;
  /** Rows of a page. */
  readonly limit: number;
}

/** What a list is made of: all of its window, unless somebody is in a hurry and that takes long. */
export async function basisOf(
  runner: Runner,
  context: RequestContext,
  source: Source,
  { window, filter, hurried, limit }: Asked,
): Promise<Basis> {
  const whole = { window, limit, share: null, settings: '' };
  const scope = Scope.everywhere(context, source).during(window);
  const work = hurried && filter !== undefined ? longWorkOf(readsOf(context, source, filter)) : undefined;
  if (work === undefined) return whole;
  const { granules, worth } = SIZES[work];
  const lastRows = (count: number, part: bigint) => beginOfLast(runner, context, source, window, count, part);
  const [all, guessed] = await Promise.all([
    extentOf(runner, scope),
    lastRows(granules * GRANULE_ROWS, NEAR_PART),
  ]);
  if (all.granules < worth) return whole;
  const rows = Math.ceil((all.rows * granules) / all.granules);
  // Granules of large rows have fewer.
  const fits = rows > (granules * GRANULE_ROWS) / 2;
  const from = (fits ? guessed : undefined) ?? (await lastRows(rows, 1n));
  if (from === undefined) return whole;
  return {
    window: { from, to: window.to },
    share: rows / all.rows,
    limit: Math.min(limit, FIRST_ROWS),
    settings: AT_ONCE,
  };
}

/** Where the newest rows are looked for first: in this part of the window, since every part of the table in it is opened. */
const NEAR_PART = 16n;

/** When the first of the so many last rows of a window was; undefined when there are fewer in that part, at its end. */
async function beginOfLast(
  runner: Runner,
  context: RequestContext,
  source: Source,
  { from, to }: Window,
  count: number,
  part: bigint,
): Promise<bigint | undefined> {
  // Granules hold rows of all environments: as many of one of them may lie in all granules.
  const scope = Scope.everywhere(context, source).during({ from: to - (to - from) / part, to });
  const [row] = await runner.run<{ Ns: string }>(
    scope,
    `SELECT toString(toUnixTimestamp64Nano(Timestamp)) AS Ns ${scope.from} ORDER BY Timestamp DESC LIMIT 1 OFFSET ${count}`,
  );
  return row && BigInt(row.Ns);
}
