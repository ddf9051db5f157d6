import { parseArgs } from 'node:util';
import { startPlatform } from '@candela/testkit';
import { LoadClient } from '../ingest/client.ts';
import type { Bench } from '../lib/bench.ts';
import { type Findings, thousands } from '../lib/table.ts';
import { sleep, withTempDir } from '../lib/temp.ts';
import { look, Tally } from './reader.ts';

/** Until inserts and merges are under way. */
const WARM_UP_MS = 15_000;

/** Many people at once who look at lists, charts and facets of the last hour while spans come in. */
export const readers: Bench = {
  async run(args): Promise<Findings> {
    const { values } = parseArgs({
      args: [...args],
      options: {
        readers: { type: 'string', default: '50' },
        pause: { type: 'string', default: '2000' },
        spans: { type: 'string', default: '20000' },
        seconds: { type: 'string', default: '60' },
      },
    });
    const [count, pauseMs] = [Number(values.readers), Number(values.pause)];
    const seconds = Number(values.seconds);
    return withTempDir(async (dataDir) => {
      const client = await LoadClient.start();
      const platform = await startPlatform({ dataDir, env: { PLATFORM_RATE_LIMIT: '100000' } });
      try {
        const loading = client.run({
          endpoint: platform.otlpHttp,
          connections: 8,
          seconds: seconds + WARM_UP_MS / 1_000,
          spansPerSecond: Number(values.spans),
          seed: (Date.now() % 1_000_000) + 1,
        });
        await sleep(WARM_UP_MS);
        const tally = new Tally();
        const until = performance.now() + seconds * 1_000;
        const all = Array.from({ length: count }, (_, number) =>
          look({ base: platform.http, number, pauseMs, until }, tally),
        );
        await Promise.all(all);
        const ingest = await loading;
        const { answered, refused, failures } = tally;
        const asked = answered.count + refused.count;
        const ms = (value: number) => (Number.isNaN(value) ? 'none' : `${thousands(value)} ms`);
        return {
          bench: 'readers',
          command: `npm run bench -- readers ${args.join(' ')}`.trimEnd(),
          figures: [
            {
              what: `questions of ${count} readers answered`,
              value: `${thousands(answered.count)} (${thousands(answered.count / seconds, 1)} a second)`,
              against: [...failures].map(([what, times]) => `${times} x ${what}`).join(', '),
            },
            {
              what: 'refused',
              value: `${((refused.count / asked) * 100).toFixed(1)} %`,
              against: `told after ${ms(refused.quantile(0.5))}, at most ${ms(refused.max)}`,
            },
            {
              what: 'answer, p50 / p95 / longest',
              value: [0.5, 0.95].map((share) => ms(answered.quantile(share))).join(' / '),
              against: ms(answered.max),
            },
            {
              what: `spans taken of ${thousands(Number(values.spans))} a second`,
              value: `${thousands(ingest.acknowledgedSpans / ingest.seconds)} a second`,
              against: `p99 of an answer ${ms(ingest.p99)}; ${thousands(ingest.retries)} asked to wait`,
            },
          ],
          notes: [
            `Each reader rests ${pauseMs} ms on a page. Readers and load generator run on the same cores as the platform.`,
          ],
        };
      } finally {
        await platform.stop();
        await client.stop();
      }
    });
  },
};
