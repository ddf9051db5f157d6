import { type Filter, resolveField } from '@candela/contract';
import { CandelaError, type RequestContext } from '@candela/kernel';
import { compileFilter } from '../core/filter.ts';
import { type LongWork, longWorkOf, readsOf } from '../core/long-work.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import type { Source } from '../core/source.ts';

/** Parts of equal length that the window is looked at in. */
export const STRATA = 24;
/** Rows around one row that a read takes in: about half a granule, since a whole one is read anyway. */
const AROUND = 4_096;
/** Where a read holds fewer rows of the selection than this, there are several reads, each of few rows. */
const ENOUGH = 30;
const PIVOTS = 2;
const AROUND_RARE = 512;
/** Under a filter rows lie further apart: reads of so many times fewer rows reach as far. */
const SPARSE = 4;
/** So few rows are all read. */
export const ALL_ROWS = 10_000;
const SEED = 7;

/** What a comparison looks at: which rows, which of them are the selection. */
export interface Sides {
  readonly window: Window;
  readonly filter: Filter | undefined;
  /** Undefined: all matching rows. */
  readonly selection: Filter | undefined;
  /**
   * Another window: the rest are the rows of the selection there, not the other rows of the window itself. The two have no
   * moment in common.
   */
  readonly before?: Window | undefined;
}

/** How the rows of both sides lie in the window, and the narrow pieces of it that are read. */
export interface Strata {
  /** Rows of each part. */
  readonly selection: readonly number[];
  readonly rest: readonly number[];
  readonly pieces: readonly Window[];
  /** True when the pieces hold all rows of both sides. */
  readonly whole: boolean;
  /** True when the rows of each part are not counted but estimated. */
  readonly estimated: boolean;
}

/** The base rows of both sides, and the expression that tells the selection. */
export function sidesScope(
  context: RequestContext,
  source: Source,
  sides: Sides,
): { scope: Scope; selected: string } {
  const { window, before, selection } = sides;
  const base = Scope.of(context, source);
  if (before === undefined) {
    const scope = base.during(window).matching(sides.filter);
    return {
      scope,
      selected: selection === undefined ? '1' : compileFilter(source, selection, scope.params),
    };
  }
  const scope = base.duringAny([before, window]).matching(sides.filter).matching(selection);
  const { params } = scope;
  return {
    scope,
    selected: `(${source.time} >= ${params.time(window.from)} AND ${source.time} < ${params.time(window.to)})`,
  };
}

/** The part of its own window that a row lies in, as an expression. */
export function partOf(source: Source, scope: Scope, sides: Sides, selected: string): string {
  const { window, before } = sides;
  const own = partSql(source, scope, window.from, widthOf(window));
  return before === undefined
    ? own
    : `if(${selected}, ${own}, ${partSql(source, scope, before.from, widthOf(before))})`;
}

/** A comparison with its windows cut to where rows lie, and how they lie there. */
export interface Laid {
  readonly sides: Sides;
  readonly strata: Strata;
}

/**
 * Counts both sides over the window and chooses where to read, evenly over time. Conditions that read maps or texts are
 * not worked out on all rows of a large window: counts are then estimated from pieces of it.
 */
export async function layStrata(
  runner: Runner,
  context: RequestContext,
  source: Source,
  sides: Sides,
): Promise<Laid> {
  const { window, filter, selection, before } = sides;
  if (before === undefined) {
    const laid = await layOne(runner, context, source, sides);
    return { sides: { ...sides, window: laid.window }, strata: laid.strata };
  }
  const parts = [filter, selection].filter((part) => part !== undefined);
  const all = parts.length < 2 ? parts[0] : { and: parts };
  const lay = (one: Window) =>
    layOne(runner, context, source, { window: one, filter: all, selection: undefined });
  const [now, then] = await Promise.all([lay(window), lay(before)]);
  return {
    sides: { ...sides, window: now.window, before: then.window },
    strata: {
      selection: now.strata.selection,
      rest: then.strata.selection,
      pieces: [...then.strata.pieces, ...now.strata.pieces],
      whole: now.strata.whole && then.strata.whole,
      estimated: now.strata.estimated || then.strata.estimated,
    },
  };
}

