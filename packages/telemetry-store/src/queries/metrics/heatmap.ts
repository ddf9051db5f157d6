import type { MetricExemplar } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import type { Window } from '../core/scope.ts';
import {
  atScale,
  type Bounds,
  eachRange,
  type ExponentialPart,
  exponentialAxis,
  isBesideZero,
  sidesOf,
} from './distribution.ts';
import { exemplarsOf } from './exemplars.ts';
import { beginMs, cut, type Steps } from './grid.ts';
import { explicitLines, exponentialParts } from './histograms.ts';
import { chosen, type MetricSelection, POINTS_AT_ONCE, variantsOf } from './plan.ts';
import type { PointsInput } from './points.ts';
import { timed } from './rhythm.ts';
import { BOUNDS_DIFFER, factsOf, type MetricFacts, NO_BUCKETS, TORN } from './query.ts';

export interface MetricHeatmap extends MetricFacts {
  readonly times: number[];
  readonly ranges: { readonly low: number | null; readonly high: number | null }[];
  readonly cells: [column: number, range: number, count: number][];
  readonly exemplars: MetricExemplar[];
}

/** Rows of a heat map; narrower ranges are put together. */
const MAX_RANGES = 60;

/** Counts of a histogram by range and time. @throws bad_query when it is none */
export async function queryHeatmap(
  runner: Runner,
  context: RequestContext,
  query: MetricSelection & Steps,
): Promise<MetricHeatmap> {
  const variants = await variantsOf(runner, context, query);
  const meant = chosen(variants, query);
  const facts = factsOf(query, variants, meant);
  if (meant === undefined) return { ...facts, times: [], ranges: [], cells: [], exemplars: [] };
  if (meant.meaning !== 'distribution') {
    throw fail('bad_query', { detail: `A heat map needs a histogram; this is a ${meant.kind}.` });
  }
  const { variant, grid, torn, ahead } = await timed(runner, context, query, meant);
  const input: PointsInput = {
    context,
    metric: query.metric,
    variant,
    filter: query.filter,
    groupBy: [],
    grid,
    ahead,
  };
  const [exemplars, found] = await Promise.all([
    exemplarsOf(runner, input),
    variant.kind === 'histogram' ? explicitColumns(runner, input) : exponentialColumns(runner, input),
  ]);
  const { edges, cells, notes } = laidOut(found);
  const finite = (edge: number | undefined) => (edge !== undefined && Number.isFinite(edge) ? edge : null);
  return {
    ...facts,
    notes: [...facts.notes, ...(torn ? [TORN] : []), ...notes],
    stepSeconds: grid.step,
    intervalSeconds: variant.interval,
    times: Array.from({ length: grid.last - grid.first + 1 }, (_, index) =>
      beginMs(grid, grid.first + index),
    ),
    ranges: edges.slice(1).map((high, index) => ({ low: finite(edges[index]), high: finite(high) })),
    cells: cells.map(([bucket, row, count]) => [bucket - grid.first, row, count]),
    exemplars,
  };
}

/** What was measured in one bucket of time: ranges with the count of each beside it. */
interface Column {
  readonly ranges: readonly Bounds[];
  readonly counts: readonly number[];
}

/** The columns by their bucket of time, and what is to be said about them. Ranges that are alike are best one object. */
interface Columns {
  readonly columns: ReadonlyMap<number, Column>;
  readonly notes: readonly string[];
}

const windowsOf = ({ grid, variant }: PointsInput): Window[] =>
  cut(grid, Math.ceil(variant.points / POINTS_AT_ONCE));

async function explicitColumns(runner: Runner, input: PointsInput): Promise<Columns> {
  const columns = new Map<number, Column>();
  let all = true;
  let isMeasured = false;
  for (const window of windowsOf(input)) {
    const { lines, exact } = await explicitLines(runner, input, window, 1);
    all &&= exact;
    for (const [bucket, { ranges, count }] of lines[0]?.buckets ?? []) {
      columns.set(bucket, { ranges, counts: ranges.map((range) => range.count) });
      isMeasured ||= count > 0;
    }
  }
  const isKnown = columns.values().some(({ counts }) => counts.some((count) => count > 0));
  return {
    columns,
    notes: [...(all ? [] : [BOUNDS_DIFFER]), ...(isMeasured && !isKnown ? [NO_BUCKETS] : [])],
  };
}

