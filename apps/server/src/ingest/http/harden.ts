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
  /** Node would answer with an empty body: {@link refuseHostless} says what is missing. */
  requireHostHeader: false,
} as const;

const MAX_CONNECTIONS = 8_192;
/** How long a client may take nothing of an answer, where nobody says. */
const STALL_MS = 60_000;

/** The answer that a connection is busy with. Node looks there before it answers broken HTTP, and tells it nowhere else. */
type Busy = Socket & { readonly _httpMessage?: ServerResponse | null };

interface Refusal {
  readonly status: number;
  readonly phrase: string;
  readonly code: string;
  readonly sentence: string;
}

const BROKEN: Refusal = {
  status: 400,
  phrase: 'Bad Request',
  code: 'bad_request',
  sentence: 'This is no valid HTTP/1.1 request.',
};
const REFUSALS = new Map<string | undefined, Refusal>([
  [
    'HPE_HEADER_OVERFLOW',
    {
      status: 431,
      phrase: 'Request Header Fields Too Large',
      code: 'headers_too_large',
      sentence: 'Address and headers of a request have 32 KiB in all. Send fewer or shorter ones.',
    },
  ],
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    {
      status: 408,
      phrase: 'Request Timeout',
      code: 'bad_request',
      sentence: 'The request did not come in time: headers have 10 seconds, the whole request has 60.',
    },
  ],
]);

/**
 * What is told before anybody knows whom a request is for: `err` for callers of the API, the rest is the `Status` that
 * senders of OTLP read. Each ignores what is the other's.
 */
const refusalBody = (sentence: string): Buffer =>
  Buffer.from(
    JSON.stringify({
      err: sentence,
      ...(JSON.parse(
        Buffer.from(encodeStatus('json', { code: GRPC.invalidArgument, message: sentence })).toString(),
      ) as object),
    }),
  );

function refuseWhole(response: ServerResponse, status: number, sentence: string): void {
  const body = refusalBody(sentence);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': body.byteLength,
    'cache-control': 'no-store',
    'x-platform-error-code': 'bad_request',
    connection: 'close',
  });
  response.end(body);
}

/** Answers a request that names no host, which HTTP/1.1 asks for; false when it names one. */
export function refuseHostless(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.headers.host !== undefined || request.httpVersion !== '1.1') return false;
  refuseWhole(response, 400, 'Send a Host header.');
  return true;
}

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
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) =>
    refuseWhole(response, 417, 'Of "Expect" only 100-continue is known.'),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const answer = (socket as Busy)._httpMessage;
    // In the middle of an answer another one would be taken for a part of it.
    const amid = answer?.headersSent === true && !answer.writableEnded;
    if (!socket.writable || amid || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const { status, phrase, code, sentence } = REFUSALS.get(error.code) ?? BROKEN;
    const body = refusalBody(sentence);
    socket.end(
      `HTTP/1.1 ${status} ${phrase}\r\nconnection: close\r\ncontent-type: application/json\r\n` +
        `cache-control: no-store\r\nx-platform-error-code: ${code}\r\ncontent-length: ${body.byteLength}\r\n\r\n${body.toString()}`,
    );
    // A sender that goes on writing must not hold the socket.
    setTimeout(() => socket.destroy(), 1_000).unref();
  });
}
