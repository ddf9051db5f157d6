import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evalRun } from './eval-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'candela-eval-cli-'));
let server: Server;
let url: string;
const asked: { readonly method: string; readonly path: string; readonly body: string }[] = [];
const experiment = (status: string) => ({
  data: {
    id: 'e1',
    name: 'golden <1>',
    status,
    counts: { total: 2, done: 2, failed: 0 },
    costUsd: 0.01,
    results: [{ evaluator: 'equals', judged: 2, of: 2, passed: 1, passRate: 0.5 }],
  },
});

/** What the platform answers to the calls of this command, in the shapes of its contract. */
beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const path = request.url ?? '';
      asked.push({ method: request.method ?? '', path, body });
      const refused = request.headers.authorization !== 'Bearer k';
      response.statusCode = refused ? 401 : 200;
      const items = {
        data: [
          {
            id: 'a',
            status: 'done',
            error: null,
            scores: { equals: { verdict: 'pass', state: 'scored', explanation: '' } },
          },
          {
            id: 'b"\u0000',
            status: 'done',
            error: null,
            scores: { equals: { verdict: 'fail', state: 'scored', explanation: 'Expected <x> & y' } },
          },
        ],
        nextCursor: null,
      };
      const answer = path.endsWith('/evaluators')
        ? {
            data: [
              { id: 'equals', kind: 'equals' },
              { id: 'relevance', kind: 'judge' },
              { id: 'safety', kind: 'judge' },
            ],
          }
        : path.includes('/agreement')
          ? {
              data: path.endsWith('safety')
                ? { pairs: 60, kappa: 0.8, calibrated: true }
                : { pairs: 12, kappa: null, calibrated: false },
            }
          : path.includes('/items')
            ? items
            : experiment(request.method === 'POST' ? 'running' : 'done');
      response.end(JSON.stringify(refused ? { err: 'The key is wrong.' } : answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function run(args: readonly string[], key = 'k') {
  const lines: string[] = [];
  const env = { PLATFORM_URL: url, PLATFORM_API_KEY: key };
  const code = await evalRun.run(args, { env, cwd: folder, program: [], say: (line) => lines.push(line) });
  return { code, text: lines.join('\n') };
}
const ARGS = ['--dataset', 'golden', '--template', '{{q}}', '--model', 'm', '--evaluators', 'equals'];

describe('candela eval run', () => {
  it('prints a table, writes JUnit and tells a pipeline by its exit code', async () => {
    const failed = await run([...ARGS, '--junit', 'out.xml']);
    expect(failed.code).toBe(1);
    expect(failed.text).toContain('equals     2 of 2     50.0 %  below 1');
    expect(readFileSync(join(folder, 'out.xml'), 'utf8')).toContain(
      '<testcase classname="equals" name="b&quot;"><failure message="Expected &lt;x&gt; &amp; y"/></testcase>',
    );
    expect((await run([...ARGS, '--fail-under', '0.5'])).code).toBe(0);
    expect(JSON.parse(asked.find(({ method }) => method === 'POST')?.body ?? '')).toMatchObject({
      dataset: 'golden',
      target: { kind: 'template', text: '{{q}}', modelId: 'm' },
      evaluators: ['equals'],
    });
  });

  it('lets a judge decide only where people agree with it, and says where that was not asked', async () => {
    const judged = (evaluators: string, ...more: string[]) =>
      run([...ARGS.slice(0, -1), evaluators, '--fail-under', '0.5', ...more]);
    const before = asked.filter(({ method }) => method === 'POST').length;
    await expect(judged('equals,relevance')).rejects.toThrow(
      /relevance is not calibrated: 12 of 50 .*undefined/,
    );
    expect(asked.filter(({ method }) => method === 'POST')).toHaveLength(before);
    const allowed = await judged('equals,relevance', '--allow-uncalibrated');
    expect(allowed.code).toBe(0);
    expect(allowed.text).toContain('warning: relevance is not calibrated');
    expect((await judged('equals,safety')).text).not.toContain('calibrated');
  });

  it('refuses what cannot be meant, and says what the platform said', async () => {
    await expect(run(['--dataset', 'x'])).rejects.toThrow('Name evaluators');
    await expect(run([...ARGS, '--fail-under', '2'])).rejects.toThrow('from 0 to 1');
    await expect(run([...ARGS, '--prompt', 'p'])).rejects.toThrow('either --prompt or --template');
    await expect(run(ARGS, 'wrong')).rejects.toThrow('The key is wrong.');
  });
});
