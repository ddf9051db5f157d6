import {
  collectorDroppedPoints,
  collectorPoints,
  collectorSourceDuration,
  collectorSourceErrors,
  collectorTickDuration,
  type Metric,
} from '@candela/semconv/metrics';
import { errorText, type Log } from './log.ts';
import type { AttributeValue, PointAttributes } from './point-attributes.ts';
import {
  Fault,
  type HistogramValue,
  type Source,
  type SourceContext,
  type SourceEntry,
  type Started,
} from './source.ts';

export interface Point {
  readonly value: number;
  readonly attributes: PointAttributes;
  readonly histogram?: HistogramValue;
}

/** What one round over all sources found. Nobody changes it after it was handed out. */
export interface Tick {
  /** Milliseconds since the epoch, when it began. */
  readonly at: number;
  /** Points by metric, in the order in which they were recorded. */
  readonly points: ReadonlyMap<Metric, readonly Point[]>;
}

export type SourceState =
  | { readonly state: 'off'; readonly reason: string }
  | { readonly state: 'starting' }
  | { readonly state: 'ready'; readonly detail?: string }
  | { readonly state: 'unavailable'; readonly reason: string };

export interface SourceReport {
  readonly entry: SourceEntry;
  readonly state: SourceState;
}

/** Two readers (OTLP and Prometheus) that ask within this time get the same tick. */
export const COALESCE_MS = 500;
/** How long the start waits for sources; one that takes longer joins when it is ready. */
const START_BUDGET_MS = 2_000;
const DEFAULT_BUDGET_MS = 2_000;
/** Points a source may record in one tick: far more than a large machine has. */
export const MAX_POINTS_PER_SOURCE = 20_000;
/** OTLP carries whole numbers in 64 bits with a sign; nothing that is measured comes near. */
const MAX_VALUE = 2 ** 63;
/** Characters of an attribute: names of devices and paths come from outside. */
export const MAX_ATTRIBUTE_LENGTH = 1_024;
const STOP_BUDGET_MS = 2_000;

type Failure = 'exception' | 'timeout' | 'busy';
type Dropped =
  | 'not_a_histogram'
  | 'not_a_number'
  | 'too_large'
  | 'negative_count'
  | 'duplicate'
  | 'undeclared'
  | 'too_many';

interface Running {
  readonly entry: SourceEntry;
  readonly source: Source | undefined;
  state: SourceState;
  /** An observe that outlived its budget and has not returned yet. */
  stuck: boolean;
  lastError: string | undefined;
  lastSeconds: number | undefined;
}

/** Starts the sources and asks all of them for a tick, each within its own budget. */
export class Collection {
  readonly #running: readonly Running[];
  readonly #log: Log;
  readonly #counts = new Map<string, { metric: Metric; attributes: PointAttributes; value: number }>();
  #last: { readonly asked: number; readonly tick: Promise<Tick> } | undefined;
  #ticking = false;
  #lastTickSeconds: number | undefined;
  #stopped = false;
  readonly #lateFault = Promise.withResolvers<unknown>();

  private constructor(running: readonly Running[], log: Log) {
    this.#running = running;
    this.#log = log;
  }

  /** Starts every source that this platform and the configuration want. @throws Fault as a source found one */
  static async start(entries: readonly SourceEntry[], context: SourceContext): Promise<Collection> {
    const { log, config } = context;
    const running = entries.map((entry): Running => {
      const off = entry.platforms.includes(process.platform)
        ? entry.off(config)
        : `not made for ${process.platform}`;
      return {
        entry,
        source: off === undefined ? entry.create(context) : undefined,
        state: off === undefined ? { state: 'starting' } : { state: 'off', reason: off },
        stuck: false,
        lastError: undefined,
        lastSeconds: undefined,
      };
    });
    const collection = new Collection(running, log);
    const starting = Promise.all(running.map((one) => collection.#start(one)));
    await Promise.race([starting, after(START_BUDGET_MS)]);
    starting.catch(collection.#lateFault.resolve);
    for (const one of running) {
      if (one.state.state === 'starting') {
        log.warn('a source takes long to start; the others go on', { source: one.entry.id });
      }
    }
    return collection;
  }

  async #start(one: Running): Promise<void> {
    if (one.source === undefined) return;
    let started: Started;
    try {
      started = await one.source.start();
    } catch (thrown) {
      if (thrown instanceof Fault) throw new Fault(`${one.entry.id}: ${thrown.message}`, { cause: thrown });
      started = { state: 'unavailable', reason: errorText(thrown) };
    }
    one.state = started;
    if (started.state === 'unavailable') {
      this.#log.info('source unavailable', { source: one.entry.id, reason: started.reason });
    }
    if (this.#stopped) await this.#stop(one);
  }

  /** Settles with a fault that a source found after the wait of the start; never without one. */
  get lateFault(): Promise<unknown> {
    return this.#lateFault.promise;
  }

  reports(): readonly SourceReport[] {
    return this.#running.map(({ entry, state, source }) => ({
      entry,
      state: state.state === 'ready' ? (source?.report?.() ?? state) : state,
    }));
  }

