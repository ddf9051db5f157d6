import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Pid } from '../../host/proc/pid.ts';
import { HOST, NO_EBPF } from '../fixtures/kernel.ts';
import { openKernel } from '../loader/native.ts';
import { unpackObject } from '../loader/packed.ts';
import { OBJECTS } from './llm.gen.ts';
import type { Span } from './spans.ts';
import { LlmTap } from './tap.ts';

const has = (program: string) => {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
const missing = ['openssl', 'python3'].filter((program) => !has(program));
const skipped = NO_EBPF ?? (missing.length > 0 ? `no ${missing.join(', ')}` : undefined);
const SECRET = 'sk-never-seen';
const EVENTS = [
  {
    type: 'message_start',
    message: { id: 'm1', model: 'claude-x', usage: { input_tokens: 11, output_tokens: 1 } },
  },
  { type: 'content_block_delta', delta: { type: 'text_delta', text: 'héllo' } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 42 } },
];

const PYTHON = `import sys, ssl, json, urllib.request
c = ssl._create_unverified_context()
print("ready", flush=True); sys.stdin.readline()
for i in range(5):
    r = urllib.request.Request(sys.argv[1] + "/v1/messages?key=${SECRET}", data=json.dumps({"model": "claude-x", "stream": True, "messages": [{"role": "user", "content": "hi"}]}).encode(), headers={"x-api-key": "${SECRET}"})
    urllib.request.urlopen(r, context=c).read()
`;
const NODE = `import http2 from 'node:http2';
const session = http2.connect(process.argv[1], { rejectUnauthorized: false });
console.log('ready'); await new Promise((go) => process.stdin.once('data', go));
for (let i = 0; i < 5; i += 1) await new Promise((done) => {
  const call = session.request({ ':method': 'POST', ':path': '/v1/messages', authorization: 'Bearer ${SECRET}' });
  call.resume(); call.on('close', done); call.end(JSON.stringify({ model: 'claude-x', stream: true }));
});
session.close(); process.exit(0);
`;

describe.skipIf(skipped !== undefined)('the tap', () => {
  let folder = '';
  let url = '';
  let server: ReturnType<typeof createSecureServer>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tap-'));
    const [key, cert] = [join(folder, 'k.pem'), join(folder, 'c.pem')];
    const subject = ['-subj', '/CN=localhost', '-days', '1', '-nodes', '-newkey', 'rsa:2048'];
    execFileSync('openssl', ['req', '-x509', ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    server = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert), allowHTTP1: true });
    server.on('request', (request, response) => {
      request.resume();
      request.on('end', () => {
        if (request.url.includes('completions')) {
          response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
          const usage = { prompt_tokens: 7, completion_tokens: 9 };
          response.end(
            gzipSync(
              JSON.stringify({ id: 'c', model: 'gpt-x', usage, choices: [{ finish_reason: 'stop' }] }),
            ),
          );
          return;
        }
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const event of EVENTS)
          response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
        response.end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['Python over HTTP/1.1', ['python3', '-c', PYTHON], 55, 210],
    ['Node over HTTP/2', [process.execPath, '--input-type=module', '-e', NODE], 55, 210],
  ] as const)('counts every token of %s', async (_name, [program, ...args], input, output) => {
    const spans: Span[] = [];
    const tap = new LlmTap(openKernel(), unpackObject(OBJECTS), HOST, (_target, span) => spans.push(span));
    const child = spawn(program, [...args, url], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
    });
    try {
      await once(child.stdout, 'data');
      const pid = child.pid ?? 0;
      const start = new Pid(HOST, pid).stat()?.startTicks ?? 0;
      tap.watch([{ pid, start, service: 's', workload: 'w', content: false }]);
      expect(tap.status().get('w')).toMatchObject({ state: 'attached' });
      child.stdin.write('go\n');
      await once(child, 'exit');
      tap.drain();
      const sum = (key: string) =>
        spans
          .flatMap(({ attributes }) => attributes.filter((one) => one.key === key))
          .reduce((total, { value }) => total + Number('intValue' in value ? value.intValue : 0), 0);
      expect(spans.length).toBe(5);
      expect(sum('gen_ai.usage.input_tokens')).toBe(input);
      expect(sum('gen_ai.usage.output_tokens')).toBe(output);
      expect(tap.lost()).toEqual({ ring: 0, long: 0 });
      const told = JSON.stringify(spans);
      expect(told).not.toContain(SECRET);
      expect(told).not.toContain('héllo');
      expect(told).toContain('gen_ai.response.time_to_first_chunk');
    } finally {
      child.kill('SIGKILL');
      tap.close();
    }
  });

  it('says why it cannot see a program, and leaves a process alone that is another one by now', () => {
    const tap = new LlmTap(openKernel(), unpackObject(OBJECTS), HOST, () => undefined);
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    try {
      const pid = child.pid ?? 0;
      const start = new Pid(HOST, pid).stat()?.startTicks ?? 0;
      const target = { pid, start, service: 's', workload: 'w', content: false };
      tap.watch([target]);
      expect(tap.status().get('w')?.detail).toContain('no TLS symbols');
      tap.watch([{ ...target, start: start + 1 }]);
      expect(tap.status().get('w')?.detail).toContain('ended');
    } finally {
      child.kill('SIGKILL');
      tap.close();
    }
  });
});
