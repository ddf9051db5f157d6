import { parseArgs } from 'node:util';
import type { Bench } from './lib/bench.ts';
import { type Findings, thousands } from './lib/table.ts';
import { LoadClient } from './ingest/client.ts';
import type { PhaseResult } from './ingest/protocol.ts';

export interface Fill {
  readonly endpoint: string;
  readonly spans: number;
  /** Over how many milliseconds before now the times of the spans spread. */
  readonly spreadMs: number;
  readonly connections: number;
  readonly batches?: number;
  readonly key?: string;
}

/** Sends `spans` spans through the OTLP door of a running platform, as fast as it takes them. */
export async function fill(options: Fill): Promise<PhaseResult> {
  const client = await LoadClient.start(options.batches ?? 96);
  try {
    const now = Date.now();
    return await client.run({
      endpoint: options.endpoint,
      connections: options.connections,
      seconds: 3_600,
      spans: options.spans,
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
        spans: { type: 'string', default: '1000000' },
        hours: { type: 'string', default: '24' },
        connections: { type: 'string', default: '8' },
        key: { type: 'string' },
      },
    });
    const result = await fill({
      endpoint: values.endpoint,
      spans: Number(values.spans),
      spreadMs: Number(values.hours) * 3_600_000,
      connections: Number(values.connections),
      ...(values.key === undefined ? {} : { key: values.key }),
    });
    return {
      bench: 'load',
      command: `npm run bench -- load --spans ${values.spans}`,
      figures: [
        {
          what: 'acknowledged',
          value: `${thousands(result.acknowledgedSpans)} spans`,
          against: `${thousands(result.retries)} asked to wait`,
        },
        {
          what: 'rate',
          value: `${thousands(result.acknowledgedSpans / result.seconds)} spans/s`,
          against: '',
        },
      ],
      notes: [`Some trace ids: ${result.traceIds.slice(0, 5).join(', ')}`],
    };
  },
};