/** So often a window is cut; each time rows are counted anew. */
const MOST_CUTS = 3;

async function layOne(
  runner: Runner,
  context: RequestContext,
  source: Source,
  sides: Sides,
  cuts = MOST_CUTS,
): Promise<{ window: Window; strata: Strata }> {
  const wide = [sides.filter, sides.selection].some((part) => part !== undefined && readsWide(part));
  const strata = await (wide ? estimate : countAll)(runner, context, source, sides);
  const window = cuts === 0 ? undefined : filledPart(sides.window, strata);
  return window === undefined
    ? { window: sides.window, strata }
    : layOne(runner, context, source, { ...sides, window }, cuts - 1);
}

/**
 * The part of the window that all rows lie in, where that is at most half of it: so many rows are looked at in each of its
 * parts, and few would be in all of a day that has rows of its last hour only. Undefined where most parts have rows.
 */
function filledPart({ from, to }: Window, strata: Strata): Window | undefined {
  if (strata.whole || strata.estimated) return undefined;
  const filled = strata.selection.map((rows, part) => rows + (strata.rest[part] ?? 0) > 0);
  const first = filled.indexOf(true);
  if (first < 0) return undefined;
  const width = widthOf({ from, to });
  const begin = from + width * BigInt(first);
  const end = from + width * BigInt(filled.lastIndexOf(true) + 1);
  const part = { from: begin, to: end < to ? end : to };
  return (part.to - part.from) * 2n <= to - from ? part : undefined;
}

/** Rows of a window that even wide conditions are worked out on. */
const WIDE_ROWS = 400_000;
/** Places in each part of the window that are read for an estimate. */
const PLACES = [0.2, 0.7];
/** So many rows at most, of those that the indexes leave, are searched for what an estimate saw too little of. */
const MOST_SEARCHED: Readonly<Record<LongWork, number>> = { texts: 4_000_000, attributes: 20_000_000 };
/** And so long: an estimate is at hand. */
const MOST_SEARCH_MS = 10_000;
/** Rows of a side that was searched for around which is read, of all parts together. */
const MOST_FOUND = 120;

async function estimate(
  runner: Runner,
  context: RequestContext,
  source: Source,
  sides: Sides,
): Promise<Strata> {
  const { from } = sides.window;
  const width = widthOf(sides.window);
  const all = Scope.of(context, source).during(sides.window);
  const rows = await runner.run<{ B: number; N: number }>(
    all,
    `SELECT ${partSql(source, all, from, width)} AS B, count() AS N ${all.from} GROUP BY B`,
  );
  const total = rows.reduce((sum, { N }) => sum + N, 0);
  if (total <= WIDE_ROWS) return countAll(runner, context, source, sides);
  const pieces = rows.flatMap(({ B, N }) => {
    const reach = (width * BigInt(AROUND)) / BigInt(Math.max(1, N));
    return PLACES.map((place) => {
      const start = from + width * BigInt(B) + BigInt(Math.floor(Number(width) * place));
      return { from: start, to: start + reach };
    });
  });
  const merged = merge(pieces, sides.window);
  const { scope, selected } = sidesScope(context, source, sides);
  const read = inPieces(Scope.of(context, source, scope.params), source, merged);
  const base = sides.filter === undefined ? '1' : compileFilter(source, sides.filter, scope.params);
  const seen = await runner.run<{ B: number; N: number; S: number; R: number }>(
    read,
    `SELECT B, count() AS N, countIf(Base AND Sel) AS S, countIf(Base AND NOT Sel) AS R FROM (
       SELECT ${partSql(source, read, from, width)} AS B, ${base} AS Base, ${selected} AS Sel ${read.from})
     GROUP BY B`,
  );
  const known = new Map(rows.map(({ B, N }) => [B, N]));
  const of = (count: (row: { S: number; R: number }) => number) =>
    Array.from({ length: STRATA }, (_, part) => {
      const row = seen.find(({ B }) => B === part);
      return row === undefined ? 0 : Math.round((count(row) * (known.get(part) ?? 0)) / Math.max(1, row.N));
    });
  const estimated: Strata = {
    selection: of(({ S }) => S),
    rest: of(({ R }) => R),
    pieces: merged,
    whole: false,
    estimated: true,
  };
  const selectionSeen = seen.reduce((sum, { S }) => sum + S, 0);
  const restSeen = seen.reduce((sum, { R }) => sum + R, 0);
  const rare =
    selectionSeen + restSeen < 2 * ENOUGH
      ? 'both'
      : sides.selection === undefined
        ? undefined
        : selectionSeen < ENOUGH
          ? 'selection'
          : restSeen < ENOUGH
            ? 'rest'
            : undefined;
  if (rare === undefined) return estimated;
  const counts = Array.from({ length: STRATA }, (_, part) => known.get(part) ?? 0);
  return (await searchRare(runner, context, source, { sides, estimated, counts, rare })) ?? estimated;
}

