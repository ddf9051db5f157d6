import type { PanelInput } from '@candela/contract';
import type { Document } from './index.ts';
import { numberOf } from './parts.ts';

type Visual = PanelInput['visual'];

export const isRecord = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const partOf = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), value);

const TYPES: Readonly<Record<string, Visual['type']>> = {
  stat: 'stat',
  singlestat: 'stat',
  gauge: 'stat',
  bargauge: 'bar',
  barchart: 'bar',
  timeseries: 'line',
  graph: 'line',
  piechart: 'pie',
  'grafana-piechart-panel': 'pie',
  table: 'table',
  'table-old': 'table',
  heatmap: 'heatmap',
};
/** Units by Grafana's names, in UCUM. */
const UNITS: Readonly<Record<string, string>> = {
  s: 's',
  ms: 'ms',
  µs: 'us',
  ns: 'ns',
  bytes: 'By',
  decbytes: 'By',
  Bps: 'By/s',
  binBps: 'By/s',
  percent: '%',
  percentunit: '1',
  currencyUSD: 'USD',
  celsius: 'Cel',
  watt: 'W',
  joule: 'J',
  hertz: 'Hz',
};
const TONES: readonly (readonly [RegExp, 'ok' | 'warn' | 'danger'])[] = [
  [/green/, 'ok'],
  [/red/, 'danger'],
  [/yellow|orange/, 'warn'],
];
const MOST = 5;

/** How a panel is drawn; undefined: its type has no match. */
export function visualOf(panel: Document): Visual | undefined {
  const type = TYPES[String(panel['type'])];
  if (type === undefined) return undefined;
  const defaults = partOf(panel, 'fieldConfig', 'defaults');
  const [axis] = Array.isArray(panel['yaxes']) ? (panel['yaxes'] as unknown[]) : [];
  const named = partOf(defaults, 'unit') ?? panel['format'] ?? partOf(axis, 'format');
  const unit = UNITS[String(named)];
  const decimals = numberOf(partOf(defaults, 'decimals') ?? panel['decimals'], -1);
  const isTimed = type === 'line';
  const stacking = partOf(defaults, 'custom', 'stacking', 'mode');
  const isStacked = stacking === 'normal' || stacking === 'percent' || panel['stack'] === true;
  const isBars = partOf(defaults, 'custom', 'drawStyle') === 'bars' || panel['bars'] === true;
  const legend = partOf(panel, 'options', 'legend', 'showLegend') ?? partOf(panel, 'legend', 'show');
  const style = partOf(defaults, 'custom', 'thresholdsStyle', 'mode') ?? 'off';
  const thresholds = isTimed && style === 'off' ? [] : thresholdsOf(panel, defaults);
  return {
    type: !isTimed ? type : isBars ? 'bar' : isStacked ? 'area' : 'line',
    ...(unit === undefined ? {} : { unit }),
    ...(Number.isInteger(decimals) && decimals >= 0 && decimals <= 6 ? { decimals } : {}),
    ...(isTimed ? { stacked: isStacked, legend: legend !== false } : {}),
    ...(thresholds.length === 0 ? {} : { thresholds }),
  };
}

/** Steps with a colour, and the two limits of a panel of old: `"70,90"`. */
function thresholdsOf(panel: Document, defaults: unknown): NonNullable<Visual['thresholds']> {
  const old = typeof panel['thresholds'] === 'string' ? panel['thresholds'].split(',').map(Number) : [];
  const steps = partOf(defaults, 'thresholds', 'steps');
  const found = Array.isArray(steps)
    ? (steps as unknown[]).map((step) => ({
        value: partOf(step, 'value'),
        colour: String(partOf(step, 'color')),
      }))
    : old.map((value, at) => ({ value, colour: at === 0 ? 'orange' : 'red' }));
  return found
    .flatMap(({ value, colour }) => {
      const tone = TONES.find(([named]) => named.test(colour))?.[1];
      return tone === undefined || typeof value !== 'number' || !Number.isFinite(value)
        ? []
        : [{ value, when: 'above' as const, tone }];
    })
    .slice(0, MOST);
}
