import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { NODE_BINARY, startOtlpRecorder } from '@candela/testkit';
import type { Bench } from '../lib/bench.ts';
import { cpuSeconds } from '../lib/proc.ts';
import type { Findings } from '../lib/table.ts';
import { sleep, withTempDir } from '../lib/temp.ts';

const OPENSSL = 'openssl';
const AGENT = join(import.meta.dirname, '../../../apps/collector/src/main.ts');
const START_MS = 30_000;

/** Reads an answer of so many records, one `SSL_read` each, over one connection, and says how much CPU that took. */
const CLIENT = `import sys, ssl, socket, time
host, port, reads = "127.0.0.1", int(sys.argv[1]), int(sys.argv[2])
context = ssl._create_unverified_context()
body = b'{"model":"m","stream":true}'
head = b"POST /v1/chat/completions HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: " + str(len(body)).encode() + b"\\r\\n\\r\\n"
s = context.wrap_socket(socket.create_connection((host, port)), server_hostname="localhost")
print("ready", flush=True)
for line in sys.stdin:
    calls = int(line)
    began, seen = time.process_time(), 0
    for _ in range(calls):
        s.sendall(head + body)
        tail = b""
        while not tail.endswith(b"0\\r\\n\\r\\n"):
            part = s.recv(65536)
            seen += 1
            tail = (tail + part)[-16:]
    print(time.process_time() - began, seen, flush=True)
`;

/** What the tap costs a program that streams answers of models, and what it costs itself. */
export const tap: Bench = {
  async run(args): Promise<Findings> {
    const { values } = parseArgs({
      args: [...args],
      options: { calls: { type: 'string', default: '200' }, reads: { type: 'string', default: '500' } },
    });
    const [calls, reads] = [Number(values.calls), Number(values.reads)];
    return withTempDir(async (folder) => {
      const server = await vendor(folder, reads);
      const recorder = await startOtlpRecorder();
      const { port } = server.address() as AddressInfo;
      const client = spawn('python3', ['-c', CLIENT, String(port), String(reads)], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const lines = createInterface({ input: client.stdout })[Symbol.asyncIterator]();
      const line = async () => String((await lines.next()).value ?? '');
      const run = async (times: number) => {
        client.stdin.write(`${times}\n`);
        const [seconds = 0, seen = 0] = (await line()).split(' ').map(Number);
        return { seconds, seen };
      };
      let agent: ChildProcess | undefined;
      try {
        await line();
        await run(Math.ceil(calls / 10));
        const before = await run(calls);
        const file = join(folder, 'tap.json');
        const pid = client.pid ?? 0;
        const target = { pid, start: startOf(pid), workload: 'w', service: 's', content: false };
        writeFileSync(file, JSON.stringify({ targets: [target] }));
        agent = spawn(NODE_BINARY, [AGENT, '--tap', file], {
          stdio: ['ignore', 'ignore', 'inherit'],
          env: { OTEL_EXPORTER_OTLP_ENDPOINT: recorder.http },
        });
        const attached = () => statusOf(file).workloads?.['w']?.state === 'attached';
        for (const until = Date.now() + START_MS; !attached(); await sleep(100))
          if (Date.now() > until)
            throw new Error(`the tap did not attach: ${JSON.stringify(statusOf(file))}`);
        await run(Math.ceil(calls / 10));
        const agentBefore = cpuSeconds(agent.pid ?? 0);
        const tapped = await run(calls);
        await sleep(2_000);
        const agentSeconds = cpuSeconds(agent.pid ?? 0) - agentBefore;
        const perRead = (tapped.seconds - before.seconds) / tapped.seen;
        const perCall = (tapped.seconds - before.seconds) / calls;
        const { spans = 0, lost = 0 } = statusOf(file).workloads?.['w'] ?? {};
        return {
          bench: 'tap',
          command: `npm run bench -- tap --calls ${calls} --reads ${reads}`,
          figures: [
            {
              what: 'added to the program, a read',
              value: `${(perRead * 1e6).toFixed(2)} µs`,
              against: `${((before.seconds / before.seen) * 1e6).toFixed(2)} µs without the tap`,
            },
            {
              what: `added to the program, a call of ${Math.round(tapped.seen / calls)} reads`,
              value: `${(perCall * 1e3).toFixed(2)} ms CPU`,
              against: 'goal 5 ms of CPU for 500 reads',
            },
            {
              what: 'the tap itself, a call',
              value: `${((agentSeconds / calls) * 1e3).toFixed(2)} ms CPU`,
              against: `${spans} calls told, ${lost} records lost`,
            },
          ],
          notes: [
            `${calls} calls of a Python client over one TLS connection, each answered by ${reads} server-sent events in records of their own, once without and once with the tap; CPU of the client by its own clock (system time within it), of the tap by the kernel's.`,
          ],
        };
      } finally {
        client.kill('SIGKILL');
        agent?.kill('SIGTERM');
        server.closeAllConnections();
        server.close();
        await recorder.close();
      }
    });
  },
};

interface Status {
  readonly workloads?: Readonly<
    Record<string, { readonly state: string; readonly spans: number; readonly lost: number }>
  >;
}
const statusOf = (file: string): Status =>
  existsSync(`${file}.status`) ? (JSON.parse(readFileSync(`${file}.status`, 'utf8')) as Status) : {};

function startOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
}

/** Each event in a turn of its own: what is written in one is one record of TLS. */
async function answer(response: ServerResponse, events: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let at = 0; at < events - 1; at += 1) {
    response.write(`data: {"id":"c","choices":[{"delta":{"content":"word ${at}"}}]}\n\n`);
    await new Promise(setImmediate);
  }
  response.end('data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":5}}\n\n');
}

/** A vendor that answers with so many events, each written by itself. */
async function vendor(folder: string, events: number): Promise<Server> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-days', '1', '-nodes', '-newkey', 'rsa:2048'];
  execFileSync(OPENSSL, ['req', '-x509', ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    request.resume();
    request.once('end', () => void answer(response, events));
  });
  server.on('connection', (socket) => socket.setNoDelay(true));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