  /** Resolves when all sources have looked once for what they look for in the background, or after `milliseconds`. */
  async settled(milliseconds: number): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, milliseconds);
    const waits = this.#running.flatMap(({ source, state }) =>
      state.state === 'ready' && source?.settled !== undefined ? [source.settled] : [],
    );
    await Promise.race([Promise.all(waits), late.promise]);
    clearTimeout(timer);
  }

  /** Adds to a counter of the agent's own, sent with every tick from then on. */
  count(metric: Metric, attributes: PointAttributes, by = 1): void {
    const key = seriesKey(metric.name, attributes);
    const counted = this.#counts.get(key);
    if (counted === undefined) this.#counts.set(key, { metric, attributes, value: by });
    else counted.value += by;
  }

  /** The present values; those of a tick that is under way or at most `maxAgeMs` old when there is one. */
  collect(maxAgeMs: number = COALESCE_MS): Promise<Tick> {
    const now = performance.now();
    if (this.#last !== undefined && (this.#ticking || now - this.#last.asked < maxAgeMs)) {
      return this.#last.tick;
    }
    this.#ticking = true;
    const tick = this.#tick().finally(() => {
      this.#ticking = false;
    });
    this.#last = { asked: now, tick };
    return tick;
  }

  async #tick(): Promise<Tick> {
    const at = Date.now();
    const began = performance.now();
    const points = new Map<Metric, Point[]>();
    await Promise.all(
      this.#running.map(async (one) => {
        if (one.state.state !== 'ready') return;
        for (const [metric, found] of await this.#observe(one)) {
          const known = points.get(metric);
          if (known === undefined) points.set(metric, found);
          else known.push(...found);
        }
      }),
    );
    this.#lastTickSeconds = (performance.now() - began) / 1_000;
    this.#addOwn(points);
    return { at, points };
  }

  /** The points of one source; none when it failed, since half of them would be read as the whole. */
  async #observe(one: Running): Promise<ReadonlyMap<Metric, Point[]>> {
    const { entry, source } = one;
    if (source === undefined) return new Map();
    if (one.stuck) {
      this.#failed(one, 'busy', 'has not returned from an earlier tick');
      return new Map();
    }
    const began = performance.now();
    const recording = new Recording(entry, (reason) => this.#dropped(entry, reason));
    const abort = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    try {
      const observed = source.observe(recording.record, abort.signal);
      if (observed instanceof Promise) {
        const budget = entry.budgetMs ?? DEFAULT_BUDGET_MS;
        const expired = new Promise<'expired'>((resolve) => {
          timer = setTimeout(() => resolve('expired'), budget);
        });
        one.stuck = true;
        const settled = observed.finally(() => {
          one.stuck = false;
        });
        settled.catch(() => undefined);
        if ((await Promise.race([settled, expired])) === 'expired') {
          abort.abort();
          this.#failed(one, 'timeout', `took longer than its ${budget} ms`);
          return new Map();
        }
      }
      if (one.lastError !== undefined) this.#log.info('source works again', { source: entry.id });
      one.lastError = undefined;
      return recording.points;
    } catch (thrown) {
      this.#failed(one, 'exception', errorText(thrown));
      return new Map();
    } finally {
      recording.close();
      clearTimeout(timer);
      one.lastSeconds = (performance.now() - began) / 1_000;
    }
  }

  #failed(one: Running, type: Failure, detail: string): void {
    this.count(collectorSourceErrors, { 'platform.collector.source': one.entry.id, 'error.type': type });
    // Once a failure, not once a tick: a source that is broken stays broken.
    if (one.lastError !== detail) this.#log.warn('source failed', { source: one.entry.id, detail });
    one.lastError = detail;
  }

  #dropped(entry: SourceEntry, reason: Dropped): void {
    this.count(collectorDroppedPoints, { 'platform.collector.source': entry.id, 'error.type': reason });
  }

  #addOwn(points: Map<Metric, Point[]>): void {
    const add = (metric: Metric, value: number, attributes: PointAttributes) => {
      const known = points.get(metric);
      if (known === undefined) points.set(metric, [{ value, attributes }]);
      else known.push({ value, attributes });
    };
    for (const { entry, lastSeconds } of this.#running) {
      if (lastSeconds === undefined) continue;
      add(collectorSourceDuration, lastSeconds, { 'platform.collector.source': entry.id });
    }
    for (const { metric, attributes, value } of this.#counts.values()) add(metric, value, attributes);
    if (this.#lastTickSeconds !== undefined) add(collectorTickDuration, this.#lastTickSeconds, {});
    let count = 1;
    for (const found of points.values()) count += found.length;
    add(collectorPoints, count, {});
  }

  /** Stops the sources; each has a moment, none may hold the end up. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.race([
      Promise.all(this.#running.filter(({ state }) => state.state === 'ready').map((one) => this.#stop(one))),
      after(STOP_BUDGET_MS),
    ]);
  }

  async #stop(one: Running): Promise<void> {
    try {
      await one.source?.stop();
    } catch (thrown) {
      this.#log.warn('source did not stop cleanly', { source: one.entry.id, detail: errorText(thrown) });
    }
  }
}

/** Takes the points of one source in one tick, and refuses what cannot be a point. */
class Recording {
  readonly points = new Map<Metric, Point[]>();
  readonly #entry: SourceEntry;
  readonly #drop: (reason: Dropped) => void;
  readonly #seen = new Set<string>();
  #open = true;

  constructor(entry: SourceEntry, drop: (reason: Dropped) => void) {
    this.#entry = entry;
    this.#drop = drop;
  }

  readonly record = (
    metric: Metric,
    value: number,
    attributes: PointAttributes = {},
    histogram?: HistogramValue,
  ): void => {
    if (!this.#open) return;
    if (!fits(metric, histogram)) return this.#drop('not_a_histogram');
    if (!Number.isFinite(value)) return this.#drop('not_a_number');
    if (Math.abs(value) >= MAX_VALUE) return this.#drop('too_large');
    if ((metric.instrument === 'counter' || histogram !== undefined) && value < 0)
      return this.#drop('negative_count');
    if (this.#seen.size >= MAX_POINTS_PER_SOURCE) return this.#drop('too_many');
    if (!this.#entry.metrics.includes(metric)) return this.#drop('undeclared');
    const bounded: Record<string, AttributeValue> = {};
    for (const [key, given] of Object.entries(attributes)) {
      if (!metric.attributes.includes(key)) return this.#drop('undeclared');
      bounded[key] = typeof given === 'string' ? boundedText(given) : given;
    }
    const key = seriesKey(metric.name, bounded);
    if (this.#seen.has(key)) return this.#drop('duplicate');
    this.#seen.add(key);
    const point = { value, attributes: bounded, ...(histogram === undefined ? {} : { histogram }) };
    const known = this.points.get(metric);
    if (known === undefined) this.points.set(metric, [point]);
    else known.push(point);
  };

  close(): void {
    this.#open = false;
  }
}

/** A histogram has as many buckets as its metric says; what is none has none. */
function fits({ bounds }: Metric, histogram: HistogramValue | undefined): boolean {
  if (bounds === undefined || histogram === undefined) return bounds === undefined && histogram === undefined;
  const { counts, sum } = histogram;
  return (
    counts.length === bounds.length + 1 && [sum, ...counts].every((one) => Number.isFinite(one) && one >= 0)
  );
}

function boundedText(text: string): string {
  return text.length > MAX_ATTRIBUTE_LENGTH ? text.slice(0, MAX_ATTRIBUTE_LENGTH).toWellFormed() : text;
}

/** One text for a metric with its attributes, whatever their order. */
export function seriesKey(name: string, attributes: PointAttributes): string {
  const keys = Object.keys(attributes);
  if (keys.length > 1) keys.sort();
  let key = name;
  for (const one of keys) key += `\0${one}\0${typeof attributes[one]}\0${attributes[one]}`;
  return key;
}

function after(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}