/**
 * Of rows so rare an estimate says nothing: it may not even have seen that there are any. They are searched for, as any
 * search would; undefined where that would take too long. `counts` are all rows of each part.
 */
async function searchRare(
  runner: Runner,
  context: RequestContext,
  source: Source,
  known: {
    readonly sides: Sides;
    readonly estimated: Strata;
    readonly counts: readonly number[];
    readonly rare: 'selection' | 'rest' | 'both';
  },
): Promise<Strata | undefined> {
  const { sides, estimated, counts, rare } = known;
  const { scope, selected } = sidesScope(context, source, sides);
  const asked = [sides.filter, sides.selection].filter((part) => part !== undefined);
  const reads = readsOf(context, source, { and: asked });
  const most = {
    maxRows: MOST_SEARCHED[reads.usesTextIndex ? 'texts' : (longWorkOf(reads) ?? 'attributes')],
    maxMs: MOST_SEARCH_MS,
  };
  try {
    if (rare === 'both') return await countAll(runner, context, source, sides, most);
    const own = scope.and(rare === 'selection' ? selected : `NOT (${selected})`);
    const { from } = sides.window;
    const width = widthOf(sides.window);
    const found = await runner.run<{ B: number; N: number; At: string[] }>(
      own,
      `SELECT B, count() AS N, arrayMap(t -> toString(t), groupArraySample(${MOST_FOUND}, ${SEED})(Ns)) AS At
       FROM (SELECT toUnixTimestamp64Nano(${source.time}) AS Ns, ${partSql(source, own, from, width)} AS B ${own.from})
       GROUP BY B`,
      most,
    );
    const each = Math.ceil(MOST_FOUND / Math.max(1, found.length));
    const pieces = found.flatMap(({ B, At }) =>
      everyFew(At, each).map((at) => piece(at, AROUND_RARE, width, counts[B] ?? 0)),
    );
    const rows = counts.map((_, part) => found.find(({ B }) => B === part)?.N ?? 0);
    const other = rare === 'selection' ? 'rest' : 'selection';
    return {
      ...estimated,
      [rare]: rows,
      // Without a filter all that is not of the one side is of the other; rows that came since they were counted are of neither.
      ...(sides.filter === undefined
        ? { [other]: counts.map((all, part) => Math.max(0, all - (rows[part] ?? 0))), estimated: false }
        : {}),
      pieces: merge([...estimated.pieces, ...pieces], sides.window),
    };
  } catch (thrown) {
    if (thrown instanceof CandelaError && thrown.code === 'query_too_expensive') return undefined;
    throw thrown;
  }
}

/** So many of them at most, from all over the list. */
const everyFew = <T>(list: readonly T[], most: number): T[] => {
  const step = Math.ceil(list.length / most);
  return list.filter((_, index) => index % step === 0);
};

/**
 * Only rows in the pieces. The index passes by everything else by their bounds; of the rows that are left each is told
 * by one search among the bounds instead of a comparison with every piece.
 */
