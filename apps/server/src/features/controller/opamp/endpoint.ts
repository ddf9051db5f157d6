import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { FLEET_LIMITS } from '@candela/contract';
import { CandelaError, fail, type Logger, newRequestId, type RequestContext } from '@candela/kernel';
import type { MetadataStore, StoredCollector } from '@candela/metadata-store';
import { type WebSocket, WebSocketServer } from 'ws';
import { errorAnswer } from '../../../http/errors.ts';
import { header } from '../../../http/header.ts';
import type { Endpoint, SocketEndpoint } from '../../../http/request-handler.ts';
import { receive } from '../../../http/receive.ts';
import type { Identity } from '../../identity/service.ts';
import type { Fleet, Received } from './fleet.ts';
import { readAgentMessage, writeServerMessage } from './messages.ts';
import { OpampError } from './wire.ts';

const PATH = '/v1/opamp';
const TYPE = 'application/x-protobuf';
const MAX_SOCKETS = 5_000;
/** Messages of one collector that wait for the one before. */
const MAX_WAITING = 16;
const PING_MS = 30_000;
/** For the goodbye of a collector when the platform stops. */
const CLOSE_MS = 500;
const unpack = promisify(gunzip);

/** What is known of a connection. */
interface Connected {
  collector: StoredCollector | undefined;
  isAlive: boolean;
  /** Hash of the configuration that it was told last. */
  offered: string | undefined;
}

interface OpampParts {
  readonly identity: Identity;
  readonly metadata: MetadataStore;
  readonly fleet: Fleet;
  readonly logger: Logger;
}

