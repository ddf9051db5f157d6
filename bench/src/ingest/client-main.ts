import { type Batch, DOORS } from '../data/batch.ts';
import { prepareLogs } from '../data/logs.ts';
import { BENCH_HOSTS, preparePoints } from '../data/points.ts';
import { prepareBatch } from '../data/spans.ts';
import { BenchRandom } from '../lib/random.ts';
import { Latencies } from '../lib/latency.ts';
import { sleep } from '../lib/temp.ts';
import { Poster } from './poster.ts';
import type { FromClient, Phase, PhaseResult, ToClient } from './protocol.ts';

/**
 * The load generator, a process of its own: `client-main.ts <batches> <items per batch> <texts> <signal> <hosts>`,
 * driven by messages.
 */
const batches = Number(process.argv[2] ?? 64);
const spansPerBatch = Number(process.argv[3] ?? 1_000);
const texts = process.argv[4] === 'unrelated' ? 'unrelated' : 'conversation';
const named = process.argv[5];
const signal = named === 'logs' || named === 'points' ? named : 'spans';
const hosts = Number(process.argv[6] ?? BENCH_HOSTS);
const KEPT_TRACE_IDS = 400;

const tell = (message: FromClient) => process.send?.(message);

async function runPhase(phase: Phase, free: Batch[]): Promise<PhaseResult> {
  const poster = new Poster(phase.endpoint, phase.key, phase.connections, DOORS[signal]);
  const random = new BenchRandom(phase.seed);
  const latencies = new Latencies();
  const failures: Record<string, number> = {};
  const traceIds: string[] = [];
  const wantedSpans = phase.spans ?? Number.POSITIVE_INFINITY;
  let [requests, acknowledged, begun, bytes, retries] = [0, 0, 0, 0, 0];
  let keepEvery = 1;
  const startedAt = performance.now();
  const endsAt = startedAt + phase.seconds * 1_000;

  const beginNanos = (): bigint => {
    if (phase.window === undefined) return BigInt(Date.now()) * 1_000_000n;
    const { fromMs, toMs } = phase.window;
    const share = Number.isFinite(wantedSpans)
      ? begun / wantedSpans
      : (performance.now() - startedAt) / (phase.seconds * 1_000);
    return BigInt(Math.floor(fromMs + Math.min(1, share) * (toMs - fromMs))) * 1_000_000n;
  };

  const one = async (dueAt: number): Promise<void> => {
    const batch = free.shift();
    if (batch === undefined) throw new Error('more requests under way than batches');
    const traceId = batch.renew(random, beginNanos());
    begun += batch.items;
    for (;;) {
      const answer = await poster.post(batch.body);
      if (answer.status === 429 || answer.status === 503) {
        retries++;
        await sleep(answer.retryAfterMs ?? 1_000);
        continue;
      }
      if (answer.status === 200 && !answer.rejected) {
        acknowledged += batch.items;
        bytes += batch.body.length;
        if (traceId !== '' && requests % keepEvery === 0) traceIds.push(traceId);
        if (traceIds.length > KEPT_TRACE_IDS * 2) {
          for (let index = traceIds.length - 1; index > 0; index -= 2) traceIds.splice(index, 1);
          keepEvery *= 2;
        }
      } else {
        const what = answer.status === 200 ? 'partial success' : String(answer.status);
        failures[what] = (failures[what] ?? 0) + 1;
      }
      break;
    }
    requests++;
    latencies.add(performance.now() - dueAt);
    free.push(batch);
  };

  const more = () => performance.now() < endsAt && begun < wantedSpans;
  if (phase.spansPerSecond === undefined) {
    await Promise.all(
      Array.from({ length: phase.connections }, async () => {
        while (more()) await one(performance.now());
      }),
    );
  } else {
    const intervalMs = (spansPerBatch / phase.spansPerSecond) * 1_000;
    const underWay = new Set<Promise<void>>();
    for (let index = 0; more(); index++) {
      const dueAt = startedAt + index * intervalMs;
      const waitMs = dueAt - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      // Late is late: a request that has to wait for a free connection counts from when it was due.
      while (underWay.size >= phase.connections) await Promise.race(underWay);
      const request = one(dueAt).finally(() => underWay.delete(request));
      underWay.add(request);
    }
    await Promise.all(underWay);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  poster.close();
  return {
    requests,
    acknowledgedSpans: acknowledged,
    seconds,
    bytes,
    retries,
    failures,
    p50: latencies.quantile(0.5),
    p95: latencies.quantile(0.95),
    p99: latencies.quantile(0.99),
    max: latencies.max,
    traceIds,
  };
}

const prepare = (index: number): Batch => {
  if (signal === 'logs') return prepareLogs(index, spansPerBatch);
  return signal === 'points' ? preparePoints(index, hosts) : prepareBatch(index, spansPerBatch, texts);
};
const free = Array.from({ length: batches }, (_, index) => prepare(index));
process.on('message', (message: ToClient) => {
  if (message.type === 'stop') {
    process.disconnect?.();
    return;
  }
  runPhase(message.phase, free).then(
    (result) => tell({ type: 'result', result }),
    (error: unknown) =>
      tell({ type: 'error', message: error instanceof Error ? error.message : String(error) }),
  );
});
tell({ type: 'prepared' });
