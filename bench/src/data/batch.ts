import type { BenchRandom } from '../lib/random.ts';

/** A request that is sent many times, made unique before each sending. */
export interface Batch {
  readonly body: Buffer;
  /** Spans, log records or points in it. */
  readonly items: number;
  /** `beginNanos` is the time of its first item. Returns a trace id of it in hex, or empty text. */
  renew(random: BenchRandom, beginNanos: bigint): string;
}

export const BENCH_SIGNALS = ['spans', 'logs', 'points'] as const;
export type BenchSignal = (typeof BENCH_SIGNALS)[number];

/** Where a signal is posted. */
export const DOORS: Readonly<Record<BenchSignal, string>> = {
  spans: '/v1/traces',
  logs: '/v1/logs',
  points: '/v1/metrics',
};
