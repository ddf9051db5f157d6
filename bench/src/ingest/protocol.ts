/** What the bench tells the client process to do. */
export interface Phase {
  readonly endpoint: string;
  readonly key?: string;
  /** Requests under way at most. */
  readonly connections: number;
  /** Ends after that many seconds, or after `spans`, whatever comes first. */
  readonly seconds: number;
  readonly spans?: number;
  /** Spans a second on a fixed schedule, whatever the answers take; absent: as fast as answers come. */
  readonly spansPerSecond?: number;
  /** Spread the times of the spans evenly over this window (epoch ms) instead of sending "now". */
  readonly window?: { readonly fromMs: number; readonly toMs: number };
  /** Seed of ids: two phases with the same one would send the same ids. */
  readonly seed: number;
}

export interface PhaseResult {
  readonly requests: number;
  readonly acknowledgedSpans: number;
  readonly seconds: number;
  readonly bytes: number;
  /** Answers that asked to wait (429, 503); their requests were sent again. */
  readonly retries: number;
  /** Status of answers that were neither taken nor retried, with their count. */
  readonly failures: Readonly<Record<string, number>>;
  /** Milliseconds from the moment a request was due until its answer: nothing is omitted when answers are late. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
  /** Some trace ids that were acknowledged, evenly over the phase. */
  readonly traceIds: readonly string[];
}

export type ToClient = { readonly type: 'phase'; readonly phase: Phase } | { readonly type: 'stop' };
export type FromClient =
  | { readonly type: 'prepared' }
  | { readonly type: 'result'; readonly result: PhaseResult }
  | { readonly type: 'error'; readonly message: string };
