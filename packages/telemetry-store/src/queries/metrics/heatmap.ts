import type { MetricExemplar } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import type { Range } from './distribution.ts';
import { exemplarsOf } from './exemplars.ts';
import { cut, gridOf } from './grid.ts';
import { explicitLines, exponentialLines } from './histograms.ts';
import { checkSize, chosen, type MetricSelection, variantsOf } from './plan.ts';
import { type PointsInput, spacingOf } from './points.ts';
import { factsOf, type MetricFacts } from './query.ts';

export interface MetricHeatmap extends MetricFacts {
  readonly times: number[];
  readonly ranges: { readonly low: number | null; readonly high: number | null }[];
  readonly cells: [column: number, range: number, count: number][];
  readonly exemplars: MetricExemplar[];
}

const POINTS_AT_ONCE = 4_000_000;
/** Rows of a heat map; narrower ranges are put together. */
const MAX_RANGES = 60;

/** Counts of a histogram by range and time. @throws bad_query when it is none */
export async function queryHeatmap(
  runner: Runner,
  context: RequestContext,
  query: MetricSelection & { readonly stepSeconds?: number | undefined },
): Promise<MetricHeatmap> {
  const variants = await variantsOf(runner, context, query);
  const variant = chosen(variants, query);
  const facts = factsOf(query, variants, variant);
  if (variant === undefined) return { ...facts, times: [], ranges: [], cells: [], exemplars: [] };
  if (variant.meaning !== 'distribution') {
    throw fail('bad_query', { detail: `A heat map needs a histogram; this is a ${variant.kind}.` });
  }
  checkSize(variant);
  const spacing = query.stepSeconds === undefined ? await spacingOf(runner, context, query, variant) : null;
  const grid = gridOf(query.window, query.stepSeconds, spacing, variant.series);
  const input: PointsInput = {
    context,
    metric: query.metric,
    variant,
    filter: query.filter,
    groupBy: [],
    grid,
  };
  const read = variant.kind === 'histogram' ? explicitLines : exponentialLines;
  const notes = [...facts.notes];
  const columns = new Map<number, readonly Range[]>();
  const readColumns = async () => {
    for (const part of cut(grid, Math.ceil(variant.points / POINTS_AT_ONCE))) {
      const { lines, exact } = await read(runner, input, part, 1);
      if (!exact)
        notes.push('Not all series have the same bucket bounds: only the bounds that they share are used.');
      for (const [bucket, { ranges }] of lines[0]?.buckets ?? []) columns.set(bucket, ranges);
    }
  };
  const [exemplars] = await Promise.all([exemplarsOf(runner, input), readColumns()]);
  const all = [...columns.values()].flatMap((ranges) => ranges.filter(({ count }) => count > 0));
  const edges = edgesOf(all);
  const cells: [number, number, number][] = [];
  for (const [bucket, ranges] of columns) {
    const counts = new Map<number, number>();
    for (const { high, low, count } of ranges) {
      if (count === 0) continue;
      const at = rangeAt(edges, low, high);
      counts.set(at, (counts.get(at) ?? 0) + count);
    }
    for (const [at, count] of counts) cells.push([bucket - grid.first, at, count]);
  }
  const finite = (edge: number | undefined) => (edge !== undefined && Number.isFinite(edge) ? edge : null);
  return {
    ...facts,
    notes: [...new Set(notes)],
    stepSeconds: grid.step,
    times: Array.from(
      { length: grid.last - grid.first + 1 },
      (_, index) => (grid.first + index) * grid.step * 1_000,
    ),
    ranges: edges.slice(1).map((high, index) => ({ low: finite(edges[index]), high: finite(high) })),
    cells: cells.sort(([a, c], [b, d]) => a - b || c - d),
    exemplars,
  };
}

/** Rising edges of all ranges that hold something; of too many every so-manieth, both ends kept. */
function edgesOf(ranges: readonly Range[]): number[] {
  const edges = [...new Set(ranges.flatMap(({ low, high }) => [low, high]))].sort((a, b) => a - b);
  const every = Math.ceil((edges.length - 1) / MAX_RANGES);
  if (every <= 1) return edges;
  return edges.filter((_, index) => index % every === 0 || index === edges.length - 1);
}

/** The row that a range lies in. Zero as a range of its own falls in the row that ends there. */
function rangeAt(edges: readonly number[], low: number, high: number): number {
  let from = 0;
  let to = edges.length - 2;
  const value = low === high ? low : high;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((edges[middle + 1] ?? Infinity) >= value) to = middle;
    else from = middle + 1;
  }
  return Math.max(0, from);
}
