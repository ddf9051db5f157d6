import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Pid } from '../../host/proc/pid.ts';
import { HOST, NO_EBPF } from '../fixtures/kernel.ts';
import { WITH_PID } from '../fixtures/processes.ts';
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

const URLS = Array.from({ length: 5 }, (_, at) => at);
/** Lines of a file of curl: five calls, each with the key in a header and in the query. */
const curlConfig = (url: string) =>
  URLS.map(
    () =>
      `url = "${url}/v1/messages?key=${SECRET}"\nheader = "x-api-key: ${SECRET}"\ndata = "{\\"model\\": \\"claude-x\\", \\"stream\\": true}"\noutput = "/dev/null"\n`,
  ).join('next\ninsecure\n');
/** libcurl over GnuTLS, by way of ctypes: the command is mostly built with OpenSSL. */
const GNUTLS = '/usr/lib/x86_64-linux-gnu/libcurl-gnutls.so.4';
const PYTHON_GNUTLS = `import ctypes, sys
c = ctypes.CDLL("${GNUTLS}"); c.curl_easy_init.restype = ctypes.c_void_p
print("ready", flush=True); sys.stdin.readline()
for i in range(5):
    h = ctypes.c_void_p(c.curl_easy_init()); n = ctypes.c_long
    for option, value in ((10002, (sys.argv[1] + "/v1/messages?key=${SECRET}").encode()), (10015, b'{"model": "claude-x", "stream": true}'), (64, n(0)), (81, n(0)), (84, n(int(sys.argv[2])))):
        c.curl_easy_setopt(h, option, value)
    c.curl_easy_perform(h); c.curl_easy_cleanup(h)
`;
/** It forks a child that calls, calls itself, and then runs another program in its place. */
const PYTHON_FORKS = `import os, sys, ssl, json, urllib.request
c = ssl._create_unverified_context()
def call(n):
    for i in range(n):
        urllib.request.urlopen(urllib.request.Request(sys.argv[1] + "/v1/messages", data=json.dumps({"model": "claude-x", "stream": True}).encode()), context=c).read()
print("ready", flush=True); sys.stdin.readline()
pid = os.fork()
if pid == 0:
    call(3); os._exit(0)
os.waitpid(pid, 0); call(2); print("forked", flush=True); sys.stdin.readline()
os.execv(sys.argv[2], [sys.argv[2], sys.argv[3], sys.argv[1]])
`;
const PYTHON = `import sys, ssl, json, urllib.request
c = ssl._create_unverified_context()
print("ready", flush=True); sys.stdin.readline()
for i in range(5):
    r = urllib.request.Request(sys.argv[1] + "/v1/messages?key=${SECRET}", data=json.dumps({"model": "claude-x", "stream": True, "messages": [{"role": "user", "content": "hi"}]}).encode(), headers={"x-api-key": "${SECRET}"})
    urllib.request.urlopen(r, context=c).read()
`;
const NODE = `import http2 from 'node:http2';
const session = http2.connect(process.argv.at(-1), { rejectUnauthorized: false });
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

  const open = (spans: Span[]) =>
    new LlmTap(openKernel(), unpackObject(OBJECTS), HOST, (_target, span) => spans.push(span));
  const targetOf = (pid: number) => {
    const start = new Pid(HOST, pid).stat()?.startTicks ?? 0;
    return { pid, start, service: 's', workload: 'w', content: false };
  };
  const sumOf = (spans: readonly Span[], key: string) =>
    spans
      .flatMap(({ attributes }) => attributes.filter((one) => one.key === key))
      .reduce((total, { value }) => total + Number('intValue' in value ? value.intValue : 0), 0);
  const tokens = (spans: readonly Span[]) => [
    sumOf(spans, 'gen_ai.usage.input_tokens'),
    sumOf(spans, 'gen_ai.usage.output_tokens'),
  ];

  it.each([
    ['Python over HTTP/1.1', ['python3', '-c', PYTHON]],
    ['Node over HTTP/2', [process.execPath, '--input-type=module', '-e', NODE]],
    ['libcurl with GnuTLS over HTTP/1.1', ['python3', '-c', PYTHON_GNUTLS], '2'],
    ['libcurl with GnuTLS over HTTP/2', ['python3', '-c', PYTHON_GNUTLS], '4'],
  ] as const)('counts every token of %s', async (name, [program, ...args], more?: string) => {
    if (more !== undefined && !existsSync(GNUTLS)) return void process.stderr.write(`SKIPPED: ${name}\n`);
    const spans: Span[] = [];
    const tap = open(spans);
    const child = spawn(program, [...args, url, ...(more === undefined ? [] : [more])], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
    });
    try {
      await once(child.stdout, 'data');
      child.stdout.resume();
      tap.watch([targetOf(child.pid ?? 0)]);
      expect(tap.status().get('w')).toMatchObject({ state: 'attached' });
      child.stdin.write('go\n');
      await once(child, 'exit');
      tap.drain();
      expect(spans.length).toBe(5);
      expect(tokens(spans)).toEqual([55, 210]);
      expect(tap.lost()).toEqual({ ring: 0, long: 0 });
      expect(tap.hostsOf('w').join()).toContain('127.0.0.1');
      const told = JSON.stringify(spans);
      expect(told).not.toContain(SECRET);
      expect(told).not.toContain('héllo');
      expect(told).toContain('gen_ai.response.time_to_first_chunk');
    } finally {
      child.kill('SIGKILL');
      tap.close();
    }
  });

  it.skipIf(!has('curl')).each([
    ['HTTP/1.1', '--http1.1'],
    ['HTTP/2', '--http2'],
  ])('counts every token of curl over %s, also after 50 MB', async (_name, version) => {
    const spans: Span[] = [];
    const tap = open(spans);
    // It waits for the rest of its arguments, and has its libraries by then.
    const child = spawn('curl', ['--silent', version, '--config', '-'], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    const draining = setInterval(() => tap.drain(), 5);
    try {
      await expect
        .poll(() => readFileSync(`/proc/${child.pid}/maps`, 'latin1'), { interval: 10 })
        .toContain('libssl');
      const localhost = url.replace('127.0.0.1', 'localhost');
      tap.watch([targetOf(child.pid ?? 0)]);
      expect(tap.status().get('w')).toMatchObject({ state: 'attached' });
      const large = join(folder, 'large.json');
      writeFileSync(large, `{"model":"claude-x","x":"${'a'.repeat(50_000_000)}"}`);
      const big = `insecure\nurl = "${localhost}/v1/messages"\ndata-binary = "@${large}"\noutput = "/dev/null"\nnext\n`;
      child.stdin.end(`${big}insecure\n${curlConfig(localhost)}`);
      const [code] = await once(child, 'exit');
      expect(code).toBe(0);
      tap.drain();
      const small = spans.filter(
        ({ attributes }) => sumOf([{ attributes } as Span], 'http.request.body.size') < 1_000,
      );
      const lost = tap.lost().ring;
      // What found no room may make calls broken; it makes none wrong, and is counted.
      for (const span of small) {
        if (span.attributes.some(({ key }) => key === 'platform.ebpf.partial'))
          expect(lost).toBeGreaterThan(0);
        else expect(tokens([span])).toEqual([11, 42]);
      }
      if (lost === 0) {
        expect(spans).toHaveLength(6);
        expect(tokens(small)).toEqual([55, 210]);
        expect(sumOf(spans, 'http.request.body.size')).toBeGreaterThan(50_000_000);
      }
      expect(tap.hostsOf('w')).toContain('localhost');
      expect(JSON.stringify(spans)).not.toContain(SECRET);
    } finally {
      clearInterval(draining);
      child.kill('SIGKILL');
      tap.close();
    }
  });

  it('follows a process that forks and runs another program, and leaves the child alone', async () => {
    const spans: Span[] = [];
    const tap = open(spans);
    const script = join(folder, 'after.mjs');
    writeFileSync(script, NODE);
    const child = spawn('python3', ['-c', PYTHON_FORKS, url, process.execPath, script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (text: Buffer) => (said += String(text)));
    const saying = (word: string) =>
      expect.poll(() => said, { timeout: 30_000, interval: 10 }).toContain(word);
    try {
      await saying('ready');
      const target = targetOf(child.pid ?? 0);
      tap.watch([target]);
      child.stdin.write('go\n');
      await saying('forked');
      tap.drain();
      expect(tokens(spans)).toEqual([22, 84]);
      said = '';
      child.stdin.write('go\n');
      await saying('ready');
      // The same process by number and start, with another program in it.
      tap.watch([target]);
      expect(tap.status().get('w')).toMatchObject({ state: 'attached' });
      child.stdin.write('go\n');
      const [code] = await once(child, 'exit');
      expect(code).toBe(0);
      tap.drain();
      expect(tokens(spans)).toEqual([77, 294]);
    } finally {
      child.kill('SIGKILL');
      tap.close();
    }
  });

  it('does not take a process for one that had its number before', async ({ skip }) => {
    const spans: Span[] = [];
    const tap = open(spans);
    const first = spawn('python3', ['-c', PYTHON, url], { stdio: ['pipe', 'pipe', 'inherit'] });
    try {
      await once(first.stdout, 'data');
      const target = targetOf(first.pid ?? 0);
      tap.watch([target]);
      first.kill('SIGKILL');
      await once(first, 'exit');
      const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], {
        encoding: 'utf8',
      });
      const again = spawn('python3', ['-c', WITH_PID, String(target.pid), python.trim(), '-c', PYTHON, url], {
        stdio: ['pipe', 'ignore', 'inherit'],
      });
      again.stdin.end('go\n');
      const [code] = await once(again, 'exit');
      if (code === 3 || code === 4) return skip('process numbers cannot be chosen here');
      expect(code).toBe(0);
      tap.drain();
      expect(spans).toEqual([]);
      tap.watch([target]);
      expect(tap.status().get('w')).toMatchObject({ state: 'unavailable' });
    } finally {
      first.kill('SIGKILL');
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
