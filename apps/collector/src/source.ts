import type { Metric } from '@candela/semconv/metrics';
import type { Config } from './config.ts';
import type { Offers } from './control/contract.ts';
import type { GpuRegister } from './gpu/register.ts';
import type { HostPaths } from './host-paths.ts';
import type { Log } from './log.ts';
import type { PointAttributes } from './point-attributes.ts';
import type { Workload } from './workload/workload.ts';

/**
 * Takes one point of the current tick. A value that is not a finite number is dropped and counted; a second point with
 * the same metric and attributes in one tick is a bug of the source, and counted as one.
 */
export type RecordPoint = (
  metric: Metric,
  value: number,
  attributes?: PointAttributes,
  histogram?: HistogramValue,
) => void;

/** The content of a histogram; `value` is how many values it has counted. */
export interface HistogramValue {
  readonly sum: number;
  /** One for each of the metric's bounds, and what lies beyond. */
  readonly counts: readonly number[];
}

/** What a source finds when it starts. A fault is thrown: see `Fault`. */
export type Started =
  | { readonly state: 'ready'; readonly detail?: string }
  | { readonly state: 'unavailable'; readonly reason: string };

export const READY: Started = { state: 'ready' };
export const unavailable = (reason: string): Started => ({ state: 'unavailable', reason });

/** The agent cannot do what it was told to: an error line and a non-zero exit. Everything else makes a source unavailable. */
export class Fault extends Error {
  override readonly name = 'Fault';
}

/** One kind of thing that is measured. Made once, started once, then asked at every tick until it is stopped. */
export interface Source {
  start(): Promise<Started>;
  /** How it stands now, of a source that is ready and finds and loses what it measures; else what `start` said holds. */
  report?(): Started;
  /** Resolves when what is looked for in the background was looked for once. */
  readonly settled?: Promise<void>;
  /**
   * Reads the present values and records them. Throwing, or taking longer than the budget, costs this source's points of
   * this tick and a count in `platform.collector.source.errors`; the other sources do not notice. `signal` aborts when
   * the budget is used up, and nothing recorded after that counts.
   */
  observe(record: RecordPoint, signal: AbortSignal): void | Promise<void>;
  stop(): void | Promise<void>;
}

/** What a source may use of the world. */
export interface SourceContext {
  readonly config: Config;
  /** Where the host's /proc, /sys, /etc and root are seen from here. */
  readonly paths: HostPaths;
  readonly log: Log;
  /** Monotonic seconds: rates are taken over it. */
  readonly monotonic: () => number;
  /** Whose container a process or a device is. */
  readonly workload: Workload;
  /** The GPUs and who is on them, from the source of GPUs. */
  readonly gpus: GpuRegister;
  /** Where a source puts what it can do for the control API. */
  readonly offers: Offers;
}

/** A source's line in the registry: what is known of it without starting it. */
export interface SourceEntry {
  readonly id: string;
  /** One line for `--check` and the documentation. */
  readonly summary: string;
  readonly platforms: readonly NodeJS.Platform[];
  /** Everything it may emit. */
  readonly metrics: readonly Metric[];
  /** Why the configuration leaves it off; undefined when it is wanted. */
  readonly off: (config: Config) => string | undefined;
  /** Milliseconds an `observe` may take; 2000 unless told. */
  readonly budgetMs?: number;
  readonly create: (context: SourceContext) => Source;
}
