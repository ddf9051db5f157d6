import type { Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { compileFilter } from '../core/filter.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import type { Source } from '../core/source.ts';

/** Parts of equal length that the window is looked at in. */
export const STRATA = 24;
/** Rows of the selection of a part around which is read. */
const PIVOTS = 3;
/** Rows that a read around one row takes in. */
const AROUND = 1_024;
/** So few rows are all read. */
export const ALL_ROWS = 10_000;
const SEED = 7;

/** What a comparison looks at: which rows, which of them are the selection. */
export interface Sides {
  readonly window: Window;
  readonly filter: Filter | undefined;
  readonly selection: Filter;
}

/** How the rows of both sides lie in the window, and the narrow pieces of it that are read. */
export interface Strata {
  /** Rows of each part. */
  readonly selection: readonly number[];
  readonly rest: readonly number[];
  readonly pieces: readonly Window[];
  readonly width: bigint;
}

/** The base rows of both sides, and the expression that tells the selection. */
export function sidesScope(
  context: RequestContext,
  source: Source,
  sides: Sides,
): { scope: Scope; selected: string } {
  const scope = Scope.of(context, source).during(sides.window).matching(sides.filter);
  return { scope, selected: compileFilter(source, sides.selection, scope.params) };
}

/** Counts both sides over the window and chooses where to read, evenly over time. */
export async function layStrata(
  runner: Runner,
  context: RequestContext,
  source: Source,
  sides: Sides,
): Promise<Strata> {
  const { from, to } = sides.window;
  const width = (to - from) / BigInt(STRATA) + 1n;
  const { scope, selected } = sidesScope(context, source, sides);
  const { params } = scope;
  const ns = `toUnixTimestamp64Nano(${source.time})`;
  const rows = await runner.run<{ B: number; S: number; R: number; At: string[] }>(
    scope,
    `SELECT B, countIf(Sel) AS S, countIf(NOT Sel) AS R, arrayMap(t -> toString(t), arrayConcat(
         groupArraySampleIf(${PIVOTS}, ${SEED})(Ns, Sel), groupArraySampleIf(1, ${SEED})(Ns, NOT Sel))) AS At
     FROM (
       SELECT ${ns} AS Ns, intDiv(${ns} - ${params.bind(from, 'Int64')}, ${params.bind(width, 'Int64')}) AS B,
         ${selected} AS Sel ${scope.from})
     GROUP BY B`,
  );
  const selection = Array.from({ length: STRATA }, () => 0);
  const rest = [...selection];
  const pieces: Window[] = [];
  for (const { B, S, R, At } of rows) {
    selection[B] = S;
    rest[B] = R;
    const reach = (width * BigInt(AROUND)) / BigInt(Math.max(1, S + R)) / 2n + 1n;
    for (const at of At) pieces.push({ from: BigInt(at) - reach, to: BigInt(at) + reach });
  }
  const total = rows.reduce((sum, { S, R }) => sum + S + R, 0);
  const whole = total <= ALL_ROWS;
  return { selection, rest, width, pieces: whole ? [sides.window] : merge(pieces, sides.window) };
}

/** The same moments in as few pieces as possible, none beyond the window. */
function merge(pieces: readonly Window[], window: Window): Window[] {
  const merged: { from: bigint; to: bigint }[] = [];
  for (const piece of [...pieces].sort((a, b) => (a.from < b.from ? -1 : 1))) {
    const from = piece.from < window.from ? window.from : piece.from;
    const to = piece.to > window.to ? window.to : piece.to;
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) last.to = to > last.to ? to : last.to;
    else merged.push({ from, to });
  }
  return merged;
}
