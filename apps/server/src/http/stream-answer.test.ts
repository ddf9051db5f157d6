import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { fail } from '@candela/kernel';
import { afterEach, describe, expect, it } from 'vitest';
import { type FileAnswer, sendEvents, sendFile, type ServerEvent, startFile } from './stream-answer.ts';
import { StreamGate } from './stream-gate.ts';

const TIMING = { heartbeatMs: 40, stallMs: 300 };
const PATIENT = { heartbeatMs: 60_000, stallMs: 60_000 };
const GOES_ON = new AbortController().signal;
let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A server that answers each request with `answer`; the port it has. */
async function serve(answer: (response: ServerResponse) => Promise<unknown>): Promise<number> {
  server = createServer((_request, response) => {
    response.writeHead(200);
    response.flushHeaders();
    void answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A server that answers each request with `answer`, and a connected client. */
async function connectTo(answer: (response: ServerResponse) => Promise<unknown>): Promise<IncomingMessage> {
  const call = get({ port: await serve(answer), host: '127.0.0.1' });
  // A reset is told here too; readers hear of it from the message.
  call.on('error', () => undefined);
  const [message] = (await once(call, 'response')) as [IncomingMessage];
  return message;
}

/** Everything that comes, and whether it came to its end. */
async function readAll(message: IncomingMessage): Promise<{ text: string; whole: boolean }> {
  let text = '';
  message.on('data', (chunk: Buffer) => (text += chunk.toString()));
  message.on('error', () => undefined);
  await new Promise((resolve) => message.once('close', resolve));
  return { text, whole: message.complete };
}

const file = (parts: AsyncIterable<string>): FileAnswer => ({
  contentType: 'text/plain',
  fileName: 'x',
  parts,
});
const events = (stop: AbortSignal, source: AsyncIterable<ServerEvent>) => (response: ServerResponse) =>
  sendEvents(response, { events: source }, { timing: TIMING, requestId: 'r1', stop });

describe('a file', () => {
  it('fails plainly before its first part', async () => {
    const source: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(fail('bad_query', { detail: 'no' })) }),
    };
    await expect(startFile(file(source))).rejects.toMatchObject({ code: 'bad_query' });
  });

  it('that fails on the way is cut, so that nobody takes it for whole', async () => {
    async function* source(): AsyncGenerator<string> {
      yield 'first';
      throw new Error('engine gone');
    }
    const started = await startFile(file(source()));
    let failure: unknown;
    const message = await connectTo(async (response) => {
      failure = await sendFile(response, started, { timing: TIMING, stop: GOES_ON });
    });
    const { text, whole } = await readAll(message);
    expect([text, whole]).toEqual(['first', false]);
    expect(failure).toEqual(new Error('engine gone'));
  });

  it('that fails on the way ends with a reset where the end of the connection is the end of the body', async () => {
    async function* source(): AsyncGenerator<string> {
      yield 'first';
      throw new Error('engine gone');
    }
    const started = await startFile(file(source()));
    const port = await serve((response) => sendFile(response, started, { timing: TIMING, stop: GOES_ON }));
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.0\r\n\r\n');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const end = await new Promise((resolve) => {
      socket.once('end', () => resolve('the end'));
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    });
    expect(text).not.toContain('chunked');
    expect(end).toBe('ECONNRESET');
  });

  it('waits for a slow client instead of filling memory, and drops one that takes nothing', async () => {
    let made = 0;
    let given = false;
    async function* source(): AsyncGenerator<string> {
      try {
        for (; made < 10_000; made++) yield 'x'.repeat(65_536);
      } finally {
        given = true;
      }
    }
    const started = await startFile(file(source()));
    const message = await connectTo((response) =>
      sendFile(response, started, { timing: TIMING, stop: GOES_ON }),
    );
    message.pause();
    await new Promise((resolve) => setTimeout(resolve, 150));
    const early = made;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(made).toBe(early);
    expect(made).toBeLessThan(1_000);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(given).toBe(true);
    message.destroy();
  });
});

