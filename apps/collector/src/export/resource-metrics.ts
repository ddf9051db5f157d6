import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { Metric } from '@candela/semconv/metrics';
import { type Point, seriesKey, type Tick } from '../collection.ts';
import type { HistogramValue } from '../source.ts';

/** The instrumentation scope of every metric. */
const SCOPE_NAME = 'opentelemetry-gpu-collector';

/** Since when the sums of a tick count, in milliseconds since the epoch. */
export interface Starts {
  /** The machine: what the kernel counts, it counts from here. */
  readonly bootMs: number;
  /** This process. */
  readonly processMs: number;
}

export interface ProducerOptions {
  /** A tick at most so many milliseconds old. */
  readonly collect: (maxAgeMs: number) => Promise<Tick>;
  /** How old a tick may be that somebody else had made. */
  readonly maxAgeMs: number;
  /** May grow while more is found out; the same Map as long as it is the same. */
  readonly resource: () => ReadonlyMap<string, string>;
  readonly starts: Starts;
  readonly temporality: 'cumulative' | 'delta' | 'lowmemory';
  readonly version: string;
}

/**
 * Gives the ticks of the collection to a reader of the metrics SDK. Not through observable instruments: the SDK keeps
 * every series that was ever observed and sends it again for ever, so a machine would never lose a disk or a GPU. See
 * docs/adr/0011-collector-export.md.
 */
export class TickProducer implements MetricProducer {
  readonly #options: ProducerOptions;
  #resource: { readonly attributes: ReadonlyMap<string, string>; readonly made: Resource } | undefined;
  /** What counters stood at when an export last succeeded: deltas are taken from there. */
  #sent = new Map<string, Total>();
  #sentAt: number | undefined;
  #fresh = false;
  #pending: { readonly at: number; readonly totals: Map<string, Total> } | undefined;

  constructor(options: ProducerOptions) {
    this.#options = options;
  }

  async collect(): Promise<CollectionResult> {
    const tick = await this.#options.collect(this.#fresh ? 0 : this.#options.maxAgeMs);
    const totals = new Map<string, Total>();
    const metrics: MetricData[] = [];
    for (const [metric, points] of tick.points) {
      const data = this.#metricData(metric, points, tick.at, totals);
      if (data.dataPoints.length > 0) metrics.push(data);
    }
    this.#pending = { at: tick.at, totals };
    const scope = { name: SCOPE_NAME, version: this.#options.version };
    return {
      resourceMetrics: { resource: this.#currentResource(), scopeMetrics: [{ scope, metrics }] },
      errors: [],
    };
  }

  /** From now on every tick is made for this reader: the last one must not be that of a moment ago. */
  wantFresh(): void {
    this.#fresh = true;
  }

  #currentResource(): Resource {
    const attributes = this.#options.resource();
    if (this.#resource?.attributes !== attributes) {
      this.#resource = { attributes, made: resourceFromAttributes(Object.fromEntries(attributes)) };
    }
    return this.#resource.made;
  }

  /** What was last collected has arrived: the next deltas begin there. */
  commit(): void {
    if (this.#pending === undefined) return;
    this.#sent = this.#pending.totals;
    this.#sentAt = this.#pending.at;
    this.#pending = undefined;
  }

  #metricData(metric: Metric, points: readonly Point[], at: number, totals: Map<string, Total>): MetricData {
    const whole = isWhole(metric);
    const descriptor = {
      name: metric.name,
      description: metric.description,
      unit: metric.unit,
      valueType: whole ? ValueType.INT : ValueType.DOUBLE,
    };
    const endTime = hrTime(at);
    const isMonotonic = metric.instrument === 'counter';
    const delta = (isMonotonic || metric.instrument === 'histogram') && this.#options.temporality === 'delta';
    const since = sinceProcessStart(metric) ? this.#options.starts.processMs : this.#options.starts.bootMs;
    // The wall clock may have been set back: nothing begins after its end.
    const startTime = hrTime(Math.min(delta ? (this.#sentAt ?? at) : since, at));
    if (metric.instrument === 'histogram') {
      return {
        descriptor: { ...descriptor, valueType: ValueType.DOUBLE },
        aggregationTemporality: delta ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: points.flatMap((point) => {
          const value = this.#histogram(metric, point, delta, totals);
          return value === undefined ? [] : [{ startTime, endTime, attributes: point.attributes, value }];
        }),
      };
    }
    const dataPoints: { startTime: HrTime; endTime: HrTime; attributes: Attributes; value: number }[] = [];
    for (const { value, attributes } of points) {
      const total = whole ? Math.round(value) : value;
      if (!delta) {
        dataPoints.push({ startTime, endTime, attributes, value: total });
        continue;
      }
      const key = seriesKey(metric.name, attributes);
      totals.set(key, { count: total, histogram: undefined });
      // What a series counted before it was first seen belongs to no interval that was ever reported.
      const before = this.#sent.get(key);
      if (before === undefined) continue;
      dataPoints.push({ startTime, endTime, attributes, value: Math.max(0, total - before.count) });
    }
    const aggregationTemporality = delta ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE;
    return metric.instrument === 'gauge'
      ? { descriptor, aggregationTemporality, dataPointType: DataPointType.GAUGE, dataPoints }
      : { descriptor, aggregationTemporality, dataPointType: DataPointType.SUM, dataPoints, isMonotonic };
  }

  /** Undefined for a series of deltas that was not seen before. Buckets are counted in whole numbers. */
  #histogram(
    metric: Metric,
    { attributes, histogram }: Point,
    delta: boolean,
    totals: Map<string, Total>,
  ): { buckets: { boundaries: number[]; counts: number[] }; sum: number; count: number } | undefined {
    if (histogram === undefined) return undefined;
    const now = histogram.counts.map(Math.round);
    let before: HistogramValue = { sum: 0, counts: [] };
    if (delta) {
      const key = seriesKey(metric.name, attributes);
      const known = this.#sent.get(key)?.histogram;
      totals.set(key, { count: 0, histogram: { sum: histogram.sum, counts: now } });
      if (known === undefined) return undefined;
      before = known;
    }
    const counts = now.map((count, at) => Math.max(0, count - (before.counts[at] ?? 0)));
    return {
      buckets: { boundaries: [...(metric.bounds ?? [])], counts },
      sum: Math.max(0, histogram.sum - before.sum),
      count: counts.reduce((sum, count) => sum + count, 0),
    };
  }
}

/** What a series stood at: its sum, or how many values a histogram had, with the histogram. */
interface Total {
  readonly count: number;
  readonly histogram: HistogramValue | undefined;
}

/** Bytes and things are counted in whole numbers. Rates (`By/s`), seconds and ratios are not. */
function isWhole({ unit }: Metric): boolean {
  return unit === 'By' || /^\{[^}]*\}$/.test(unit);
}

/** What the agent counts of itself, and what counts only while the agent has its counters open. */
const SINCE_PROCESS_START = /^(?:process|gpu|platform\.collector|nodejs|v8js|hw\.cpu)\./;

function sinceProcessStart({ name }: Metric): boolean {
  return SINCE_PROCESS_START.test(name);
}

function hrTime(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1_000);
  return [seconds, Math.round((milliseconds - seconds * 1_000) * 1_000_000)];
}
