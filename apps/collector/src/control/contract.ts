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

/** As it came over HTTP: known names and right types, nothing else checked. */
export interface GpuProfileRequest {
  /** Empty or absent: every program of the job. */
  readonly pids: readonly number[] | undefined;
  readonly jobId: number | undefined;
  readonly durationMs: number | undefined;
  readonly iterations: number | undefined;
  readonly iterationRoundup: number | undefined;
  /** Milliseconds since the epoch. */
  readonly startTimeMs: number | undefined;
  readonly logFile: string | undefined;
  readonly processLimit: number | undefined;
  readonly recordShapes: boolean;
  readonly profileMemory: boolean;
  readonly withStacks: boolean;
  readonly withFlops: boolean;
  readonly withModules: boolean;
}

export interface GpuProfile {
  readonly matchedPids: readonly number[];
  /** Where each of them writes its trace. */
  readonly tracePaths: readonly string[];
  /** What they are told. */
  readonly config: string;
  readonly durationMs: number | undefined;
}

/** Asks programs that wait for it to profile their work on GPUs. */
export interface GpuProfiler {
  /** @throws ControlError 400 for a request that cannot be, 409 while another waits to be fetched */
  request(request: GpuProfileRequest): GpuProfile;
  stop(): Promise<void>;
}

/** Leaves the profiling counters of GPUs to other profilers for a while. */
export interface DcgmControl {
  /** Why there is nothing to leave; undefined while it samples. */
  readonly unavailable: string | undefined;
  /** Says why it could not; undefined when it did. */
  pause(seconds: number): Promise<string | undefined>;
  resume(): Promise<string | undefined>;
}

/** What sources of metrics offer to the control API: they put it here when they are made. */
export interface Offers {
  dcgm?: DcgmControl;
}

export interface ControlFeatures {
  readonly highres: Feature<HighresCpu>;
  readonly cpuTracer: Feature<CpuTracer>;
  readonly gpuProfiler: Feature<GpuProfiler>;
  /** As it stands now: libraries of GPUs come and go with them. */
  readonly dcgm: () => Feature<DcgmControl>;
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
