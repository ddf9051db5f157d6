import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { lineFor, makeFolders } from '@candela/coding-agents';
import type { Bench } from '../lib/bench.ts';
import { Latencies } from '../lib/latency.ts';
import type { Figure, Findings } from '../lib/table.ts';
import { withTempDir } from '../lib/temp.ts';

const PAYLOAD = JSON.stringify({
  session_id: 'bench',
  hook_event_name: 'PostToolUse',
  tool_name: 'Edit',
  tool_response: 'x'.repeat(4_000),
});
const BACKLOG_FILES = 16_384;
const BACKLOG_BYTES = 4_096;

/** What the shell line of a hook adds to a shell that does nothing, with the platform stopped: nobody takes what it writes. */
export const hook: Bench = {
  async run(args): Promise<Findings> {
    const { values } = parseArgs({ args: [...args], options: { times: { type: 'string', default: '500' } } });
    const times = Number(values.times);
    return withTempDir(async (folder) => {
      const figures: Figure[] = [];
      const notes = [
        `${times} events of 4 kB each, in turns with a shell that does nothing; the figure is what is over the median of the latter.`,
      ];
      const measured = (what: string, state: string) => {
        const { spool } = makeFolders(state);
        const line = lineFor('claude-code', { spool, drainer: ['true'] })('PostToolUse', undefined);
        const [bare, hooked] = [new Latencies(), new Latencies()];
        for (let at = 0; at < times; at += 1) {
          bare.add(timed('exit 0'));
          hooked.add(timed(line));
        }
        const added = (share: number) => hooked.quantile(share) - bare.quantile(0.5);
        figures.push({
          what: `${what}: added by a hook, p50 / p95 / p99`,
          value: `${[0.5, 0.95, 0.99].map((share) => added(share).toFixed(1)).join(' / ')} ms`,
          against: 'goal p95 5 ms, p99 15 ms',
        });
      };
      measured('platform stopped', join(folder, 'stopped'));
      const backlog = join(folder, 'backlog');
      const { spool } = makeFolders(backlog);
      for (let at = 0; at < BACKLOG_FILES; at += 1)
        writeFileSync(join(spool, `claude-code.PostToolUse.1.${at}`), 'x'.repeat(BACKLOG_BYTES));
      measured('64 MiB wait', backlog);
      const disk = join(folder, 'disk');
      mkdirSync(disk);
      if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]).status === 0) {
        try {
          makeFolders(disk);
          spawnSync('sh', ['-c', 'cat /dev/zero > "$0/zeros" 2>/dev/null', disk]);
          measured('disk full', disk);
        } finally {
          spawnSync('umount', [disk]);
        }
      } else notes.push('A full disk was not tried: only root can mount a small one.');
      return { bench: 'hook', command: 'npm run bench -- hook', figures, notes };
    });
  },
};

/** Milliseconds of a shell line as an agent runs it. @throws it did not end with 0 */
function timed(line: string): number {
  const started = performance.now();
  const { status } = spawnSync('sh', ['-c', line], { input: PAYLOAD, env: { CLAUDECODE: '1' } });
  const took = performance.now() - started;
  if (status !== 0) throw new Error(`The hook ended with ${status}.`);
  return took;
}
