/**
 * What the control API asks of the rest of the agent. A feature that is off or cannot be says why; its route answers
 * 503 with that.
 */
export type Feature<T> =
  | { readonly state: 'ready'; readonly service: T }
  | { readonly state: 'unavailable'; readonly reason: string };

/** CPU times of one logical CPU since boot, in seconds. */
export interface CpuTimes {
  readonly cpu: string;
  readonly user: number;
  readonly system: number;
  readonly idle: number;
  readonly nice: number;
  readonly iowait: number;
  readonly irq: number;
  readonly softirq: number;
  readonly steal: number;
  readonly guest: number;
  readonly guestNice: number;
}

export interface HighresSample {
  /** RFC 3339, UTC, with milliseconds. */
  readonly timestamp: string;
  readonly times: readonly CpuTimes[];
}

/** The ring of CPU times, ten a second for a minute. */
export interface HighresCpu {
  /** Oldest first. */
  samples(): readonly HighresSample[];
  stop(): void;
}

/** As it came over HTTP: known names and right types, nothing else checked. */
export interface CpuTraceRequest {
  readonly durationMs: number | undefined;
  readonly outputDir: string | undefined;
  readonly cpus: readonly number[] | undefined;
  readonly maxCpus: number | undefined;
  readonly bufferPages: number | undefined;
}

export interface CpuTrace {
  readonly outputPath: string;
  readonly durationMs: number;
  readonly cpus: readonly number[];
  readonly backend: string;
}

/** Traces CPUs on demand, one trace at a time, within the caps of the configuration. */
export interface CpuTracer {
  /** @throws ControlError 400 beyond a cap, 409 while another runs, 500 when it failed */
  capture(request: CpuTraceRequest, signal: AbortSignal): Promise<CpuTrace>;
  stop(): Promise<void> | void;
}

export interface ControlFeatures {
  readonly highres: Feature<HighresCpu>;
  readonly cpuTracer: Feature<CpuTracer>;
}

/** An answer that is no success: its status, and the sentence that goes out as `{"error": ...}`. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 500 | 503;
  /** Extra headers of the answer, e.g. `allow`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: ControlError['status'],
    message: string,
    options: { readonly cause?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.headers = options.headers ?? {};
  }
}
