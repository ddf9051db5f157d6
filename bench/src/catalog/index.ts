import { parseArgs } from 'node:util';
import { startPlatform } from '@candela/testkit';
import { LoadClient } from '../ingest/client.ts';
import { drained } from '../ingest/drained.ts';
import { ask, type Asked } from '../lib/asker.ts';
import type { Bench } from '../lib/bench.ts';
import { cpuSeconds } from '../lib/proc.ts';
import { type Findings, thousands } from '../lib/table.ts';
import { withTempDir } from '../lib/temp.ts';

const CONNECTIONS = 16;

/** What a flood of the public health check costs, and what it does to ingest beside it. */
export const catalog: Bench = {
  async run(args): Promise<Findings> {
    const { values } = parseArgs({
      args: [...args],
      options: {
        rate: { type: 'string', default: '5000' },
        spans: { type: 'string', default: '10000' },
        seconds: { type: 'string', default: '15' },
        rounds: { type: 'string', default: '3' },
      },
    });
    const [rate, spans, seconds] = [Number(values.rate), Number(values.spans), Number(values.seconds)];
    return withTempDir(async (dataDir) => {
      const platform = await startPlatform({ dataDir });
      const client = await LoadClient.start();
      const flood = (): Promise<Asked> =>
        ask({
          base: platform.http,
          requests: [{ method: 'GET', path: '/api/v1/health' }],
          rate,
          seconds,
          connections: CONNECTIONS,
        });
      const ingest = (seed: number) =>
        client.run({
          endpoint: platform.otlpHttp,
          connections: 48,
          seconds,
          spansPerSecond: spans,
          seed,
        });
      await ingest(1);
      await drained(platform);

      const before = cpuSeconds(platform.pid);
      const alone = await flood();
      const cpu = (cpuSeconds(platform.pid) - before) / alone.elapsed;
      const [quiet, flooded]: [number[], number[]] = [[], []];
      let beside = alone;
      // One after the other and again: a machine that gets busier meanwhile shows in both.
      for (let round = 0; round < Number(values.rounds); round++) {
        quiet.push((await ingest(10 + round)).p99);
        const [result, asked] = await Promise.all([ingest(20 + round), flood()]);
        flooded.push(result.p99);
        beside = asked;
        await drained(platform);
      }
      await client.stop();
      await platform.stop();
      const middle = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
      const ms = (value: number) => `${thousands(value, 1)} ms`;
      const rows = (values: number[]) => values.map((value) => thousands(value, 1)).join(', ');
      return {
        bench: 'catalog',
        command: 'npm run bench -- catalog',
        figures: [
          {
            what: `GET /api/v1/health, ${thousands(rate)} a second: answered`,
            value: `${thousands(alone.answers / alone.elapsed)} a second`,
            against: `${alone.failed + beside.failed} not 200`,
          },
          { what: 'answer, p50 / p99', value: `${ms(alone.p50)} / ${ms(alone.p99)}`, against: '' },
          {
            what: 'CPU of the server for it',
            value: `${cpu.toFixed(2)} cores`,
            against: `${thousands((cpu / rate) * 1e6)} µs a request`,
          },
          {
            what: `ingest of ${thousands(spans)} spans/s, p99 of the answer, alone`,
            value: ms(middle(quiet)),
            against: `rounds: ${rows(quiet)}`,
          },
          {
            what: `the same beside ${thousands(rate)} health checks a second`,
            value: ms(middle(flooded)),
            against: `rounds: ${rows(flooded)}`,
          },
        ],
        notes: [
          'The median of the rounds, which take turns. Both load generators run on the same cores as the platform.',
        ],
      };
    });
  },
};
