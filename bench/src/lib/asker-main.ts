import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { AskerOrder } from './asker.ts';

/**
 * Asks at a steady rate, a process of its own, as the file says that is its argument. Written on bare sockets, so that it
 * takes as little as possible of the cores that the platform runs on. Prints how many answers came, how many were not as
 * expected, and the quantiles of how long they took, as JSON.
 */
const order = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as AskerOrder;
const { host, hostname, port } = new URL(order.base);
const requests = order.requests.map(({ method, path, headers = {}, body = '' }) => {
  const lines = [`host: ${host}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  if (body !== '') lines.push(`content-length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
});
const expected = order.expect === undefined ? undefined : Buffer.from(order.expect);
const TICK_MS = 1;
const HEAD_END = Buffer.from('\r\n\r\n');

interface Line {
  readonly socket: Socket;
  /** When each request that is not answered yet was due. */
  readonly waiting: number[];
}

const took: number[] = [];
let failed = 0;

/** Takes whole answers off the front of what came; what is left is the beginning of the next one. */
function take(bytes: Buffer, onAnswer: (head: string, body: Buffer) => void): Buffer {
  let rest = bytes;
  for (;;) {
    const headEnd = rest.indexOf(HEAD_END);
    if (headEnd === -1) return rest;
    const head = rest.toString('latin1', 0, headEnd);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    const end = headEnd + HEAD_END.length + length;
    if (rest.length < end) return rest;
    onAnswer(head, rest.subarray(headEnd + HEAD_END.length, end));
    rest = rest.subarray(end);
  }
}

const lines: Line[] = [];
for (let n = 0; n < order.connections; n++) {
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.setNoDelay(true);
  const line: Line = { socket, waiting: [] };
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    const now = performance.now();
    rest = take(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]), (head, body) => {
      const due = line.waiting.shift();
      if (due !== undefined) took.push(now - due);
      if (!head.startsWith('HTTP/1.1 200 ') || (expected !== undefined && !body.includes(expected))) failed++;
    });
  });
  lines.push(line);
}

const startedAt = performance.now();
const total = order.rate * order.seconds;
let sent = 0;
while (sent < total) {
  const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1_000) * order.rate));
  for (; sent < due; sent++) {
    const line = lines[sent % lines.length];
    const request = requests[sent % requests.length];
    if (line === undefined || request === undefined) throw new Error('nothing to ask, or no connections');
    line.waiting.push(startedAt + (sent / order.rate) * 1_000);
    line.socket.write(request);
  }
  await new Promise((resolve) => setTimeout(resolve, TICK_MS));
}
const until = performance.now() + 10_000;
while (took.length < total && performance.now() < until) {
  await new Promise((resolve) => setTimeout(resolve, TICK_MS));
}
const elapsed = (performance.now() - startedAt) / 1_000;
for (const { socket } of lines) socket.destroy();
const sorted = took.toSorted((a, b) => a - b);
const quantile = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
process.stdout.write(
  JSON.stringify({
    answers: took.length,
    failed: failed + (total - took.length),
    elapsed,
    p50: quantile(0.5),
    p99: quantile(0.99),
    max: quantile(1),
  }),
);