export function inPieces(scope: Scope, source: Source, pieces: readonly Window[]): Scope {
  if (pieces.length < 2) return pieces.reduce((narrowed, piece) => narrowed.during(piece), scope);
  const { params } = scope;
  const ranges = pieces.map(
    ({ from, to }) => `(${source.time} >= ${params.time(from)} AND ${source.time} < ${params.time(to)})`,
  );
  const bounds = params.bind([0n, ...pieces.flatMap(({ from, to }) => [from, to])], 'Array(Int64)');
  const starts = params.bind(
    pieces.map(({ from }) => from),
    'Array(Int64)',
  );
  return scope
    .and(`indexHint(${ranges.join(' OR ')})`)
    .and(`roundDown(toUnixTimestamp64Nano(${source.time}), ${bounds}) IN ${starts}`);
}

/** Whether working a filter out reads wide columns: maps of attributes, texts. */
function readsWide(filter: Filter): boolean {
  if ('and' in filter) return filter.and.some(readsWide);
  if ('or' in filter) return filter.or.some(readsWide);
  if ('not' in filter) return readsWide(filter.not);
  const field = resolveField(filter.field);
  return field?.kind === 'key' || (field?.kind === 'named' && field.definition.type === 'text');
}

const widthOf = ({ from, to }: Window): bigint => (to - from) / BigInt(STRATA) + 1n;

/** The part of the window that a row lies in, as an expression. */
export function partSql(source: Source, { params }: Scope, from: bigint, width: bigint): string {
  return `intDiv(toUnixTimestamp64Nano(${source.time}) - ${params.bind(from, 'Int64')}, ${params.bind(width, 'Int64')})`;
}

async function countAll(
  runner: Runner,
  context: RequestContext,
  source: Source,
  sides: Sides,
  most?: { readonly maxRows: number; readonly maxMs: number },
): Promise<Strata> {
  const { from } = sides.window;
  const width = widthOf(sides.window);
  const { scope, selected } = sidesScope(context, source, sides);
  const ns = `toUnixTimestamp64Nano(${source.time})`;
  const rows = await runner.run<{ B: number; S: number; R: number; At: string[] }>(
    scope,
    `SELECT B, countIf(Sel) AS S, countIf(NOT Sel) AS R, arrayMap(t -> toString(t), arrayConcat(
         groupArraySampleIf(${PIVOTS}, ${SEED})(Ns, Sel), groupArraySampleIf(1, ${SEED})(Ns, NOT Sel))) AS At
     FROM (
       SELECT ${ns} AS Ns, ${partSql(source, scope, from, width)} AS B,
         ${selected} AS Sel ${scope.from})
     GROUP BY B`,
    most,
  );
  const selection = Array.from({ length: STRATA }, () => 0);
  const rest = [...selection];
  const pieces: Window[] = [];
  for (const { B, S, R, At } of rows) {
    selection[B] = S;
    rest[B] = R;
    pieces.push(...around({ S, R, At }, width, sides.filter === undefined ? 1 : SPARSE));
  }
  const total = rows.reduce((sum, { S, R }) => sum + S + R, 0);
  const whole = total <= ALL_ROWS;
  const read = whole ? [sides.window] : merge(pieces, sides.window);
  return { selection, rest, pieces: read, whole, estimated: false };
}

/** Where to read in one part of the window: around rows of the selection, and of the rest where that has too few. */
function around(part: { S: number; R: number; At: string[] }, width: bigint, sparse: number): Window[] {
  const rows = part.S + part.R;
  const own = (at: string | undefined, count: number): Window[] =>
    at === undefined ? [] : [piece(at, count / sparse, width, rows)];
  const [first] = part.At;
  const expected = (of: number) => ((AROUND / sparse) * of) / Math.max(1, rows);
  if (expected(part.S) < ENOUGH) return part.At.flatMap((at) => own(at, AROUND_RARE));
  const rest = part.R > 0 && expected(part.R) < ENOUGH ? own(part.At.at(-1), AROUND) : [];
  return [...own(first, AROUND), ...rest];
}

/** About `count` rows around a moment, in a part that holds `rows`. */
function piece(at: string, count: number, width: bigint, rows: number): Window {
  const reach = (width * BigInt(count)) / BigInt(Math.max(1, rows)) / 2n + 1n;
  return { from: BigInt(at) - reach, to: BigInt(at) + reach };
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
