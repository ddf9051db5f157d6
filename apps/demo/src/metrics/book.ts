import { anyValue, type KeyValue, keyValues, nanos, resource } from '../otlp-json.ts';
import type { Reading } from '../hosts/readings.ts';
import type { Measurement, Service } from '../telemetry.ts';
import { INSTRUMENTS, type Instrument } from './instruments.ts';

interface Series {
  readonly service: Service;
  readonly instrument: Instrument;
  readonly attributes: KeyValue[];
  startMs: number;
  count: number;
  sum: number;
  min: number;
  max: number;
  zeroCount: number;
  /** Explicit buckets, or exponential buckets by index. */
  buckets: Map<number, number>;
  /** Values of the running summary window. */
  window: number[];
  exemplar: Measurement | undefined;
  touched: boolean;
}

const EXPONENTIAL_SCALE = 3;
const SUMMARY_WINDOW = 256;
const byName = new Map(INSTRUMENTS.map((instrument) => [instrument.name, instrument]));

/** What begins again with its process; levels go on with what still runs. */
const RESTARTS: ReadonlySet<Instrument['kind']> = new Set(['counter', 'histogram', 'exponential']);
const LIFE_MS = 9 * 3_600_000;

/** Every service is deployed anew each nine hours, each at its own time: its counters begin again at nothing. */
function lastStart(service: string, atMs: number): number {
  let phase = 0;
  for (const letter of service) phase = (phase * 31 + letter.charCodeAt(0)) % LIFE_MS;
  return atMs - ((atMs - phase) % LIFE_MS);
}

/** Index of the exponential bucket that holds `value` (> 0): base 2^(2^-scale), upper bound inclusive. */
export function exponentialIndex(value: number, scale: number): number {
  return Math.ceil(Math.log2(value) * 2 ** scale) - 1;
}

/** Adds measurements up as an SDK's metric reader would, and renders them as OTLP/JSON. */
export class MetricBook {
  readonly #series = new Map<string, Series>();
  readonly #startMs: number;
  #lastMs: number;

  constructor(startMs: number) {
    this.#startMs = startMs;
    this.#lastMs = startMs;
  }

  record(measurement: Measurement): void {
    const instrument = byName.get(measurement.instrument);
    if (!instrument) throw new RangeError(`no instrument ${measurement.instrument}`);
    const attributes = keyValues(measurement.attributes);
    const key = `${measurement.service.name}|${instrument.name}|${JSON.stringify(attributes)}`;
    let series = this.#series.get(key);
    if (!series) {
      series = {
        service: measurement.service,
        instrument,
        attributes,
        startMs: instrument.temporality === 'delta' ? this.#lastMs : this.#startMs,
        ...EMPTY(),
      };
      this.#series.set(key, series);
    }
    series.touched = true;
    series.count++;
    series.sum += measurement.value;
    series.min = Math.min(series.min, measurement.value);
    series.max = Math.max(series.max, measurement.value);
    if (measurement.traceId) series.exemplar = measurement;
    if (instrument.kind === 'summary') {
      series.window.push(measurement.value);
      if (series.window.length > SUMMARY_WINDOW) series.window.shift();
    } else if (instrument.kind === 'exponential' && measurement.value <= 0) series.zeroCount++;
    else if (instrument.kind === 'exponential') {
      add(series.buckets, exponentialIndex(measurement.value, EXPONENTIAL_SCALE));
    } else if (instrument.bounds) {
      const index = instrument.bounds.findIndex((bound) => measurement.value <= bound);
      add(series.buckets, index < 0 ? instrument.bounds.length : index);
    }
  }

