import { Hosts } from './hosts/hosts.ts';
import { MetricBook } from './metrics/book.ts';
import { dayLoad } from './metrics/day-load.ts';
import { logsRequest, tracesRequest } from './otlp-json.ts';
import type { Random } from './random.ts';
import { SCENARIOS } from './scenarios/index.ts';
import {
  type Conditions,
  type LogEntry,
  type Measurement,
  Recorder,
  type Service,
  type SpanRecord,
} from './telemetry.ts';

export interface Batch {
  readonly signal: 'traces' | 'logs' | 'metrics';
  readonly body: object;
  /** Spans, log records or data points. */
  readonly items: number;
}

/** What one trace left behind. */
interface Finished {
  readonly service: Service;
  readonly startMs: number;
  readonly endMs: number;
  readonly spans: readonly SpanRecord[];
  readonly logs: readonly LogEntry[];
  readonly measurements: readonly Measurement[];
}

const HOUR_MS = 3_600_000;
/** More spans than this do not go into one request. */
const SPANS_PER_REQUEST = 500;

/**
 * The simulated company. `advanceTo` lets time pass and returns what its programs would have sent meanwhile. What
 * happens depends on the seed and on the time of the start, not on the step width.
 */
export class Simulation {
  readonly #random: Random;
  readonly #arrivals: Random;
  readonly #rate: number;
  readonly #book: MetricBook;
  readonly #hosts: Hosts;
  readonly #scenarios;
  readonly #startMs: number;
  readonly #metricsEveryMs: number;
  /** Per service the traces that run, as last reported. */
  readonly #active = new Map<Service, number>();
  /** Traces that may still run at the next collection. */
  #running: { service: Service; startMs: number; endMs: number }[] = [];
  #nextArrivalMs: number;
  #nextCollectMs: number;
  /** Ends of traces may lie after the time of their arrival: they wait here until their time has come. */
  #pending: Finished[] = [];
  #traces = 0;

