import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { NODE_BINARY, startPlatform } from '@candela/testkit';
import { LoadClient } from './ingest/client.ts';
import { drained } from './ingest/drained.ts';
import type { Bench } from './lib/bench.ts';
import { type Findings, thousands } from './lib/table.ts';
import { withTempDir } from './lib/temp.ts';
import { fill } from './load.ts';

const CLI = join(import.meta.dirname, '../../apps/cli/src/main.ts');
const GOAL_BACKUP_S = 120;
const GOAL_RESTORE_S = 240;
const GOAL_SPANS = 10_000_000;
const run = promisify(execFile);

export const backup: Bench = {
  async run(args): Promise<Findings> {
    const { values } = parseArgs({
      args: [...args],
      options: {
        spans: { type: 'string', default: String(GOAL_SPANS) },
        'half-rate': { type: 'string', default: '40000' },
        seconds: { type: 'string', default: '30' },
      },
    });
    const halfRate = Number(values['half-rate']);
    return withTempDir(async (folder) => {
      const env = {
        PLATFORM_BACKUP_TARGET: join(folder, 'backups'),
        PLATFORM_BACKUP_PASSPHRASE: randomBytes(16).toString('hex'),
        PLATFORM_BACKUP_HOURS: '0',
      };
      const dataDir = join(folder, 'data');
      const candela = async (...words: string[]) => {
        const startedAt = performance.now();
        const { stdout } = await run(NODE_BINARY, [CLI, 'backup', ...words], {
          cwd: folder,
          env: { ...process.env, ...env },
        });
        return { said: stdout.trim(), seconds: (performance.now() - startedAt) / 1_000 };
      };
      const platform = await startPlatform({ dataDir, env });
      const client = await LoadClient.start();
      let made;
      let alone;
      let beside;
      try {
        await fill({
          endpoint: platform.otlpHttp,
          items: Number(values.spans),
          spreadMs: 24 * 3_600_000,
          connections: 8,
        });
        await drained(platform);
        const phase = { endpoint: platform.otlpHttp, connections: 48, spansPerSecond: halfRate };
        alone = await client.run({ ...phase, seconds: Number(values.seconds), seed: 1 });
        await drained(platform);
        const load = client.run({ ...phase, seconds: Number(values.seconds), seed: 2 });
        made = await candela('create', '--data-dir', dataDir);
        beside = await load;
        await drained(platform);
      } finally {
        await client.stop();
        await platform.stop(60_000);
      }
      const target = ['--target', env.PLATFORM_BACKUP_TARGET];
      const restored = await candela('restore', ...target, '--data-dir', join(folder, 'restored'));
      const moved = beside.p99 / alone.p99 - 1;
      return {
        bench: 'backup',
        command: `npm run bench -- backup ${args.join(' ')}`.trimEnd(),
        figures: [
          {
            what: `backup of ${thousands(Number(values.spans))} spans and more, ingest at ${thousands(halfRate)} spans/s meanwhile`,
            value: `${thousands(made.seconds, 1)} s`,
            against: `goal ${GOAL_BACKUP_S} s of ${thousands(GOAL_SPANS)} spans; ${made.said}`,
          },
          {
            what: 'answer to ingest, p99: without a backup / while it is made',
            value: `${thousands(alone.p99, 1)} / ${thousands(beside.p99, 1)} ms`,
            against: `goal less than 25 % more; ${thousands(moved * 100)} %`,
          },
          {
            what: 'restore with comparison of every row',
            value: `${thousands(restored.seconds, 1)} s`,
            against: `goal ${GOAL_RESTORE_S} s; ${restored.said.split('\n')[0]}`,
          },
        ],
        notes: ['Sealed, into a folder of the same disk; nothing was there before, so everything is new.'],
      };
    });
  },
};
