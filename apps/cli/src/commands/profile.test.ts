import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

interface Asked {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

async function listen(server: Server | ReturnType<typeof createSocketServer>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

/** An agent that answers so, and what it was asked. */
async function agent(status: number, answer: string): Promise<{ host: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const take = async (request: IncomingMessage): Promise<void> => {
    const { url: path, headers } = request;
    asked.push({ path, authorization: headers.authorization, body: JSON.parse(await text(request)) });
  };
  const server = createServer((request, response) => {
    void take(request).then(() => response.writeHead(status).end(answer));
  });
  return { host: await listen(server), asked };
}

function run(args: readonly string[], env: Record<string, string> = {}) {
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const child = execFile(process.execPath, [MAIN, 'profile', ...args], { env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), out, err });
    });
    closing.push(() => child.kill('SIGKILL'));
  });
}

test('asks all hosts with the token; a line a host', async () => {
  const [a, b] = [await agent(200, '{"matched_pids":[7]}'), await agent(200, '{"matched_pids":[]}')];
  const { code, out } = await run(
    ['--hosts', `${a.host}, ${b.host},${a.host}`, '--duration-ms', '250', '--job-id', '9'],
    { OTEL_GPU_CONTROL_TOKEN: 'secret' },
  );
  expect(out.trim().split('\n').toSorted()).toEqual(
    [`ok      ${a.host}  {"matched_pids":[7]}`, `ok      ${b.host}  {"matched_pids":[]}`].toSorted(),
  );
  expect(code).toBe(0);
  const asked = {
    path: '/v1/profile/gpu',
    authorization: 'Bearer secret',
    body: { duration_ms: 250, job_id: 9 },
  };
  expect([a.asked, b.asked]).toEqual([[asked], [asked]]);
});

test('one that refuses, one that is not there and one that never answers leave the others theirs', async () => {
  const good = await agent(200, '{"output_path":"/tmp/x"}');
  const refusing = await agent(401, '{"error":"a \\u001b[31mtoken is needed"}');
  const elsewhere = await agent(404, '');
  const gone = await listen(createSocketServer());
  closing.splice(-1)[0]?.();
  const silent = await listen(createSocketServer(() => undefined));
  const hosts = [silent, good.host, refusing.host, elsewhere.host, gone].join(',');
  const { code, out, err } = await run(['--hosts', hosts, '--profile', 'cpu-pt', '--duration-ms', '1']);
  const lines = out.trim().split('\n');
  // The silent one comes last: none waited for it.
  expect(lines.at(-1)).toBe(`failed  ${silent}  no answer within 10.001 s`);
  expect(lines).toContain(`ok      ${good.host}  {"output_path":"/tmp/x"}`);
  expect(lines.some((line) => line.startsWith(`failed  ${refusing.host}  401: a `))).toBe(true);
  expect(lines).toContain(
    `failed  ${elsewhere.host}  404: no reason given. Is that the address of an agent?`,
  );
  expect(out).not.toContain('\u001b');
  expect(lines.some((line) => line.startsWith(`failed  ${gone}  `))).toBe(true);
  expect(err).toContain('4 of 5 hosts');
  expect(code).toBe(1);
  expect(good.asked[0]?.path).toBe('/v1/profile/cpu/pt');
});

test.each([
  [[], 'Name the hosts'],
  [['--hosts', 'a/b'], 'is no host'],
  [['--hosts', 'u@a'], 'is no host'],
  [['--hosts', 'a', '--profile', 'x'], 'gpu or cpu-pt'],
  [['--hosts', 'a', '--duration-ms', '0'], '--duration-ms'],
  [['--hosts', 'a', '--profile', 'cpu-pt', '--job-id', '1'], '--job-id'],
])('%j is not understood', async (args, said) => {
  const { code, err } = await run(args);
  expect(err).toContain(said);
  expect(code).toBe(2);
});