it('what is stopped while a slow client has not taken it is cut, a file also at its last part', async () => {
  const part = 'x'.repeat(32_000_000);
  async function* parts(): AsyncGenerator<string> {
    yield part;
  }
  async function* rows(): AsyncGenerator<ServerEvent> {
    yield { event: 'rows', data: part };
  }
  const sends = [
    async (response: ServerResponse, stop: AbortSignal) =>
      sendFile(response, await startFile(file(parts())), { timing: PATIENT, stop }),
    (response: ServerResponse, stop: AbortSignal) =>
      sendEvents(response, { events: rows() }, { timing: PATIENT, requestId: 'r1', stop }),
  ];
  for (const send of sends) {
    const stop = new AbortController();
    let sent: Promise<unknown> | undefined;
    const message = await connectTo((response) => (sent = send(response, stop.signal)));
    await once(message, 'readable');
    stop.abort(fail('unknown_credential'));
    await sent;
    const { text, whole } = await readAll(message);
    expect(whole).toBe(false);
    expect(text.length).toBeLessThan(part.length);
    server?.close();
  }
});

describe('events', () => {
  it('are written one after another, with comments while nothing comes', async () => {
    async function* source(): AsyncGenerator<ServerEvent> {
      yield { event: 'rows', id: '1', data: ['a\nb'] };
      await new Promise((resolve) => setTimeout(resolve, 130));
      yield { event: 'rows', id: '2', data: [] };
    }
    const message = await connectTo(events(new AbortController().signal, source()));
    const { text, whole } = await readAll(message);
    expect(whole).toBe(true);
    expect(text).toContain('event: rows\nid: 1\ndata: ["a\\nb"]\n\n');
    expect(text.match(/: still here/g)?.length).toBeGreaterThanOrEqual(2);
    expect(text.endsWith('event: rows\nid: 2\ndata: []\n\n')).toBe(true);
  });

  it('end with the sentence of what failed, nothing of what is ours', async () => {
    async function* source(): AsyncGenerator<ServerEvent> {
      yield { event: 'rows', data: [] };
      throw new Error('SELECT secret FROM /var/lib');
    }
    const message = await connectTo(events(new AbortController().signal, source()));
    const { text } = await readAll(message);
    expect(text).toContain('event: failure\ndata: {"err":"Something went wrong on our side.');
    expect(text).toContain('"code":"internal","status":500,"requestId":"r1"');
    expect(text).not.toMatch(/SELECT|secret/);
  });

  it('end with the reason for which they are stopped', async () => {
    const stop = new AbortController();
    async function* source(): AsyncGenerator<ServerEvent> {
      yield { event: 'rows', data: [] };
      await once(stop.signal, 'abort');
    }
    const message = await connectTo(events(stop.signal, source()));
    await once(message, 'data');
    stop.abort(fail('rate_limited', { seconds: 7 }));
    const { text } = await readAll(message);
    expect(text).toContain('"code":"rate_limited","status":429,"retryAfterSeconds":7,"requestId":"r1"');
  });

  it('give back their source when the client leaves', async () => {
    let returned = false;
    const gone = new AbortController();
    async function* source(): AsyncGenerator<ServerEvent> {
      try {
        yield { event: 'rows', data: [] };
        await new Promise<void>((resolve) => gone.signal.addEventListener('abort', () => resolve()));
      } finally {
        returned = true;
      }
    }
    const stop = new AbortController().signal;
    const message = await connectTo((response) => {
      response.once('close', () => gone.abort());
      return events(stop, source())(response);
    });
    await once(message, 'data');
    message.destroy();
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(returned).toBe(true);
  });
});

describe('the gate', () => {
  it('counts all streams and those of one client, each left once', () => {
    const gate = new StreamGate({ total: 3, perClient: 2 });
    const first = gate.enter('a');
    gate.enter('a');
    expect(() => gate.enter('a')).toThrow(/for this client/);
    gate.enter('b');
    expect(() => gate.enter('c')).toThrow(/on this platform/);
    first();
    first();
    expect(gate.open).toBe(2);
    gate.enter('c');
    gate.close();
    expect(() => gate.enter('d')).toThrow(/shutting down/);
    expect(gate.stopping.aborted).toBe(true);
  });
});
