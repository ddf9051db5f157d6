import { parseArgs } from 'node:util';
import { startPlatform } from '@candela/testkit';
import type { Bench } from '../lib/bench.ts';
import { besideBare, steadyFigures } from '../lib/beside-bare.ts';
import { type Findings, thousands } from '../lib/table.ts';
import { withTempDir } from '../lib/temp.ts';

const KEY = `pk_benchmar_${'A'.repeat(43)}`;
const PROMPTS = 200;
const VARIABLES = ['name', 'product', 'question', 'history', 'tone'];

/** About 2 kB with five variables, as instructions of an assistant are. */
const TEXT = `You help {{name}} with {{product}}. ${'Answer briefly, cite what you rely on, never guess. '.repeat(36)}
{{history}}
Question: {{ question }}
Tone: {{tone}}`;

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
    return withTempDir(async (dataDir) => {
      const platform = await startPlatform({ dataDir, env: { PLATFORM_BOOTSTRAP_API_KEY: KEY } });
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
      const measured = await besideBare({
        server: platform,
        rate,
        seconds,
        rounds,
        answer,
        expect: '"compiledPrompt":"You help name name',
        requests: bodies.map((body) => ({
          method: 'POST',
          path: '/api/prompt/get-compiled',
          headers: { authorization: `Bearer ${KEY}`, 'content-type': 'text/plain;charset=UTF-8' },
          body: JSON.stringify(body),
        })),
      });
      await platform.stop();
      return {
        bench: 'prompts',
        command: 'npm run bench -- prompts',
        figures: steadyFigures('POST /api/prompt/get-compiled', rate, measured),
        notes: [
          `${PROMPTS} prompts of ${thousands(TEXT.length)} characters with ${VARIABLES.length} variables, asked in turns; an answer has ${thousands(answer.length)} bytes. Downloads are counted and written meanwhile.`,
          ...measured.notes,
        ],
      };
    });
  },
};
