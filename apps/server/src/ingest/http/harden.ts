import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { encodeStatus, GRPC } from '@candela/otlp';

/** Constructor options of a node:http server that faces strangers. */
export const HTTP_SERVER_OPTIONS = {
  maxHeaderSize: 32 * 1024,
  /** Time from the first byte (or the connection) to the last header. */
  headersTimeout: 10_000,
  /** Time for the whole request, body included. */
  requestTimeout: 60_000,
  /** Longer than the usual export interval, so that exporters find their connection alive. */
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 1_000,
  noDelay: true,
} as const;

const MAX_CONNECTIONS = 8_192;
/** How long a client may take nothing of an answer, where nobody says. */
const STALL_MS = 60_000;

/** The answer that a connection is busy with. Node looks there before it answers broken HTTP, and tells it nowhere else. */
type Busy = Socket & { readonly _httpMessage?: ServerResponse | null };

const STATUS_OF: Readonly<Record<string, readonly [number, string, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'headers_too_large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'bad_request'],
};

/**
 * Bounds connections, the time they wait for somebody to take an answer too, and answers broken HTTP with a proper
 * status instead of a bare close. @param stallMs how long a client may take nothing of an answer
 */
export function hardenHttpServer(server: Server, stallMs = STALL_MS): void {
  server.maxConnections = MAX_CONNECTIONS;
  // Nothing bounds the time of an answer otherwise: who takes none of it would hold it, and its connection, for ever. Before
  // the others that hear of requests, which may answer at once.
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    response.once('prefinish', () => {
      const { socket } = response;
      if (socket === null || socket.writableLength === 0) return;
      socket.setTimeout(stallMs);
      // Nor is a body kept that nobody will read: in parts of a byte, 64 KiB of it are 30 MB.
      request.resume();
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const answer = (socket as Busy)._httpMessage;
    // In the middle of an answer another one would be taken for a part of it.
    const amid = answer?.headersSent === true && !answer.writableEnded;
    if (!socket.writable || amid || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const [status, phrase, code] = STATUS_OF[error.code ?? ''] ?? [400, 'Bad Request', 'bad_request'];
    const body = Buffer.from(encodeStatus('json', { code: GRPC.invalidArgument, message: phrase }));
    socket.end(
      `HTTP/1.1 ${status} ${phrase}\r\nconnection: close\r\ncontent-type: application/json\r\n` +
        `x-platform-error-code: ${code}\r\ncontent-length: ${body.byteLength}\r\n\r\n${body.toString()}`,
    );
    // A sender that goes on writing must not hold the socket.
    setTimeout(() => socket.destroy(), 1_000).unref();
  });
}
