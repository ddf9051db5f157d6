import type { TimeWindow } from '../../lib/time-range.ts';
import { axisOf } from './scale.ts';
import { timeTicks } from './time-chart.ts';

/** How many measurements fell into a bucket of time and of value. */
export interface HeatCell {
  readonly timeMs: number;
  readonly low: number;
  readonly high: number;
  /** The side on which the range has no end of its own: how far it is drawn there says nothing. */
  readonly open?: 'below' | 'above';
  readonly count: number;
}

/** A range of values that cells have. */
export type HeatRange = Pick<HeatCell, 'low' | 'high' | 'open'>;

interface DrawnCell extends HeatCell {
  /** Left, width, top and height as shares (0..1) of the plot. */
  readonly x: number;
  readonly width: number;
  readonly y: number;
  readonly height: number;
  /** 0..1, by the logarithm of the count: a few slow ones stay visible beside thousands of fast ones. */
  readonly heat: number;
}

export interface Heatmap {
  readonly cells: readonly DrawnCell[];
  /** Buckets of time. */
  readonly columns: number;
  /** The ranges that any cell has, from below. */
  readonly rows: readonly HeatRange[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
  readonly low: number;
  readonly high: number;
  readonly logarithmic: boolean;
  readonly total: number;
  readonly most: number;
  readonly ticks: readonly number[];
  /** Values to write beside the plot. */
  readonly valueTicks: readonly number[];
}

/** More cells than anybody could see are not drawn. */
const MOST_CELLS = 6_000;

/** Lays counted cells over the window; a range of values over two decades is drawn by logarithm. */
export function prepareHeatmap(
  cells: readonly HeatCell[],
  window: TimeWindow,
  stepSeconds: number,
  unit = '',
): Heatmap {
  const stepMs = stepSeconds * 1_000;
  const fromMs = Math.floor(window.fromMs / stepMs) * stepMs;
  const toMs = fromMs + Math.max(1, Math.ceil((window.toMs - fromMs) / stepMs)) * stepMs;
  const inside = cells
    .filter(
      (cell) =>
        cell.count > 0 &&
        cell.timeMs >= fromMs &&
        cell.timeMs < toMs &&
        Number.isFinite(cell.low + cell.high),
    )
    .slice(0, MOST_CELLS);
  const positive = inside.filter((cell) => cell.low > 0);
  const smallest = positive.reduce((low, cell) => Math.min(low, cell.low), Number.POSITIVE_INFINITY);
  const high = inside.reduce((top, cell) => Math.max(top, cell.high), 0);
  const lowest = inside.reduce((low, cell) => Math.min(low, cell.low), 0);
  const logarithmic = lowest >= 0 && high / smallest > 100;
  // A bucket that begins at nothing has no logarithm: it stands one step below the smallest that has.
  const low = logarithmic ? smallest / (positive.length < inside.length ? 2 : 1) : Math.min(lowest, 0);
  const at = (value: number) => {
    const share = logarithmic
      ? Math.log(Math.max(value, low) / low) / Math.log(high / low || Math.E)
      : (value - low) / (high - low || 1);
    return Math.min(1, Math.max(0, share));
  };
  const most = inside.reduce((top, cell) => Math.max(top, cell.count), 0);
  const drawn = inside.map((cell): DrawnCell => {
    const [bottom, top] = [at(cell.low), at(cell.high)];
    const height = Math.max(top - bottom, 0.004);
    return {
      ...cell,
      x: (cell.timeMs - fromMs) / (toMs - fromMs),
      width: stepMs / (toMs - fromMs),
      // One value alone is a line, which at the bottom of the plot must not lie below it.
      y: Math.min(1 - top, 1 - height),
      height,
      heat: 0.15 + 0.85 * (Math.log1p(cell.count) / Math.log1p(most)),
    };
  });
  return {
    cells: drawn,
    columns: Math.round((toMs - fromMs) / stepMs),
    rows: [
      ...new Map(
        inside.map(({ low, high, open }) => [`${low} ${high}`, { low, high, ...(open && { open }) }]),
      ).values(),
    ].sort((a, b) => a.low - b.low || a.high - b.high),
    fromMs,
    toMs,
    stepMs,
    low,
    high,
    logarithmic,
    total: inside.reduce((sum, cell) => sum + cell.count, 0),
    most,
    ticks: timeTicks(window),
    valueTicks: logarithmic ? decades(low, high) : linear(low, high, unit),
  };
}

function decades(low: number, high: number): number[] {
  const ticks: number[] = [];
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / 6));
  for (let power = first; power <= last; power += every) ticks.push(10 ** power);
  return ticks;
}

