import type { Frame, Panel } from '@candela/contract';
import { isSumMeasure } from '@candela/contract/frames';
import { largestFirst, seriesKey } from '../../charts/prepare/aggregate-series.ts';
import type { HeatCell } from '../../charts/prepare/heatmap.ts';
import { paletteOfAll } from '../../charts/prepare/palette.ts';
import { type ChartSeries, identityOf } from '../../charts/prepare/time-chart.ts';

type Visual = Panel['visual'];
type Cell = Frame['rows'][number][number];

const numberOf = (cell: Cell | undefined): number | null =>
  typeof cell === 'number' && Number.isFinite(cell) ? cell : null;
const textOf = (cell: Cell | undefined): string => (cell === null || cell === undefined ? '' : String(cell));

/** Which columns of a frame are what. */
export interface FrameParts {
  readonly time: number;
  readonly groups: readonly number[];
  /** Numbers that are drawn, each with the column of the period before; -1: there is none. */
  readonly values: readonly { readonly at: number; readonly before: number; readonly name: string }[];
  readonly unit: string;
}

/** Finds the columns that a visual draws: those it names, else what their kinds say. */
export function partsOf(frame: Frame, visual: Visual): FrameParts {
  const { columns } = frame;
  const named = (name: string | undefined) => columns.findIndex((column) => column.name === name);
  const time =
    visual.x !== undefined && columns[named(visual.x)]?.kind === 'time'
      ? named(visual.x)
      : columns.findIndex(({ kind }) => kind === 'time');
  const series = named(visual.series);
  const texts = columns.flatMap(({ kind }, at) => (kind === 'text' ? [at] : []));
  const values = columns.flatMap(({ kind, previous, name }, at) => {
    if (kind !== 'number' || previous) return [];
    if (visual.y !== undefined && visual.y.length > 0 && !visual.y.includes(name)) return [];
    return [{ at, before: columns[at + 1]?.previous === true ? at + 1 : -1, name }];
  });
  return {
    time,
    groups: series === -1 ? texts : [series],
    values,
    unit: visual.unit ?? columns[values[0]?.at ?? -1]?.unit ?? '',
  };
}

/** Words of a measure: `duration_p95` is `duration p95`. */
export const measureWords = (name: string): string => name.replaceAll('_', ' ');

/** Words of a column: a measure's, or the key of an attribute as it is sent. */
export const columnWords = (name: string): string =>
  /^(?:attributes|resource|scope)\./.test(name) ? name.slice(name.indexOf('.') + 1) : measureWords(name);

/** Series over time, the largest first; of the period before moved onto this one where the frame has it. */
export function seriesOfFrame(
  frame: Frame,
  visual: Visual,
): { readonly series: ChartSeries[]; readonly previous: ChartSeries[] } {
  const { time, groups, values } = partsOf(frame, visual);
  const collect = (columnOf: (value: FrameParts['values'][number]) => number): ChartSeries[] => {
    const found = new Map<string, { label: string; points: ChartSeries['points'][number][] }>();
    for (const row of frame.rows) {
      const timeMs = numberOf(row[time]);
      if (timeMs === null) continue;
      const group = groups.map((at) => textOf(row[at]));
      for (const value of values) {
        const at = columnOf(value);
        if (at === -1) continue;
        const own = group.map((part) => part || '(none)').join(' · ');
        const words = measureWords(value.name);
        const label = own === '' ? words : values.length === 1 ? own : `${own} · ${words}`;
        const key = seriesKey([...group, ...(group.length === 0 || values.length > 1 ? [value.name] : [])]);
        const one = found.get(key) ?? { label, points: [] };
        found.set(key, one);
        one.points.push({ timeMs, value: numberOf(row[at]) });
      }
    }
    return largestFirst([...found].map(([key, one]) => ({ key, ...one })));
  };
  // What was never measured draws nothing, and an unknown price is not $0.
  const known = (series: readonly ChartSeries[]) =>
    series.filter(({ points }) => points.some(({ value }) => value !== null));
  return { series: known(collect(({ at }) => at)), previous: known(collect(({ before }) => before)) };
}

