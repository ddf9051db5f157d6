import type { Server } from 'node:http';
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

const STATUS_OF: Readonly<Record<string, readonly [number, string, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'headers_too_large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'bad_request'],
};

/** Bounds connections and answers broken HTTP with a proper status instead of a bare close. */
export function hardenHttpServer(server: Server): void {
  server.maxConnections = MAX_CONNECTIONS;
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
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
