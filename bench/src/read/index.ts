import { parseArgs } from 'node:util';
import { startPlatform } from '@candela/testkit';
import { drained } from '../ingest/drained.ts';
import { Api } from '../lib/api.ts';
import type { Bench } from '../lib/bench.ts';
import { Latencies } from '../lib/latency.ts';
import { openStoreOf } from '../lib/store.ts';
import { type Figure, type Findings, thousands } from '../lib/table.ts';
import { sleep, withTempDir } from '../lib/temp.ts';
import { fill } from '../load.ts';
import { questions } from './questions.ts';

/** The least the engine needs, asked directly: what is above it is ours. */
const RAW = [
  {
    name: 'trace by id',
    sql: 'SELECT SpanId, ParentSpanId, SpanName, Timestamp, Duration FROM otel_traces WHERE TraceId = {id:String}',
  },
  {
    name: 'histogram: spans and errors over time',
    sql: `SELECT toStartOfInterval(Timestamp, INTERVAL 30 MINUTE) AS t, count(), countIf(StatusCode = 'Error') FROM otel_traces WHERE ProjectId = 'default' AND Timestamp > now() - INTERVAL {hours:UInt32} HOUR GROUP BY t ORDER BY t`,
  },
] as const;

async function measure(repeats: number, once: (turn: number) => Promise<void>): Promise<Latencies> {
  // Two rounds for caches and plans, as in a running system.
  for (let turn = 0; turn < 3; turn++) await once(turn);
  const latencies = new Latencies();
  for (let turn = 0; turn < repeats; turn++) {
    const startedAt = performance.now();
    await once(turn + 3);
    latencies.add(performance.now() - startedAt);
  }
  return latencies;
}

export const read: Bench = {
  async run(args): Promise<Findings> {
    const { values } = parseArgs({
      args: [...args],
      options: {
        spans: { type: 'string', default: '10000000' },
        hours: { type: 'string', default: '24' },
        settle: { type: 'string', default: '60' },
      },
    });
    const spans = Number(values.spans);
    const hours = Number(values.hours);
    return withTempDir(async (folder) => {
      let platform = await startPlatform({ dataDir: folder, env: { PLATFORM_RATE_LIMIT: '1000000' } });
      const filled = await fill({
        endpoint: platform.otlpHttp,
        spans,
        spreadMs: hours * 3_600_000,
        connections: 8,
      });
      if (!(await drained(platform))) throw new Error('the backlog did not empty');
      // Let the merges of the load finish: a running system is read between loads, not only right after ten million rows.
      await sleep(Number(values.settle) * 1_000);
      await platform.stop();
      platform = await startPlatform({ dataDir: folder, env: { PLATFORM_RATE_LIMIT: '1000000' } });

      const raw = new Map<string, Latencies>();
      const figures: Figure[] = [];
      const api = new Api(platform.http);
      const results: { name: string; goalMs: number; latencies: Latencies }[] = [];
      for (const question of questions({ traceIds: filled.traceIds, hours: hours + 1 })) {
        let checked = false;
        const latencies = await measure(question.repeats, async (turn) => {
          const answer = await question.ask(api, turn);
          if (!checked) question.check(answer);
          checked = true;
        });
        results.push({ name: question.name, goalMs: question.goalMs, latencies });
      }
      await platform.stop();

      const store = await openStoreOf(folder);
      const parts = await store
        .select<{ parts: number; spans: number; bytes: number }>(
          "SELECT count() AS parts, sum(rows) AS spans, sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND table = 'otel_traces'",
        )
        .then((rows) => rows[0]);
      for (const { name, sql } of RAW) {
        raw.set(
          name,
          await measure(40, async (turn) => {
            await store.select(sql, {
              id: filled.traceIds[turn % filled.traceIds.length] ?? '',
              hours: hours + 1,
            });
          }),
        );
      }
      await store.close();

      for (const { name, goalMs, latencies } of results) {
        const ceiling = raw.get(name);
        figures.push({
          what: `${name}, p50 / p95`,
          value: `${thousands(latencies.quantile(0.5), 1)} / ${thousands(latencies.quantile(0.95), 1)} ms`,
          against: `goal ${goalMs} ms${ceiling ? `; engine alone ${thousands(ceiling.quantile(0.5), 1)} / ${thousands(ceiling.quantile(0.95), 1)} ms` : ''}`,
        });
      }
      return {
        bench: 'read',
        command: `npm run bench -- read --spans ${values.spans}`,
        figures,
        notes: [
          `${thousands(Number(parts?.spans ?? 0))} spans over ${hours} hours in ${parts?.parts ?? 0} parts, ${thousands(Number(parts?.bytes ?? 0) / Math.max(1, Number(parts?.spans ?? 0)), 1)} B/span, loaded through the OTLP door at ${thousands(filled.acknowledgedSpans / filled.seconds)} spans/s; the platform was restarted before reading.`,
          'Through the HTTP API, one question after another, each answer checked; the first three of each are not counted.',
          '"Engine alone" is the least SQL for the question through the store client, without tenancy, shaping and HTTP.',
        ],
      };
    });
  },
};