/** Names and colours that panels read together have in common: one model is one name and one colour in all of them. */
export interface SharedLook {
  readonly names: readonly string[];
  readonly colours: ReadonlyMap<string, string>;
}

/** What panels of one page share; a frame that has not come yet shares nothing. */
export function sharedLook(
  panels: readonly { readonly frame: Frame | undefined; readonly visual: Visual }[],
): SharedLook {
  const drawn = panels.map(({ frame, visual }) =>
    frame === undefined ? [] : seriesOfFrame(frame, visual).series,
  );
  return {
    names: [...new Set(drawn.flat().map(({ label }) => label))],
    colours: paletteOfAll(drawn.map((series) => series.map(identityOf))),
  };
}

/** Whether a bucket without a row is 0: of sums of an aggregate it is, of everything else nothing was measured. */
export const isZeroWhereMissing = (frame: Frame, visual: Visual, kind: Panel['query']['kind']): boolean =>
  (kind === 'aggregate' || kind === 'usage') &&
  partsOf(frame, visual).values.every(({ name }) => isSumMeasure(name) || name === 'cost');

/** A ranked item: a group and its first value. */
export interface FrameItem {
  readonly key: string;
  readonly label: string;
  readonly value: number | null;
  readonly before: number | null | undefined;
}

/** Groups with their first value, over time summed up; the order is that of the answer. */
export function itemsOfFrame(frame: Frame, visual: Visual): FrameItem[] {
  const { groups, values } = partsOf(frame, visual);
  const [first] = values;
  const items = new Map<string, { label: string; value: number | null; before: number | null | undefined }>();
  for (const row of frame.rows) {
    const group = groups.map((at) => textOf(row[at]));
    // Without groups each measure is an item of its own.
    const drawn = groups.length === 0 ? values : first === undefined ? [] : [first];
    for (const value of drawn) {
      const key = groups.length === 0 ? value.name : seriesKey(group);
      const label =
        groups.length === 0 ? measureWords(value.name) : group.map((part) => part || '(none)').join(' · ');
      const known = items.get(key);
      const own = numberOf(row[value.at]);
      const sum = known?.value == null ? own : own === null ? known.value : known.value + own;
      const before = value.before === -1 ? undefined : numberOf(row[value.before]);
      items.set(key, { label, value: sum, before });
    }
  }
  return [...items].map(([key, item]) => ({ key, ...item }));
}

/** One figure: of an answer over time the newest value that there is, else the first. */
export function figureOfFrame(
  frame: Frame,
  visual: Visual,
): { readonly value: number | null; readonly previous: number | null | undefined } {
  const { time, values } = partsOf(frame, visual);
  const [first] = values;
  if (first === undefined) return { value: null, previous: undefined };
  const rows =
    time === -1
      ? frame.rows
      : frame.rows
          .filter((row) => numberOf(row[first.at]) !== null)
          .toSorted((a, b) => (numberOf(b[time]) ?? 0) - (numberOf(a[time]) ?? 0));
  const [row] = rows;
  const none =
    row === undefined && time === -1 && isSumMeasure(first.name) && first.name !== 'value' ? 0 : null;
  return {
    value: numberOf(row?.[first.at]) ?? none,
    previous: first.before === -1 ? undefined : numberOf(row?.[first.before]),
  };
}

/** Cells of a heat map; ranges that are open on a side are drawn to their other end. */
export function cellsOfFrame({ rows }: Frame): HeatCell[] {
  return rows.flatMap(([time, low, high, count]) => {
    const [timeMs, from, to, many] = [numberOf(time), numberOf(low), numberOf(high), numberOf(count)];
    if (timeMs === null || many === null || (from === null && to === null)) return [];
    return [{ timeMs, low: from ?? 0, high: to ?? from ?? 0, count: many }];
  });
}

/** The tone of a value by the thresholds of a visual: that of the last one it passes. */
export function toneOf(
  value: number | null,
  thresholds: Visual['thresholds'],
): 'warn' | 'danger' | 'ok' | undefined {
  if (value === null) return undefined;
  return thresholds?.findLast((one) => (one.when === 'above' ? value > one.value : value < one.value))?.tone;
}
