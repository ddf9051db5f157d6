import { parseArgs } from 'node:util';
import type { Bench } from './lib/bench.ts';
import { BENCH_SIGNALS, type BenchSignal } from './data/batch.ts';
import { BENCH_HOSTS } from './data/points.ts';
import { type Figure, type Findings, thousands } from './lib/table.ts';
import { LoadClient } from './ingest/client.ts';
import type { PhaseResult } from './ingest/protocol.ts';

export interface Fill {
  readonly endpoint: string;
  /** Default: spans. */
  readonly signal?: BenchSignal;
  /** Spans, log records or points. */
  readonly items: number;
  /** Over how many milliseconds before now their times spread. */
  readonly spreadMs: number;
  readonly connections: number;
  readonly batches?: number;
  /** Hosts that points come from. */
  readonly hosts?: number;
  readonly key?: string;
}

/** Sends that many items through the OTLP receiver of a running platform, as fast as it takes them. */
export async function fill(options: Fill): Promise<PhaseResult> {
  // A batch is of one host: all of them take turns.
  const hosts = options.hosts ?? BENCH_HOSTS;
  const batches = options.batches ?? Math.max(96, hosts);
  const client = await LoadClient.start(batches, 'conversation', 1_000, options.signal, hosts);
  try {
    const now = Date.now();
    return await client.run({
      endpoint: options.endpoint,
      connections: options.connections,
      seconds: 3_600,
      spans: options.items,
      window: { fromMs: now - options.spreadMs, toMs: now },
      seed: (now % 1_000_000) + 1,
      ...(options.key === undefined ? {} : { key: options.key }),
    });
  } finally {
    await client.stop();
  }
}

export const load: Bench = {
  async run(args): Promise<Findings> {
    const { values } = parseArgs({
      args: [...args],
      options: {
        endpoint: { type: 'string', default: 'http://127.0.0.1:4318' },
        spans: { type: 'string' },
        logs: { type: 'string' },
        points: { type: 'string' },
        hosts: { type: 'string', default: String(BENCH_HOSTS) },
        hours: { type: 'string', default: '24' },
        connections: { type: 'string', default: '8' },
        key: { type: 'string' },
      },
    });
    const none = BENCH_SIGNALS.every((signal) => values[signal] === undefined);
    const figures: Figure[] = [];
    const notes: string[] = [];
    for (const signal of BENCH_SIGNALS) {
      const items = Number(values[signal] ?? (none && signal === 'spans' ? 1_000_000 : 0));
      if (items === 0) continue;
      const result = await fill({
        endpoint: values.endpoint,
        signal,
        items,
        hosts: Number(values.hosts),
        spreadMs: Number(values.hours) * 3_600_000,
        connections: Number(values.connections),
        ...(values.key === undefined ? {} : { key: values.key }),
      });
      const failures = Object.entries(result.failures).map(([what, count]) => `, ${count} x ${what}`);
      figures.push({
        what: `${signal} acknowledged`,
        value: thousands(result.acknowledgedSpans),
        against: `${thousands(result.acknowledgedSpans / result.seconds)} a second; ${thousands(result.retries)} asked to wait${failures.join('')}`,
      });
      if (result.traceIds.length > 0) {
        notes.push(`Some trace ids of ${signal}: ${result.traceIds.slice(0, 5).join(', ')}`);
      }
    }
    return { bench: 'load', command: `npm run bench -- load ${args.join(' ')}`.trimEnd(), figures, notes };
  },
};
