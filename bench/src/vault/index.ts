import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { startPlatform } from '@candela/testkit';
import type { Bench } from '../lib/bench.ts';
import { besideBare, steadyFigures } from '../lib/beside-bare.ts';
import { type Findings, thousands } from '../lib/table.ts';
import { withTempDir } from '../lib/temp.ts';

const EMAIL = 'bench@example.com';
const PASSWORD = 'a password of the bench';
const SECRETS = 200;
const VALUE = 'sk-'.padEnd(60, 'x');

/** Fetching secrets at a steady rate on one core: each answer waits until its row of the audit log is on the disk. */
export const vault: Bench = {
  async run(args): Promise<Findings> {
    const { values } = parseArgs({
      args: [...args],
      options: {
        rate: { type: 'string', default: '300' },
        seconds: { type: 'string', default: '20' },
        rounds: { type: 'string', default: '3' },
      },
    });
    const [rate, seconds, rounds] = [Number(values.rate), Number(values.seconds), Number(values.rounds)];
    return withTempDir(async (dataDir) => {
      const platform = await startPlatform({
        dataDir,
        env: {
          PLATFORM_ADMIN_EMAIL: EMAIL,
          PLATFORM_ADMIN_PASSWORD: PASSWORD,
          PLATFORM_VAULT_KEY: randomBytes(32).toString('base64'),
        },
      });
      let cookie = '';
      const call = async (path: string, body: object): Promise<Response> => {
        const headers = { origin: platform.http, cookie };
        const response = await fetch(platform.http + path, {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
        });
        if (!response.ok) throw new Error(await response.text());
        return response;
      };
      const signedIn = await call('/api/auth/sign-in', { email: EMAIL, password: PASSWORD });
      cookie = signedIn.headers
        .getSetCookie()
        .map((line) => line.split(';', 1)[0])
        .join('; ');
      const names = Array.from({ length: SECRETS }, (_, n) => `BENCH_${n}`);
      for (const key of names) await call('/api/vault', { key, value: VALUE });
      const made = await call('/api/api-key', { name: 'bench', scopes: ['vault'] });
      const { data } = (await made.json()) as { data: { apiKey: string } };
      const answer = JSON.stringify({ err: null, res: { BENCH_0: VALUE } });
      const measured = await besideBare({
        server: platform,
        rate,
        seconds,
        rounds,
        answer,
        expect: VALUE,
        requests: names.map((key) => ({
          method: 'POST',
          path: '/api/vault/get-secrets',
          headers: { authorization: `Bearer ${data.apiKey}`, 'content-type': 'text/plain;charset=UTF-8' },
          body: JSON.stringify({ key, source: 'bench' }),
        })),
      });
      await platform.stop();
      return {
        bench: 'vault',
        command: 'npm run bench -- vault',
        figures: steadyFigures('POST /api/vault/get-secrets', rate, measured, ''),
        notes: [
          `${SECRETS} secrets of ${thousands(VALUE.length)} bytes, asked by name in turns. A row of the audit log is on the disk before a value is opened; requests that come together share a transaction.`,
          ...measured.notes,
        ],
      };
    });
  },
};