  /** The body of `POST /v1/metrics` at `atMs`, or undefined when there is nothing to say. */
  collect(atMs: number, readings: readonly Reading[]): { body: object; points: number } | undefined {
    const services = new Map<Service, Map<string, Map<string, { head: object; points: object[] }>>>();
    let points = 0;
    const put = (service: Service, scope: string, name: string, head: object, point: object) => {
      const scopes =
        services.get(service) ?? new Map<string, Map<string, { head: object; points: object[] }>>();
      services.set(service, scopes);
      const metrics = scopes.get(scope) ?? new Map<string, { head: object; points: object[] }>();
      scopes.set(scope, metrics);
      const metric = metrics.get(name) ?? { head, points: [] };
      metrics.set(name, metric);
      metric.points.push(point);
      points++;
    };
    for (const series of this.#series.values()) {
      const { instrument } = series;
      if (instrument.temporality === 'delta' && !series.touched) continue;
      const started = lastStart(series.service.name, atMs);
      if (
        RESTARTS.has(instrument.kind) &&
        instrument.temporality === 'cumulative' &&
        started > series.startMs
      )
        Object.assign(series, EMPTY(), { startMs: started });
      const { name, unit, description } = instrument;
      put(
        series.service,
        instrument.scope,
        name,
        { name, unit, description, kind: instrument },
        pointOf(series, atMs),
      );
      if (instrument.temporality === 'delta') Object.assign(series, EMPTY(), { startMs: atMs });
      series.exemplar = undefined;
    }
    for (const reading of readings) {
      const { name, unit, description, kind } = reading;
      const head = { name, unit, description };
      const point = {
        attributes: keyValues(reading.attributes),
        timeUnixNano: nanos(atMs),
        asDouble: reading.value,
      };
      if (kind === 'gauge') put(reading.service, 'host', name, head, point);
      else {
        const how: Sum = { kind, temporality: 'cumulative' };
        const startTimeUnixNano = nanos(reading.startMs);
        put(reading.service, 'host', name, { ...head, kind: how }, { ...point, startTimeUnixNano });
      }
    }
    this.#lastMs = atMs;
    if (points === 0) return undefined;
    const body = {
      resourceMetrics: [...services].map(([service, scopes]) => ({
        resource: resource(service),
        scopeMetrics: [...scopes].map(([scope, metrics]) => ({
          scope: { name: scope, version: '1.4.0' },
          metrics: [...metrics.values()].map(({ head, points: list }) => metricOf(head, list)),
        })),
      })),
    };
    return { body, points };
  }
}

const EMPTY = () => ({
  count: 0,
  sum: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
  zeroCount: 0,
  buckets: new Map<number, number>(),
  window: [] as number[],
  exemplar: undefined,
  touched: false,
});

function add(buckets: Map<number, number>, index: number): void {
  buckets.set(index, (buckets.get(index) ?? 0) + 1);
}

/** How points of a metric add up. */
type Sum = Pick<Instrument, 'kind' | 'temporality'>;

function metricOf(head: object, dataPoints: object[]): object {
  const { kind, ...names } = head as { kind?: Sum };
  const aggregationTemporality = kind?.temporality === 'delta' ? 1 : 2;
  switch (kind?.kind) {
    case undefined:
      return { ...names, gauge: { dataPoints } };
    case 'histogram':
      return { ...names, histogram: { aggregationTemporality, dataPoints } };
    case 'exponential':
      return { ...names, exponentialHistogram: { aggregationTemporality, dataPoints } };
    case 'counter':
      return { ...names, sum: { aggregationTemporality, isMonotonic: true, dataPoints } };
    case 'updown':
      return { ...names, sum: { aggregationTemporality, isMonotonic: false, dataPoints } };
    case 'summary':
      return { ...names, summary: { dataPoints } };
  }
}

function pointOf(series: Series, atMs: number): object {
  const { instrument } = series;
  const common = {
    attributes: series.attributes,
    startTimeUnixNano: nanos(series.startMs),
    timeUnixNano: nanos(atMs),
  };
  const exemplars = series.exemplar ? { exemplars: [exemplarOf(series.exemplar)] } : {};
  const total = { count: String(series.count), sum: series.sum };
  const extremes = series.count > 0 ? { min: series.min, max: series.max } : {};
  switch (instrument.kind) {
    case 'histogram': {
      const bounds = instrument.bounds ?? [];
      const bucketCounts = Array.from({ length: bounds.length + 1 }, (_, index) =>
        String(series.buckets.get(index) ?? 0),
      );
      return { ...common, ...total, ...extremes, bucketCounts, explicitBounds: bounds, ...exemplars };
    }
    case 'exponential': {
      const indexes = [...series.buckets.keys()].sort((a, b) => a - b);
      const offset = indexes[0] ?? 0;
      const bucketCounts = Array.from({ length: (indexes.at(-1) ?? offset - 1) - offset + 1 }, (_, index) =>
        String(series.buckets.get(offset + index) ?? 0),
      );
      return {
        ...common,
        ...total,
        ...extremes,
        scale: EXPONENTIAL_SCALE,
        zeroCount: String(series.zeroCount),
        positive: { offset, bucketCounts },
        ...exemplars,
      };
    }
    case 'summary': {
      const sorted = [...series.window].sort((a, b) => a - b);
      return {
        ...common,
        ...total,
        quantileValues: [0.5, 0.9, 0.99].map((quantile) => ({
          quantile,
          value: sorted[Math.min(sorted.length - 1, Math.floor(quantile * sorted.length))] ?? 0,
        })),
      };
    }
    case 'counter':
    case 'updown':
      return { ...common, asDouble: series.sum, ...exemplars };
  }
}

function exemplarOf(measurement: Measurement): object {
  return {
    timeUnixNano: nanos(measurement.atMs),
    asDouble: measurement.value,
    traceId: measurement.traceId,
    spanId: measurement.spanId,
    filteredAttributes: [{ key: 'sampled', value: anyValue(true) }],
  };
}