/** All in the scale of the coarsest, and zero as wide as the widest: rows of several widths would show more where they are wider. */
async function exponentialColumns(runner: Runner, input: PointsInput): Promise<Columns> {
  const parts = new Map<number, ExponentialPart>();
  for (const window of windowsOf(input)) {
    const { lines } = await exponentialParts(runner, input, window, 1);
    for (const [bucket, { part }] of lines[0]?.buckets ?? []) parts.set(bucket, part);
  }
  // Zero lies in the same place at any scale.
  const all = [...parts.values()];
  const scales = all.filter(isBesideZero).map(({ scale }) => scale);
  const coarsest = scales.reduce((least, scale) => Math.min(least, scale), Infinity);
  const zeroWidth = all.reduce((widest, part) => Math.max(widest, part.zeroWidth ?? 0), 0);
  const sides = sidesOf(all);
  const axisOf = onceEach((scale) => {
    const axis = exponentialAxis(scale, zeroWidth, sides);
    return { ...axis, positive: onceEach(axis.positive), negative: onceEach(axis.negative) };
  });
  const columns = new Map<number, Column>();
  for (const [bucket, part] of parts) {
    const ranges: Bounds[] = [];
    const counts: number[] = [];
    const scaled = atScale(part, Math.min(coarsest, part.scale));
    eachRange(scaled, axisOf(scaled.scale), (bounds, count) => {
      ranges.push(bounds);
      counts.push(count);
    });
    columns.set(bucket, { ranges, counts });
  }
  return { columns, notes: new Set(scales).size > 1 ? [SCALES_DIFFER] : [] };
}

/** `make`, which makes what belongs to a number only once. */
function onceEach<T>(make: (of: number) => T): (of: number) => T {
  const made = new Map<number, T>();
  return (of) => {
    const known = made.get(of);
    if (known !== undefined) return known;
    const one = make(of);
    made.set(of, one);
    return one;
  };
}

const SCALES_DIFFER =
  'Exponential buckets differ in width over time: the heat map shows all in the ranges of the widest.';
const BOUNDS_CHANGE = 'Bucket bounds differ over time: ranges that overlap are shown as one.';

const isAnywhere = ({ low, high }: Bounds): boolean => low === -Infinity && high === Infinity;

/** What of {@link Columns} a heat map shows. */
interface Layout {
  /** Rising edges of rows, of which each range lies in one. */
  readonly edges: readonly number[];
  /** Counts that are not 0, by bucket and then by row. */
  readonly cells: readonly [bucket: number, row: number, count: number][];
  readonly notes: readonly string[];
}

/** Puts the counts of all columns into rows that they share. What lies nobody knows where is left out, unless there is nothing else. */
export function laidOut({ columns, notes }: Columns): Layout {
  const held = new Set<Bounds>();
  let lost = 0;
  for (const { ranges, counts } of columns.values()) {
    ranges.forEach((range, at) => {
      const count = counts[at] ?? 0;
      if (count <= 0) return;
      held.add(range);
      if (isAnywhere(range)) lost += count;
    });
  }
  const all = [...held];
  const placed = all.filter((range) => !isAnywhere(range));
  // One measurement of which nobody knows where it lies would make one row of all.
  const isLost = lost > 0 && placed.length > 0;
  const shown = isLost ? placed : all;
  const { edges, exact } = edgesOf(shown);
  const rows = new Map(shown.map((range) => [range, rowOf(edges, range)]));
  const cells: [number, number, number][] = [];
  for (const [bucket, { ranges, counts }] of [...columns].sort(([a], [b]) => a - b)) {
    const sums = new Float64Array(edges.length);
    ranges.forEach((range, at) => {
      const row = rows.get(range);
      const count = counts[at] ?? 0;
      if (row !== undefined && count > 0) sums[row] = (sums[row] ?? 0) + count;
    });
    sums.forEach((count, row) => {
      if (count > 0) cells.push([bucket, row, count]);
    });
  }
  return {
    edges,
    cells,
    notes: [
      ...notes,
      ...(isLost
        ? [`${lost.toLocaleString('en')} measurements are not shown: no bucket says where they lie.`]
        : []),
      ...(exact ? [] : [BOUNDS_CHANGE]),
    ],
  };
}

/**
 * Rising edges of rows, each range within one: an edge inside of another range would have to cut its count. Of too many
 * every so-manieth, both ends kept.
 */
function edgesOf(ranges: readonly Bounds[]): { readonly edges: number[]; readonly exact: boolean } {
  const highest = new Map<number, number>();
  let isCut = false;
  for (const { low, high } of ranges) {
    const known = highest.get(low);
    // The end of a shorter range lies within the longest that begins where it does, unless it has no width.
    isCut ||= known !== undefined && known !== high && Math.min(known, high) > low;
    if (known === undefined || known < high) highest.set(low, high);
  }
  const all = [...new Set([...highest].flat())].sort((a, b) => a - b);
  let reached = -Infinity;
  const edges = all.filter((edge) => {
    const isInside = reached > edge;
    reached = Math.max(reached, highest.get(edge) ?? edge);
    return !isInside;
  });
  const exact = !isCut && edges.length === all.length;
  // Zero alone is a range without a width.
  const [only] = edges;
  if (only !== undefined && edges.length === 1) return { edges: [only, only], exact };
  const every = Math.ceil((edges.length - 1) / MAX_RANGES);
  if (every <= 1) return { edges, exact };
  return { edges: edges.filter((_, index) => index % every === 0 || index === edges.length - 1), exact };
}

/** The row that a range lies in. Zero as a range of its own falls in the row that ends there. */
function rowOf(edges: readonly number[], { high }: Bounds): number {
  let from = 0;
  let to = edges.length - 2;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((edges[middle + 1] ?? Infinity) >= high) to = middle;
    else from = middle + 1;
  }
  return Math.max(0, from);
}
