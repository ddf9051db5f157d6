import { parseArgs } from 'node:util';
import { type PlatformProcess, startPlatform } from '@candela/testkit';
import { drained } from './ingest/drained.ts';
import type { Bench } from './lib/bench.ts';
import { COLLECTOR, family, memory } from './lib/proc.ts';
import { type Figure, type Findings, mebibytes } from './lib/table.ts';
import { sleep, withTempDir } from './lib/temp.ts';
import { fill } from './load.ts';

const GOAL = 500 * 1024 ** 2;

function figures(platform: PlatformProcess, when: string, goal: boolean): Figure[] {
  const all = family(platform.pid).map(({ pid, name }) => ({ name, ...memory(pid) }));
  // The agent of this machine is a program of its own and may be left out.
  const processes = all.filter(({ name }) => name !== COLLECTOR);
  const sum = (key: 'rss' | 'pss') => processes.reduce((total, process) => total + process[key], 0);
  return [
    {
      what: `resident memory ${when}, ${processes.length} processes of the platform`,
      value: mebibytes(sum('rss')),
      against: goal
        ? `goal ${mebibytes(GOAL)}; ${mebibytes(sum('pss'))} with shared pages counted once`
        : `${mebibytes(sum('pss'))} with shared pages counted once`,
    },
    ...all.map(({ name, rss, pss }) => ({
      what: `  ${name}`,
      value: mebibytes(rss),
      against: name === COLLECTOR ? `beside it; ${mebibytes(pss)} with shared pages counted once` : '',
    })),
  ];
}

export const idle: Bench = {
  async run(args): Promise<Findings> {
    const { values } = parseArgs({
      args: [...args],
      options: { spans: { type: 'string', default: '1000000' }, rest: { type: 'string', default: '30' } },
    });
    const restMs = Number(values.rest) * 1_000;
    return withTempDir(async (dataDir) => {
      const platform = await startPlatform({ dataDir, env: { PLATFORM_LOCAL_COLLECTOR: 'true' } });
      await sleep(restMs);
      const fresh = figures(platform, 'at rest after a start', true);
      await fill({
        endpoint: platform.otlpHttp,
        items: Number(values.spans),
        spreadMs: 3_600_000,
        connections: 8,
      });
      await drained(platform);
      await sleep(restMs);
      const loaded = figures(platform, `at rest after ${values.spans} spans`, false);
      await platform.stop();
      return {
        bench: 'idle',
        command: 'npm run bench -- idle',
        figures: [...fresh, ...loaded],
        notes: [
          `Read ${values.rest} s after the start, and ${values.rest} s after the load had been stored.`,
        ],
      };
    });
  },
};
