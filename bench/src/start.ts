import { encodeTraceRequest } from '@candela/otlp';
import { startPlatform } from '@candela/testkit';
import { Poster } from './ingest/poster.ts';
import type { Bench } from './lib/bench.ts';
import { Latencies } from './lib/latency.ts';
import { BenchRandom } from './lib/random.ts';
import { type Findings, thousands } from './lib/table.ts';
import { sleep, withTempDir } from './lib/temp.ts';

const GOAL_MS = 3_000;
const ROUNDS = 7;

/** Sends one span until it is acknowledged; returns how long that took. */
async function firstSpan(endpoint: string, random: BenchRandom): Promise<number> {
  const startedAt = performance.now();
  const poster = new Poster(endpoint, undefined, 1);
  const body = Buffer.from(
    encodeTraceRequest({
      resourceSpans: [
        {
          resource: { attributes: { 'service.name': 'first' } },
          scopeSpans: [
            {
              spans: [
                {
                  traceId: random.hex(32),
                  spanId: random.hex(16),
                  name: 'first',
                  startTimeUnixNano: BigInt(Date.now()) * 1_000_000n,
                  endTimeUnixNano: BigInt(Date.now() + 1) * 1_000_000n,
                },
              ],
            },
          ],
        },
      ],
    }),
  );
  try {
    for (;;) {
      const { status } = await poster.post(body);
      if (status === 200) return performance.now() - startedAt;
      if (status !== 503) throw new Error(`the first span was answered with ${status}`);
      await sleep(20);
    }
  } finally {
    poster.close();
  }
}

export const start: Bench = {
  async run(): Promise<Findings> {
    return withTempDir(async (dataDir) => {
      const random = new BenchRandom(Date.now());
      const [npm, direct] = [new Latencies(), new Latencies()];
      let cold = 0;
      for (let round = 0; round <= ROUNDS * 2; round++) {
        const launcher = round % 2 === 0 ? 'node' : 'npm';
        const platform = await startPlatform({
          dataDir,
          launcher,
          env: { PLATFORM_LOCAL_COLLECTOR: 'true' },
        });
        const ms = platform.readyAfterMs + (await firstSpan(platform.otlpHttp, random));
        await platform.stop();
        if (round === 0) cold = ms;
        else (launcher === 'npm' ? npm : direct).add(ms);
      }
      const both = (latencies: Latencies) =>
        `${thousands(latencies.quantile(0.5))} / ${thousands(latencies.max)} ms`;
      return {
        bench: 'start',
        command: 'npm run bench -- start',
        figures: [
          {
            what: 'warm `npm start` to the first acknowledged span, p50 / max',
            value: both(npm),
            against: `goal ${thousands(GOAL_MS)} ms`,
          },
          {
            what: 'the server alone, without npm and its pre-script, p50 / max',
            value: both(direct),
            against: '',
          },
          {
            what: 'the first start ever, on an empty data folder',
            value: `${thousands(cold)} ms`,
            against: 'server alone',
          },
        ],
        notes: [
          `${ROUNDS} starts of each kind in turn on the same data folder; packages installed and web UI built.`,
        ],
      };
    });
  },
};