/** Round values, those that lie within the plot. */
const linear = (low: number, high: number, unit: string): number[] =>
  high > low ? axisOf(low, high, unit).ticks.filter((tick) => tick >= low && tick <= high) : [];

/** Share (0..1 from below) of the plot's height at which a value stands. */
export function heatPlace(map: Heatmap, value: number): number {
  if (map.logarithmic) return Math.log(Math.max(value, map.low) / map.low) / Math.log(map.high / map.low);
  return (value - map.low) / (map.high - map.low || 1);
}

/** The value at a share (0..1 from below) of the plot's height. */
export function heatValue(map: Heatmap, share: number): number {
  const at = Math.min(1, Math.max(0, share));
  return map.logarithmic ? map.low * (map.high / map.low) ** at : map.low + at * (map.high - map.low);
}

/** A cell that the keyboard stands on, and the one that its marking began at: the same where nothing is marked. */
export interface HeatCursor {
  readonly column: number;
  readonly row: number;
  readonly from: { readonly column: number; readonly row: number };
}

const STEPS: Readonly<Record<string, readonly [column: number, row: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

/**
 * Where a key leads from there; undefined for a key that leads nowhere. The first one leads to what is fullest of the newest
 * time that has anything; `marks`: the cells between stay marked.
 */
export function heatCursor(
  map: Heatmap,
  cursor: HeatCursor | undefined,
  key: string,
  marks: boolean,
): HeatCursor | undefined {
  const step = STEPS[key];
  const edge = key === 'Home' ? 0 : key === 'End' ? map.columns - 1 : undefined;
  if ((step === undefined && edge === undefined) || map.rows.length === 0) return undefined;
  const at = cursor ?? newest(map);
  const [right, up] = cursor === undefined || step === undefined ? [0, 0] : step;
  const within = (value: number, count: number) => Math.min(count - 1, Math.max(0, value));
  const to = {
    column: within(edge ?? at.column + right, map.columns),
    row: within(at.row + up, map.rows.length),
  };
  return { ...to, from: marks && cursor !== undefined ? cursor.from : to };
}

const columnOf = (map: Heatmap, { timeMs }: HeatCell): number =>
  Math.floor((timeMs - map.fromMs) / map.stepMs);
const isIn = (cell: HeatRange, range: HeatRange | undefined): boolean =>
  cell.low === range?.low && cell.high === range.high;

function newest(map: Heatmap): { column: number; row: number } {
  const column = map.cells.reduce((latest, cell) => Math.max(latest, columnOf(map, cell)), 0);
  const fullest = map.cells
    .filter((cell) => columnOf(map, cell) === column)
    .reduce((most, cell) => (cell.count > most.count ? cell : most));
  return { column, row: map.rows.findIndex((range) => isIn(fullest, range)) };
}

/** The same time and values on another map; undefined where it does not have them. */
export function heatMoved(before: Heatmap, after: Heatmap, cursor: HeatCursor): HeatCursor | undefined {
  if (before.stepMs !== after.stepMs) return undefined;
  const moved = ({ column, row }: HeatCursor['from']) => ({
    column: column + (before.fromMs - after.fromMs) / after.stepMs,
    row: after.rows.findIndex((range) => isIn(range, before.rows[row])),
  });
  const [to, from] = [moved(cursor), moved(cursor.from)];
  const isThere = [to, from].every(({ column, row }) => column >= 0 && column < after.columns && row >= 0);
  return isThere ? { ...to, from } : undefined;
}

/** What is drawn where the cursor stands; undefined where nothing was measured. */
export const heatCellAt = (map: Heatmap, { column, row }: HeatCursor): DrawnCell | undefined =>
  map.cells.find((cell) => columnOf(map, cell) === column && isIn(cell, map.rows[row]));

/** Time and values of all that is marked. */
export function heatMarked(map: Heatmap, { column, row, from }: HeatCursor): TimeWindow & HeatRange {
  const ranges = map.rows.slice(Math.min(row, from.row), Math.max(row, from.row) + 1);
  return {
    fromMs: map.fromMs + Math.min(column, from.column) * map.stepMs,
    toMs: map.fromMs + (Math.max(column, from.column) + 1) * map.stepMs,
    low: ranges[0]?.low ?? map.low,
    high: ranges.reduce((high, range) => Math.max(high, range.high), ranges[0]?.high ?? map.high),
  };
}
