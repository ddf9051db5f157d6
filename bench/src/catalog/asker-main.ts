import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * Asks one path at a steady rate, a process of its own: `asker-main.ts <url> <requests a second> <seconds> <connections>`.
 * Written on bare sockets, so that it takes as little as possible of the cores that the platform runs on. Prints how many
 * answers came, how many were not 200, and the quantiles of how long they took, as JSON.
 */
const [target = '', rate = '0', seconds = '0', connections = '8'] = process.argv.slice(2);
const { hostname, port, pathname, host } = new URL(target);
const REQUEST = Buffer.from(`GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
const TICK_MS = 10;

interface Line {
  readonly socket: Socket;
  /** When each request that is not answered yet was due. */
  readonly waiting: number[];
}

const took: number[] = [];
let failed = 0;
const lines: Line[] = [];
for (let n = 0; n < Number(connections); n++) {
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.setNoDelay(true);
  const line: Line = { socket, waiting: [] };
  let rest = '';
  socket.on('data', (chunk: Buffer) => {
    const now = performance.now();
    const parts = (rest + chunk.toString('latin1')).split('HTTP/1.1 ');
    // The last part may still be growing; a whole answer ends with the brace of its body.
    const last = parts.pop() ?? '';
    const whole = last.endsWith('}');
    rest = whole ? '' : `HTTP/1.1 ${last}`;
    for (const answer of whole ? [...parts, last] : parts) {
      if (answer === '') continue;
      const due = line.waiting.shift();
      if (due !== undefined) took.push(now - due);
      if (!answer.startsWith('200 ')) failed++;
    }
  });
  lines.push(line);
}

const startedAt = performance.now();
const total = Number(rate) * Number(seconds);
let sent = 0;
while (sent < total) {
  const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1_000) * Number(rate)));
  for (; sent < due; sent++) {
    const line = lines[sent % lines.length];
    if (line === undefined) throw new Error('no connections');
    line.waiting.push(startedAt + (sent / Number(rate)) * 1_000);
    line.socket.write(REQUEST);
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
  JSON.stringify({ answers: took.length, failed, elapsed, p50: quantile(0.5), p99: quantile(0.99) }),
);