/** OpAMP over HTTP and WebSocket, both at `/v1/opamp`, with an API key that has the scope `controller`. */
export function opampEndpoint({ identity, metadata, fleet, logger }: OpampParts) {
  const open = new Map<WebSocket, Connected>();
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: FLEET_LIMITS.messageBytes,
    perMessageDeflate: false,
  });

  /** @throws what the credential lacks */
  async function admit(request: IncomingMessage): Promise<RequestContext> {
    const context = await identity.authenticate({
      headers: (name) => header(request, name),
      remoteAddress: request.socket.remoteAddress ?? '',
      endpoint: 'api',
      requestId: newRequestId(),
      method: 'POST',
      on: 'project',
      storage: undefined,
      application: true,
    });
    if (context.principal.kind !== 'key') throw fail('no_credential');
    if (!context.scopes.has('controller'))
      throw fail('forbidden', { detail: 'The API key lacks the scope "controller".' });
    const client = {
      address: request.socket.remoteAddress ?? '',
      userAgent: header(request, 'user-agent'),
    };
    return { ...context, client };
  }

  /** The answer to a message; what cannot be read is answered in OpAMP's own way. */
  async function answer(
    context: RequestContext,
    bytes: Buffer,
  ): Promise<Partial<Received> & Pick<Received, 'answer'>> {
    try {
      return await fleet.receive(context, readAgentMessage(bytes));
    } catch (thrown) {
      if (!(thrown instanceof OpampError) && !(thrown instanceof CandelaError)) throw thrown;
      return { answer: writeServerMessage({ uid: '', error: thrown.message }) };
    }
  }

  function serve(socket: WebSocket, request: IncomingMessage): void {
    const state: Connected = { collector: undefined, isAlive: true, offered: undefined };
    open.set(socket, state);
    let queue = Promise.resolve();
    let waiting = 0;
    socket.on('pong', () => (state.isAlive = true));
    socket.on('error', () => socket.terminate());
    socket.once('close', () => open.delete(socket));
    socket.on('message', (data: Buffer, isBinary) => {
      // The header before each message is the number 0.
      if (!isBinary || data[0] !== 0) {
        socket.close(1_003, 'not OpAMP');
        return;
      }
      waiting += 1;
      if (waiting > MAX_WAITING) {
        socket.close(1_008, 'too many messages at once');
        return;
      }
      queue = queue
        .then(async () => {
          // A key that was deleted meanwhile lets nobody in any more.
          const context = await admit(request).catch(() => undefined);
          if (context === undefined) {
            socket.close(1_008, 'no credential');
            return;
          }
          const { collector, answer: bytes, offered } = await answer(context, data.subarray(1));
          state.collector = collector ?? state.collector;
          state.offered = offered ?? state.offered;
          state.isAlive = true;
          socket.send(Buffer.concat([Buffer.of(0), bytes]));
        })
        .catch((error: unknown) => {
          logger.error({ err: error }, 'a message of a collector could not be taken');
          socket.close(1_011, 'try again');
        })
        .finally(() => (waiting -= 1));
    });
  }

  // What is pushed reaches who is connected at once, here and at other replicas.
  const stopListening = metadata.changes.on(['fleet_configs'], () => {
    for (const [socket, state] of open) {
      const { collector } = state;
      if (collector === undefined) continue;
      fleet
        .offer(collector)
        .then((config) => {
          // Told with an answer already: it would apply it twice.
          if (config === undefined || config.hash === state.offered) return;
          state.offered = config.hash;
          const bytes = writeServerMessage({ uid: collector.instanceUid, config });
          socket.send(Buffer.concat([Buffer.of(0), bytes]));
        })
        .catch((error: unknown) => logger.error({ err: error }, 'a configuration could not be offered'));
    }
  });
  const pinging = setInterval(() => {
    for (const [socket, state] of open) {
      if (!state.isAlive) socket.terminate();
      else socket.ping();
      state.isAlive = false;
    }
  }, PING_MS);
  pinging.unref();

  const endpoint: Endpoint = {
    id: 'opamp',
    owns: (path) => path === PATH,
    async serve(request: IncomingMessage, response: ServerResponse) {
      if (request.method !== 'POST') throw fail('not_found', { what: 'The page' });
      const context = await admit(request);
      if (header(request, 'content-type') !== TYPE)
        throw fail('unsupported_media', { detail: `Send ${TYPE}.` });
      const { answer: bytes } = await answer(context, await bodyOf(request));
      response.writeHead(200, { 'content-type': TYPE, 'content-length': bytes.length });
      response.end(bytes);
    },
  };
  const sockets: SocketEndpoint = {
    owns: (path) => path === PATH,
    close() {
      for (const socket of open.keys()) socket.close(1_001, 'stopping');
      setTimeout(() => {
        for (const socket of open.keys()) socket.terminate();
      }, CLOSE_MS).unref();
    },
    async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
      try {
        await admit(request);
        if (open.size >= MAX_SOCKETS)
          throw fail('overloaded', { detail: 'Too many collectors are connected.' });
      } catch (thrown) {
        const { status, body } = errorAnswer(thrown, PATH);
        socket.end(
          `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${String(body)}`,
        );
        return;
      }
      server.handleUpgrade(request, socket, head, (made) => serve(made, request));
    },
  };
  return {
    endpoint,
    sockets,
    stop(): void {
      stopListening();
      clearInterval(pinging);
      for (const socket of open.keys()) socket.terminate();
      server.close();
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const limit = FLEET_LIMITS.messageBytes;
  const parts: Buffer[] = [];
  let size = 0;
  await receive(request, (chunk) => {
    size += chunk.length;
    if (size > limit) throw fail('too_large', { limit });
    parts.push(chunk);
  });
  const bytes = Buffer.concat(parts);
  const encoding = header(request, 'content-encoding') ?? 'identity';
  if (encoding === 'identity') return bytes;
  if (encoding !== 'gzip') throw fail('unsupported_media', { detail: 'Send it plain or with gzip.' });
  try {
    return await unpack(bytes, { maxOutputLength: limit });
  } catch (cause) {
    throw fail('too_large', { limit }, { cause });
  }
}
