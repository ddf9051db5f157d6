import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { NODE_BINARY, startPlatform } from '@candela/testkit';
import { ask, type Asked, type AskerOrder } from '../lib/asker.ts';
import type { Bench } from '../lib/bench.ts';
import { cpuSeconds } from '../lib/proc.ts';
import { type Figure, type Findings, thousands } from '../lib/table.ts';
import { withTempDir } from '../lib/temp.ts';

const BARE = join(import.meta.dirname, 'bare-main.ts');
const KEY = `pk_benchmar_${'A'.repeat(43)}`;
const PROMPTS = 200;
const VARIABLES = ['name', 'product', 'question', 'history', 'tone'];
const CONNECTIONS = 16;

/** About 2 kB with five variables, as instructions of an assistant are. */
const TEXT = `You help {{name}} with {{product}}. ${'Answer briefly, cite what you rely on, never guess. '.repeat(36)}
{{history}}
Question: {{ question }}
Tone: {{tone}}`;

/** Runs processes on the first core alone, and whoever asks on the others. */
const taskset = (): boolean => {
  try {
    execFileSync('taskset', ['-c', '0', 'true']);
    return availableParallelism() > 1;
  } catch {
    return false;
  }
};

/** Fetching compiled prompts at a steady rate, on one core, beside a bare server that answers the same bytes. */
export const prompts: Bench = {
  async run(args): Promise<Findings> {
    const { values } = parseArgs({
      args: [...args],
      options: {
        rate: { type: 'string', default: '1000' },
        seconds: { type: 'string', default: '20' },
        rounds: { type: 'string', default: '3' },
      },
    });
    const [rate, seconds, rounds] = [Number(values.rate), Number(values.seconds), Number(values.rounds)];
    const pinned = taskset();
    const pin = (pid: number) => {
      if (pinned) execFileSync('taskset', ['-a', '-c', '-p', '0', String(pid)]);
    };
    const others = pinned ? ['taskset', '-c', `1-${availableParallelism() - 1}`] : [];
    return withTempDir(async (dataDir) => {
      const env = { PLATFORM_BOOTSTRAP_API_KEY: KEY };
      const platform = await startPlatform({ dataDir, env });
      pin(platform.pid);
      const call = async (path: string, body: object): Promise<string> => {
        const response = await fetch(platform.http + path, {
          method: 'POST',
          headers: { authorization: `Bearer ${KEY}` },
          body: JSON.stringify(body),
        });
        const text = await response.text();
        if (!response.ok) throw new Error(text);
        return text;
      };
      const names = Array.from({ length: PROMPTS }, (_, n) => `bench-${n}`);
      for (const name of names) await call('/api/prompt', { name, prompt: TEXT, publish: 'major' });
      const variables = Object.fromEntries(VARIABLES.map((name) => [name, `${name} `.repeat(20)]));
      const bodies = names.map((name) => ({ name, shouldCompile: true, variables, source: 'bench' }));
      const answer = await call('/api/prompt/get-compiled', bodies[0] ?? {});

      const order = (base: string, at: number): AskerOrder => ({
        base,
        rate: at,
        seconds,
        connections: CONNECTIONS,
        expect: '"compiledPrompt":"You help name name',
        requests: bodies.map((body) => ({
          method: 'POST',
          path: '/api/prompt/get-compiled',
          headers: { authorization: `Bearer ${KEY}`, 'content-type': 'text/plain;charset=UTF-8' },
          body: JSON.stringify(body),
        })),
      });
      const file = join(dataDir, 'answer.json');
      await writeFile(file, answer);
      const bare = spawn(NODE_BINARY, [BARE, file], { stdio: ['ignore', 'pipe', 'inherit'] });
      const [said] = (await once(bare.stdout, 'data')) as [Buffer];
      const bareBase = `http://127.0.0.1:${said.toString().trim()}`;
      const barePid = bare.pid ?? 0;
      pin(barePid);

      const measure = async (base: string, pid: number): Promise<Asked & { readonly cores: number }> => {
        const before = cpuSeconds(pid);
        const asked = await ask(order(base, rate), others);
        return { ...asked, cores: (cpuSeconds(pid) - before) / asked.elapsed };
      };
      await ask({ ...order(platform.http, rate), seconds: 3 }, others);
      const [ours, limit]: [Awaited<ReturnType<typeof measure>>[], Awaited<ReturnType<typeof measure>>[]] = [
        [],
        [],
      ];
      // In turns: a machine that gets busier meanwhile shows in both.
      for (let round = 0; round < rounds; round++) {
        ours.push(await measure(platform.http, platform.pid));
        limit.push(await measure(bareBase, barePid));
      }
      bare.kill();
      await platform.stop();
      return {
        bench: 'prompts',
        command: 'npm run bench -- prompts',
        figures: figuresOf(rate, ours, limit),
        notes: [
          `${PROMPTS} prompts of ${thousands(TEXT.length)} characters with ${VARIABLES.length} variables, asked in turns over ${CONNECTIONS} connections; an answer has ${thousands(answer.length)} bytes. Downloads are counted and written meanwhile.`,
          `${pinned ? 'The server, all of its threads, and the bare server have one core; whoever asks has the others.' : 'Nothing is bound to a core: `taskset` is not here.'} Times count from the moment a request was due.`,
          'The median of the rounds, which take turns. The limit is a bare `node:http` server that takes the same requests and answers the same bytes.',
        ],
      };
    });
  },
};

function figuresOf(
  rate: number,
  ours: readonly (Asked & { readonly cores: number })[],
  limit: readonly (Asked & { readonly cores: number })[],
): Figure[] {
  const middle = (of: readonly Asked[], what: 'p50' | 'p99' | 'max') =>
    of.map((asked) => asked[what]).toSorted((a, b) => a - b)[of.length >> 1] ?? Number.NaN;
  const cores = (of: readonly { readonly cores: number }[]) =>
    of.reduce((sum, asked) => sum + asked.cores, 0) / of.length;
  const quantiles = (of: readonly Asked[]) =>
    `${(['p50', 'p99', 'max'] as const).map((what) => thousands(middle(of, what), 2)).join(' / ')} ms`;
  const sum = (of: readonly Asked[], what: 'answers' | 'failed' | 'elapsed') =>
    of.reduce((total, asked) => total + asked[what], 0);
  const micros = (of: readonly { readonly cores: number }[]) =>
    `${thousands((cores(of) / rate) * 1e6)} µs a request`;
  return [
    {
      what: `POST /api/prompt/get-compiled, ${thousands(rate)} a second: answered`,
      value: `${thousands(sum(ours, 'answers') / sum(ours, 'elapsed'))} a second`,
      against: `${sum(ours, 'failed')} failed`,
    },
    {
      what: 'answer, p50 / p99 / max',
      value: quantiles(ours),
      against: `goal p99 5 ms; limit ${quantiles(limit)}`,
    },
    {
      what: 'CPU of the server',
      value: `${cores(ours).toFixed(2)} cores, ${micros(ours)}`,
      against: `limit ${cores(limit).toFixed(2)} cores, ${micros(limit)}`,
    },
  ];
}
