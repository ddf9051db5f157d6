import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type PlatformProcess, startPlatform } from '@candela/testkit';
import { drained } from './ingest/drained.ts';
import type { Bench } from './lib/bench.ts';
import { family, memory } from './lib/proc.ts';
import { type Figure, type Findings, mebibytes } from './lib/table.ts';
import { sleep, withTempDir } from './lib/temp.ts';
import { fill } from './load.ts';

const GOAL = 400 * 1024 ** 2;

/** What the kernel holds for them, pages that several map counted once. */
function figures(platform: PlatformProcess, when: string, goal?: number): Figure[] {
  const processes = family(platform.pid).map(({ pid, name }) => ({ name, ...memory(pid) }));
  const total = processes.reduce((sum, { pss }) => sum + pss, 0);
  return [
    {
      what: `memory ${when}, all ${processes.length} processes`,
      value: mebibytes(total),
      against: goal === undefined ? '' : `goal ${mebibytes(goal)}`,
    },
    ...processes.map(({ name, rss, pss }) => ({
      what: `  ${name}`,
      value: mebibytes(pss),
      against: `${mebibytes(rss)} resident, shared pages in full`,
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
      // As `npm start` has it, and as a new installation has it: empty.
      const env = { PLATFORM_LOCAL_COLLECTOR: 'true', NODE_COMPILE_CACHE: join(dataDir, 'compiled') };
      const newcomer = await startPlatform({ dataDir, env });
      await sleep(restMs);
      const first = figures(newcomer, 'at rest after the first start of all');
      await newcomer.stop();
      const platform = await startPlatform({ dataDir, env });
      await sleep(restMs);
      const fresh = figures(platform, 'at rest after a start', GOAL);
      await fill({
        endpoint: platform.otlpHttp,
        items: Number(values.spans),
        spreadMs: 3_600_000,
        connections: 8,
      });
      await drained(platform);
      await sleep(restMs);
      const loaded = figures(platform, `at rest after ${values.spans} spans`);
      await platform.stop();
      return {
        bench: 'idle',
        command: `npm run bench -- idle${values.spans === '1000000' ? '' : ` --spans ${values.spans}`}`,
        figures: [...first, ...fresh, ...loaded],
        notes: [
          `Read ${values.rest} s after each start, and ${values.rest} s after the load had been stored. The first start compiles the sources, and keeps what comes of it for those that follow.`,
        ],
      };
    });
  },
};
