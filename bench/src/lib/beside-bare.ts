import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { NODE_BINARY } from '@candela/testkit';
import { ask, type Asked, type AskerOrder } from './asker.ts';
import { cpuSeconds } from './proc.ts';
import { type Figure, thousands } from './table.ts';
import { withTempDir } from './temp.ts';

const BARE = join(import.meta.dirname, 'bare-main.ts');
const CONNECTIONS = 16;
const WARM_SECONDS = 3;

type Measured = Asked & { readonly cores: number };

/** What was measured of the platform, and of the least that any design on Node has to do, in the same run. */
export interface BesideBare {
  readonly ours: readonly Measured[];
  readonly limit: readonly Measured[];
  /** Sentences about how. */
  readonly notes: readonly string[];
}

/** Runs processes on the first core alone, and whoever asks on the others. */
const taskset = (): boolean => {
  try {
    execFileSync('taskset', ['-c', '0', 'true']);
    return availableParallelism() > 1;
  } catch {
    return false;
  }
};

/** Asks a server at a steady rate on one core, in turns with a bare one that answers the same bytes. */
export function besideBare(order: {
  readonly server: { readonly http: string; readonly pid: number };
  readonly requests: AskerOrder['requests'];
  /** What every good answer holds. */
  readonly expect: string;
  /** What the bare server answers. */
  readonly answer: string;
  readonly rate: number;
  readonly seconds: number;
  readonly rounds: number;
}): Promise<BesideBare> {
  const { server, requests, expect, rate, seconds } = order;
  const pinned = taskset();
  const pin = (pid: number) => {
    if (pinned) execFileSync('taskset', ['-a', '-c', '-p', '0', String(pid)]);
  };
  const others = pinned ? ['taskset', '-c', `1-${availableParallelism() - 1}`] : [];
  return withTempDir(async (dir) => {
    const file = join(dir, 'answer.json');
    await writeFile(file, order.answer);
    const bare = spawn(NODE_BINARY, [BARE, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [said] = (await once(bare.stdout, 'data')) as [Buffer];
      const least = { http: `http://127.0.0.1:${said.toString().trim()}`, pid: bare.pid ?? 0 };
      pin(server.pid);
      pin(least.pid);
      const askOf = (base: string, during: number) =>
        ask({ base, rate, seconds: during, connections: CONNECTIONS, expect, requests }, others);
      const measure = async ({ http, pid }: typeof least): Promise<Measured> => {
        // While the other one was asked it rested, and what rests gives up compiled code with its memory.
        await askOf(http, WARM_SECONDS);
        const before = cpuSeconds(pid);
        const asked = await askOf(http, seconds);
        return { ...asked, cores: (cpuSeconds(pid) - before) / asked.elapsed };
      };
      const [ours, limit]: [Measured[], Measured[]] = [[], []];
      // In turns: a machine that gets busier meanwhile shows in both.
      for (let round = 0; round < order.rounds; round++) {
        ours.push(await measure(server));
        limit.push(await measure(least));
      }
      const notes = [
        `${pinned ? 'The server, all of its threads, and the bare server have one core; whoever asks has the others.' : 'Nothing is bound to a core: `taskset` is not here.'} ${CONNECTIONS} connections; times count from the moment a request was due.`,
        `The median of the rounds, which take turns; the first ${WARM_SECONDS} s of each are not counted.`,
        'The limit is a bare `node:http` server that takes the same requests and answers the same bytes.',
      ];
      return { ours, limit, notes };
    } finally {
      bare.kill();
    }
  });
}

/** Answers a second, times and CPU, each beside its limit. @param goal what the times are to be, if anything */
export function steadyFigures(
  what: string,
  rate: number,
  { ours, limit }: BesideBare,
  goal = 'goal p99 5 ms; ',
): Figure[] {
  const middle = (of: readonly Asked[], part: 'p50' | 'p99' | 'max') =>
    of.map((asked) => asked[part]).toSorted((a, b) => a - b)[of.length >> 1] ?? Number.NaN;
  const cores = (of: readonly Measured[]) => of.reduce((sum, asked) => sum + asked.cores, 0) / of.length;
  const quantiles = (of: readonly Asked[]) =>
    `${(['p50', 'p99', 'max'] as const).map((part) => thousands(middle(of, part), 2)).join(' / ')} ms`;
  const sum = (of: readonly Asked[], part: 'answers' | 'failed' | 'elapsed') =>
    of.reduce((total, asked) => total + asked[part], 0);
  const micros = (of: readonly Measured[]) => `${thousands((cores(of) / rate) * 1e6)} µs a request`;
  return [
    {
      what: `${what}, ${thousands(rate)} a second: answered`,
      value: `${thousands(sum(ours, 'answers') / sum(ours, 'elapsed'))} a second`,
      against: `${sum(ours, 'failed')} failed`,
    },
    {
      what: 'answer, p50 / p99 / max',
      value: quantiles(ours),
      against: `${goal}limit ${quantiles(limit)}`,
    },
    {
      what: 'CPU of the server',
      value: `${cores(ours).toFixed(2)} cores, ${micros(ours)}`,
      against: `limit ${cores(limit).toFixed(2)} cores, ${micros(limit)}`,
    },
  ];
}
