import type { HostCurves } from '@candela/contract';
import type { ChartSeries } from '../../charts/prepare/time-chart.ts';

type Curve = HostCurves['charts'][number]['series'][number];

/** How a curve is called and told from others; undefined leaves it out. */
export type Name = (curve: Curve) => { readonly key: string; readonly label: string } | undefined;

export interface PreparedCurves {
  readonly series: readonly ChartSeries[];
  readonly unit: string;
  readonly stepSeconds: number;
  /** Nothing was reported. */
  readonly isEmpty: boolean;
}

/** Words for the parts of things that are not words yet. */
const PARTS: Readonly<Record<string, string>> = {
  receive: 'received',
  transmit: 'sent',
  read: 'read',
  write: 'written',
  die: 'chip',
  sm: 'SM',
  simd: 'SIMD',
  general: 'all work',
};

/** `received`, `NVLink sent`. */
export const partLabel = (part: string): string =>
  part
    .split('/')
    .map(
      (piece) =>
        PARTS[piece] ??
        piece
          .replace(/^nvlink$/, 'NVLink')
          .replace(/^xgmi$/, 'XGMI')
          .replaceAll('_', ' '),
    )
    .join(' ');

const byPart: Name = ({ part }) => ({ key: part || 'all', label: part === '' ? 'all' : partLabel(part) });

const NATURAL = new Intl.Collator('en', { numeric: true });

/** The curves of a chart as the time chart draws them. A level that was not reported in one bucket is a gap. */
export function prepareCurves(
  data: HostCurves | undefined,
  chart: string,
  name: Name = byPart,
): PreparedCurves {
  const found = data?.charts.find((one) => one.chart === chart);
  const series = (found?.series ?? []).flatMap((curve): ChartSeries[] => {
    const called = name(curve);
    if (called === undefined || curve.values.every((value) => value === null)) return [];
    const points = curve.values.map((value, index) => ({ timeMs: data?.times[index] ?? 0, value }));
    return [{ ...called, points, ...(curve.part === 'limit' ? { tone: 'muted' as const } : {}) }];
  });
  series.sort((a, b) => NATURAL.compare(a.label, b.label));
  return {
    series,
    unit: found?.unit ?? '',
    stepSeconds: data?.bucketSeconds ?? 60,
    isEmpty: series.length === 0,
  };
}

/** One value a bucket over the whole window as a series. */
export function seriesOf(
  key: string,
  label: string,
  times: readonly number[],
  values: readonly (number | null)[],
  scale = 1,
): ChartSeries {
  return {
    key,
    label,
    points: times.map((timeMs, index) => {
      const value = values[index] ?? null;
      return { timeMs, value: value === null ? null : value * scale };
    }),
  };
}