  constructor(
    random: Random,
    options: {
      startMs: number;
      tracesPerSecond: number;
      metricsEveryMs: number;
      /** End of the past, when it is the past that is simulated. */
      presentMs?: number;
    },
  ) {
    this.#random = random;
    this.#arrivals = random.fork('arrivals');
    this.#rate = options.tracesPerSecond;
    this.#startMs = options.startMs;
    this.#book = new MetricBook(options.startMs);
    this.#hosts = new Hosts(random.fork('hosts'), {
      startMs: options.startMs,
      presentMs: options.presentMs ?? options.startMs,
    });
    this.#scenarios = SCENARIOS.map(
      (scenario) =>
        [{ scenario, record: scenario.create(random.fork(scenario.id)) }, scenario.weight] as const,
    );
    this.#nextArrivalMs = options.startMs;
    this.#metricsEveryMs = options.metricsEveryMs;
    this.#nextCollectMs = options.startMs + options.metricsEveryMs;
    this.#scheduleNext();
  }

  /** Traces begun so far. */
  get traces(): number {
    return this.#traces;
  }

  /** Lets time pass until `atMs`, beginning at most `maxTraces` in all, and returns what is to be sent. */
  advanceTo(atMs: number, maxTraces = Number.POSITIVE_INFINITY): Batch[] {
    while (this.#nextArrivalMs <= atMs && this.#traces < maxTraces) {
      this.#begin(this.#nextArrivalMs);
      this.#scheduleNext();
    }
    return this.#deliver(atMs);
  }

  /** Everything that is still under way, moved back so that it ends at `atMs`: nothing lies in the future. */
  flush(atMs: number): Batch[] {
    this.#pending = this.#pending.map((trace) => movedBack(trace, Math.max(0, trace.endMs - atMs)));
    return [...this.#deliver(atMs), ...this.#collect(atMs)];
  }

  #scheduleNext(): void {
    const load = this.#rate * (0.4 + 0.6 * dayLoad(this.#nextArrivalMs));
    this.#nextArrivalMs += this.#arrivals.exponential(load) * 1000;
  }

  /** Ordinary days have one failing call in eighty; for some minutes every few hours a provider has trouble. */
  #conditions(atMs: number): Conditions {
    const hour = Math.floor((atMs - this.#startMs) / HOUR_MS);
    const fate = this.#random.fork(`hour/${hour}`);
    const beginsAt = fate.between(0.1, 0.8) * HOUR_MS;
    const minutes = fate.int(4, 11);
    const into = (atMs - this.#startMs) % HOUR_MS;
    const trouble = fate.chance(0.4) && into >= beginsAt && into < beginsAt + minutes * 60_000;
    return trouble ? { slowdown: 2.6, errorRate: 0.22 } : { slowdown: 1, errorRate: 0.0125 };
  }

  #begin(atMs: number): void {
    const random = this.#random.fork(`trace/${this.#traces++}`);
    const { scenario, record } = random.weighted(this.#scenarios);
    const rec = new Recorder(random, scenario.service, this.#conditions(atMs));
    rec.now = atMs;
    record(rec);
    const span = { service: scenario.service, startMs: atMs, endMs: rec.now };
    this.#running.push(span);
    this.#pending.push({ ...span, spans: rec.spans, logs: rec.logs, measurements: rec.measurements });
  }

  #deliver(atMs: number): Batch[] {
    const due = this.#pending.filter(({ endMs }) => endMs <= atMs).sort((a, b) => a.endMs - b.endMs);
    this.#pending = this.#pending.filter(({ endMs }) => endMs > atMs);
    const batches: Batch[] = [];
    let spans: SpanRecord[] = [];
    const ship = () => {
      if (spans.length > 0) {
        batches.push({ signal: 'traces', body: tracesRequest(spans), items: spans.length });
      }
      spans = [];
    };
    const logs: LogEntry[] = [];
    for (const trace of due) {
      while (this.#nextCollectMs <= trace.endMs) batches.push(...this.#collect(this.#nextCollectMs));
      for (const measurement of trace.measurements) this.#book.record(measurement);
      logs.push(...trace.logs);
      spans.push(...trace.spans);
      if (spans.length >= SPANS_PER_REQUEST) ship();
    }
    ship();
    while (this.#nextCollectMs <= atMs) batches.push(...this.#collect(this.#nextCollectMs));
    if (logs.length > 0) batches.push({ signal: 'logs', body: logsRequest(logs), items: logs.length });
    return batches;
  }

  /** An up-down counter reports changes: those since the last collection. */
  #measureActive(atMs: number): void {
    this.#running = this.#running.filter(({ endMs }) => endMs > atMs);
    const counts = new Map<Service, number>([...this.#active.keys()].map((service) => [service, 0]));
    for (const { service, startMs } of this.#running) {
      if (startMs <= atMs) counts.set(service, (counts.get(service) ?? 0) + 1);
    }
    for (const [service, count] of counts) {
      const value = count - (this.#active.get(service) ?? 0);
      this.#active.set(service, count);
      if (value === 0) continue;
      const none = { attributes: {}, traceId: '', spanId: '' };
      this.#book.record({ service, instrument: 'app.active_requests', value, atMs, ...none });
    }
  }

  #collect(atMs: number): Batch[] {
    this.#nextCollectMs = atMs + this.#metricsEveryMs;
    this.#measureActive(atMs);
    const collected = this.#book.collect(atMs, this.#hosts.read(atMs));
    return collected ? [{ signal: 'metrics', body: collected.body, items: collected.points }] : [];
  }
}

function movedBack(trace: Finished, byMs: number): Finished {
  if (byMs === 0) return trace;
  const at = <T extends { readonly atMs: number }>(record: T): T => ({ ...record, atMs: record.atMs - byMs });
  return {
    service: trace.service,
    startMs: trace.startMs - byMs,
    endMs: trace.endMs - byMs,
    spans: trace.spans.map((span) => ({
      ...span,
      startMs: span.startMs - byMs,
      endMs: span.endMs - byMs,
      events: span.events.map(at),
    })),
    logs: trace.logs.map(at),
    measurements: trace.measurements.map(at),
  };
}
