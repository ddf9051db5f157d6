import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { fail } from '@candela/kernel';
import { NODE_BINARY } from '@candela/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { say } from './testing/say.ts';
import { grpcFrame, grpcRaw, post, PROTOBUF, raw } from './testing/client.ts';
import { type Receivers, type ReceiversOptions, openReceivers } from './testing/harness.ts';
import { traceBody, traceIdOf } from './testing/spans.ts';
import { readStatus } from './testing/status.ts';

let receivers: Receivers | undefined;
afterEach(async () => {
  await receivers?.close();
  receivers = undefined;
});

async function open(options: ReceiversOptions = {}): Promise<Receivers> {
  receivers = await openReceivers(options);
  return receivers;
}

async function stored(name: string): Promise<number> {
  const rows = await receivers?.rows<{ n: string }>(
    'SELECT count() AS n FROM otel_traces WHERE TraceId = {id:String}',
    {
      id: traceIdOf(name),
    },
  );
  return Number(rows?.[0]?.n ?? -1);
}

describe('case 8: the store is away and the log is full', () => {
  it('503 + Retry-After and UNAVAILABLE + RetryInfo; afterwards the same batches are taken; each stored once', async () => {
    const gate = { away: true };
    const { port, grpcPort } = await open({
      log: { capBytes: 400_000, segmentBytes: 50_000 },
      wrapStore: (store) => ({
        insertNative: (table, parts, token) =>
          gate.away
            ? Promise.reject(fail('store_unavailable', { seconds: 1 }))
            : store.insertNative(table, parts, token),
        health: () => store.health(),
      }),
    });
    const accepted: string[] = [];
    let refused: string | undefined;
    for (let n = 0; refused === undefined && n < 200; n += 1) {
      const reply = await post(port, traceBody(`fill ${n}`, 40));
      if (reply.status === 200) accepted.push(`fill ${n}`);
      else {
        refused = `fill ${n}`;
        expect(reply.status).toBe(503);
        expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
        expect(readStatus(reply.body)).toMatchObject({ code: 14, retrySeconds: expect.any(Number) });
      }
    }
    expect(accepted.length).toBeGreaterThan(5);
    const over = await grpcRaw(grpcPort, grpcFrame(traceBody('over grpc', 40)));
    expect(over.code).toBe(14);
    expect(readStatus(over.details ?? Buffer.alloc(0)).retrySeconds).toBeGreaterThan(0);
    gate.away = false;
    expect(await receivers?.log.flush(20_000)).toBe(true);
    // What is stored is deleted from the log a moment later.
    const again = async () => (await post(port, traceBody(refused ?? '', 40))).status;
    await expect.poll(again, { timeout: 30_000 }).toBe(200);
    expect((await grpcRaw(grpcPort, grpcFrame(traceBody('over grpc', 40)))).code).toBe(0);
    for (const name of [...accepted, refused ?? '', 'over grpc']) expect(await stored(name)).toBe(40);
  });

  it('too much at once: the budget of bodies in memory answers 503 instead of growing', async () => {
    const { port } = await open({ ingest: { maxPendingBytes: 200_000 } });
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, n) => post(port, traceBody(`budget ${n}`, 200))),
    );
    const statuses = new Set(replies.map((reply) => reply.status));
    expect(statuses).toEqual(new Set([200, 503]));
    for (const reply of replies) if (reply.status === 503) expect(reply.headers['retry-after']).toBeDefined();
    expect((await post(port, traceBody('afterwards'))).status).toBe(200);
  });
});

describe('case 9: the same batch again', () => {
  it('at once, later, compressed, and through the other receiver: stored once, answered 200 every time', async () => {
    const { port, grpcPort } = await open();
    const body = traceBody('twice', 20);
    const replies = await Promise.all(Array.from({ length: 20 }, () => post(port, body)));
    expect(replies.map((reply) => reply.status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect((await post(port, gzipSync(body), { encoding: 'gzip' })).status).toBe(200);
    expect((await grpcRaw(grpcPort, grpcFrame(body))).code).toBe(0);
    expect(await stored('twice')).toBe(20);
    expect((await post(port, body)).status).toBe(200);
    expect(await stored('twice')).toBe(20);
    const text = await receivers?.registry.metrics();
    expect(text).toContain('candela_ingest_duplicate_requests_total{signal="traces"} 22');
  });

  it('the same batch for another environment is another batch', async () => {
    const { port } = await open();
    const body = traceBody('two environments', 3);
    await post(port, body, { headers: { 'x-platform-environment': 'staging' } });
    await post(port, body, { headers: { 'x-platform-environment': 'test' } });
    expect(await stored('two environments')).toBe(6);
  });
});

describe('case 10: hostile connections', () => {
  const IDLE = 5_000;
  const ROUNDS = 50;

  /** Sends one batch after another, each of which has to be taken. */
  async function sendAll(port: number, agent: Agent, tag: string): Promise<void> {
    for (let n = 0; n < ROUNDS; n += 1) {
      const reply = await post(port, traceBody(`${tag} ${n}`, 10), { agent });
      expect(reply.status).toBe(200);
    }
  }

  function openFiles(): number {
    try {
      return Number(execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim()) || 1_024;
    } catch {
      return 1_024;
    }
  }

  it('5,000 idle sockets, slow headers and rapid resets: what normal clients send is taken', async () => {
    await receivers?.close();
    const { port, grpcPort } = await open();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const room = Math.min(IDLE, openFiles() - 500);
    if (room < IDLE) say(`only ${room} idle sockets: the limit of open files allows no more`);
    const script = fileURLToPath(new URL('./testing/attacker.ts', import.meta.url));
    const attacker = spawn(NODE_BINARY, [script, String(port), String(grpcPort), String(room)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(attacker.stdout, 'data');
    await sendAll(port, agent, 'attacked');
    attacker.kill('SIGKILL');
    await once(attacker, 'exit');
    agent.destroy();
    expect((await grpcRaw(grpcPort, grpcFrame(traceBody('after the attack')))).code).toBe(0);
    expect(await stored('after the attack')).toBe(1);
  });

  it('headers that never end and bodies that never come are cut off', async () => {
    const { port, server } = await open();
    server.headersTimeout = 600;
    server.requestTimeout = 1_200;
    const startedAt = performance.now();
    const [silent, slow, bodyless] = await Promise.all([
      raw(port, '', 8_000),
      raw(port, 'POST /v1/traces HTTP/1.1\r\nhost: loc', 8_000),
      raw(
        port,
        `POST /v1/traces HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${PROTOBUF}\r\ncontent-length: 100\r\n\r\nabc`,
        8_000,
      ),
    ]);
    expect(performance.now() - startedAt).toBeLessThan(7_000);
    for (const answer of [silent, slow, bodyless]) expect(answer).toMatch(/^(HTTP\/1.1 408 |$)/);
    expect((await post(port, traceBody('after slow ones'))).status).toBe(200);
  });
});
