import type { Metric } from '@candela/semconv/metrics';
import type { Point, Tick } from '../collection.ts';
import type { AttributeValue, PointAttributes } from '../point-attributes.ts';

/** Media type of the text format. */
export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** UCUM units as Prometheus writes them, after the OpenTelemetry compatibility rules. */
const UNITS: ReadonlyMap<string, string> = new Map([
  ['By', 'bytes'],
  ['By/s', 'bytes_per_second'],
  ['s', 'seconds'],
  ['Cel', 'celsius'],
  ['W', 'watts'],
  ['J', 'joules'],
  ['Hz', 'hertz'],
  ['V', 'volts'],
  ['rpm', 'rpm'],
]);

const sanitize = (name: string): string => {
  const safe = name.replaceAll(/[^a-zA-Z0-9_]/g, '_').replaceAll(/_{2,}/g, '_');
  return /^\d/.test(safe) ? `_${safe}` : safe;
};

/**
 * The name of a metric in Prometheus: dots become `_`, the unit is appended unless the name says it, counters end in
 * `_total`. `_count` at the end is left out of what is no counter: there it is kept for histograms.
 */
export function prometheusName(metric: Metric): string {
  let name = sanitize(metric.name);
  if (metric.instrument !== 'counter') name = name.replace(/_count$/, '');
  const unit = metric.unit === '1' && metric.instrument === 'gauge' ? 'ratio' : UNITS.get(metric.unit);
  if (unit !== undefined && !name.endsWith(`_${unit}`)) name = `${name}_${unit}`;
  return metric.instrument === 'counter' && !name.endsWith('_total') ? `${name}_total` : name;
}

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
const escapeLabel = (value: AttributeValue): string =>
  String(value).toWellFormed().replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');

function labels(attributes: PointAttributes): string {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(attributes)) {
    const name = sanitize(key);
    const known = found.get(name);
    // Two keys that differ in their dots only: both values, as the compatibility rules say.
    found.set(name, known === undefined ? escapeLabel(value) : `${known};${escapeLabel(value)}`);
  }
  if (found.size === 0) return '';
  return `{${Array.from(found, ([name, value]) => `${name}="${value}"`).join(',')}}`;
}

const TYPES: Readonly<Record<Metric['instrument'], string>> = {
  counter: 'counter',
  updown: 'gauge',
  gauge: 'gauge',
  histogram: 'histogram',
};

/** A bucket counts all values up to its end, so each holds those before it. */
function histogramLines(name: string, { bounds = [] }: Metric, { attributes, histogram }: Point): string[] {
  if (histogram === undefined) return [];
  let count = 0;
  const buckets = histogram.counts.map((one, at) => {
    count += Math.round(one);
    return `${name}_bucket${labels({ ...attributes, le: String(bounds[at] ?? '+Inf') })} ${count}`;
  });
  return [
    ...buckets,
    `${name}_sum${labels(attributes)} ${histogram.sum}`,
    `${name}_count${labels(attributes)} ${count}`,
  ];
}

/** A tick in the Prometheus text format; the resource is the labels of `target_info`. */
export function prometheusText(tick: Tick, resource: ReadonlyMap<string, string>): string {
  const lines: string[] = [
    '# HELP target_info Attributes of the machine and of the agent.',
    '# TYPE target_info gauge',
    `target_info${labels(Object.fromEntries(resource))} 1`,
  ];
  for (const [metric, points] of tick.points) {
    const name = prometheusName(metric);
    lines.push(
      `# HELP ${name} ${escapeHelp(metric.description)}`,
      `# TYPE ${name} ${TYPES[metric.instrument]}`,
    );
    if (metric.instrument === 'histogram') {
      for (const point of points) lines.push(...histogramLines(name, metric, point));
      continue;
    }
    for (const { value, attributes } of points) lines.push(`${name}${labels(attributes)} ${value}`);
  }
  return `${lines.join('\n')}\n`;
}
