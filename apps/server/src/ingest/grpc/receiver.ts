import { once } from 'node:events';
import {
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import {
  asCandelaError,
  type CandelaError,
  fail,
  type Logger,
  newRequestId,
  type Signal,
} from '@candela/kernel';
import { encodeExportResponse, encodeStatus, exportFailure, GRPC } from '@candela/otlp';
import type { Identity } from '../../features/identity/service.ts';
import { header } from '../../http/header.ts';
import type { Acceptor } from '../accept.ts';
import type { IngestStats } from '../stats/stats.ts';
import type { IngestMetrics } from '../metrics.ts';
import type { Acceptance, Caller } from '../types.ts';
import { readMessage } from './message.ts';
import {
  ACCEPTED_ENCODINGS,
  encodeGrpcMessage,
  frameMessage,
  messageEncoding,
  METHODS,
  readTimeout,
} from './wire.ts';

export interface GrpcReceiverParts {
  readonly acceptor: Acceptor;
  readonly identity: Pick<Identity, 'authenticate'>;
  readonly metrics: IngestMetrics;
  readonly stats: IngestStats;
  readonly logger: Logger;
  readonly maxBytes: number;
  /** Time a call may take, message included, milliseconds. */
  readonly callMs: number;
}

const MAX_CONNECTIONS = 4_096;
const MAX_STREAMS = 256;
const MAX_HEADER_BYTES = 32 * 1024;
const WINDOW_BYTES = 1024 * 1024;
/** A connection that has made no call by then is closed. */
const FIRST_CALL_MS = 15_000;
const IDLE_MS = 15 * 60_000;
const DISCARD_BYTES = 1024 * 1024;
const DISCARD_MS = 2_000;

/**
 * OTLP over gRPC, directly on HTTP/2: three unary methods need no more, and so credentials are checked before a
 * message is read, compressed messages are inflated by the workers, and every buffer is inside the budget.
 */
export class GrpcReceiver {
  readonly #parts: GrpcReceiverParts;
  readonly #sessions = new Set<ServerHttp2Session>();
  #server: Http2Server | undefined;

  constructor(parts: GrpcReceiverParts) {
    this.#parts = parts;
  }

  async start(host: string, port: number): Promise<number> {
    const server = createServer({
      maxSessionMemory: 64,
      maxHeaderListPairs: 256,
      settings: {
        maxConcurrentStreams: MAX_STREAMS,
        initialWindowSize: WINDOW_BYTES,
        maxHeaderListSize: MAX_HEADER_BYTES,
      },
    });
    server.maxConnections = MAX_CONNECTIONS;
    server.on('session', (session) => this.#hold(session));
    server.on(
      'stream',
      (
        stream: ServerHttp2Stream,
        headers: IncomingHttpHeaders,
        _flags: number,
        rawHeaders: readonly string[],
      ) => void this.#serve(stream, headers, rawHeaders),
    );
    // Broken peers are their own problem; the session is gone already.
    server.on('sessionError', () => {});
    server.listen(port, host);
    await once(server, 'listening');
    this.#server = server;
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  }

  /** Stops listening, tells the peers to go, and cuts whoever is left after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = once(server, 'close');
    server.close();
    for (const session of this.#sessions) session.close();
    const timer = setTimeout(() => {
      for (const session of this.#sessions) session.destroy();
    }, graceMs);
    await closed;
    clearTimeout(timer);
  }

  #hold(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    session.setLocalWindowSize(4 * WINDOW_BYTES);
    session.setTimeout(FIRST_CALL_MS, () => session.destroy());
    session.once('stream', () => session.setTimeout(IDLE_MS));
    session.on('error', () => {});
    session.on('close', () => this.#sessions.delete(session));
  }

  async #serve(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    rawHeaders: readonly string[],
  ): Promise<void> {
    stream.on('error', () => {});
    const contentType = String(headers['content-type'] ?? '');
    if (headers[':method'] !== 'POST' || !/^application\/grpc(\+proto|;|$)/i.test(contentType)) {
      refuseHttp(stream, headers[':method'] === 'POST' ? 415 : 405);
      return;
    }
    const startedAt = performance.now();
    const signal = METHODS.get(String(headers[':path'] ?? ''));
    const caller: Caller = {
      receiver: 'grpc',
      signal: signal ?? 'unknown',
      format: 'protobuf',
      userAgent: headers['user-agent'],
      context: undefined,
    };
    const leave = this.#parts.acceptor.enter();
    // From the start, not from the last byte, and until the answer is taken: a sender that trickles, or has no room for
    // an answer, must not hold its memory for ever.
    const tooLong = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), this.#parts.callMs);
    stream.once('close', () => clearTimeout(tooLong));
    let code: number = GRPC.ok;
    try {
      if (signal === undefined)
        throw fail('method_not_allowed', { method: 'This method', allowed: 'OTLP Export' });
      readTimeout(headers['grpc-timeout'] as string | undefined);
      const acceptance = await this.#accept(signal, caller, stream, { headers, rawHeaders });
      const { rejected, message } = acceptance;
      succeed(stream, encodeExportResponse(signal, 'protobuf', { rejected, message }));
    } catch (thrown) {
      const error = this.#translate(thrown);
      code = exportFailure(error).grpcCode;
      this.#parts.metrics.refused('grpc', signal ?? 'unknown', error.code);
      this.#parts.stats.refused(caller, error.code, error.message);
      refuse(stream, error);
    } finally {
      leave();
      const seconds = (performance.now() - startedAt) / 1_000;
      this.#parts.metrics.request('grpc', signal ?? 'unknown', String(code), seconds);
    }
  }

  async #accept(
    signal: Signal,
    caller: Caller,
    stream: ServerHttp2Stream,
    {
      headers,
      rawHeaders,
    }: { readonly headers: IncomingHttpHeaders; readonly rawHeaders: readonly string[] },
  ): Promise<Acceptance> {
    const { acceptor, identity, maxBytes } = this.#parts;
    const context = await identity.authenticate({
      // As they came: Node's table keeps the first of two credentials and drops the other.
      headers: (name) => header({ rawHeaders }, name),
      remoteAddress: stream.session?.socket.remoteAddress ?? '',
      endpoint: 'otlp',
      requestId: newRequestId(),
    });
    caller.context = context;
    if (!context.scopes.has('ingest')) {
      throw fail('forbidden', {
        detail: 'This API key may not send telemetry: it lacks the scope "ingest".',
      });
    }
    const announced = messageEncoding(headers['grpc-encoding'] as string | undefined);
    if (announced === undefined) {
      throw fail('method_not_allowed', { method: 'This grpc-encoding', allowed: ACCEPTED_ENCODINGS });
    }
    acceptor.assertOpen();
    const { compressed, body } = await readMessage(stream, acceptor, maxBytes);
    const reserved = body.byteLength;
    try {
      if (compressed && announced === 'identity') {
        throw fail('undecodable', {
          format: 'gRPC',
          detail: 'the message says that it is compressed, and grpc-encoding does not say how',
        });
      }
      const encoding = compressed ? announced : 'identity';
      return await acceptor.accept({
        caller,
        receiver: 'grpc',
        signal,
        format: 'protobuf',
        encoding,
        body,
        context,
      });
    } finally {
      acceptor.release(reserved);
    }
  }

  #translate(thrown: unknown): CandelaError {
    const error = asCandelaError(thrown);
    if (error.code === 'internal') {
      this.#parts.logger.error({ err: error.cause ?? error }, 'a gRPC export failed unexpectedly');
    }
    return error;
  }
}

function succeed(stream: ServerHttp2Stream, message: Uint8Array): void {
  if (stream.destroyed || stream.headersSent) return;
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc', 'grpc-accept-encoding': ACCEPTED_ENCODINGS },
    { waitForTrailers: true },
  );
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(frameMessage(message));
}

function refuse(stream: ServerHttp2Stream, error: CandelaError): void {
  if (stream.destroyed || stream.headersSent) return;
  const code = exportFailure(error).grpcCode;
  const retry = error.retryAfterSeconds;
  const details = encodeStatus('protobuf', {
    code,
    message: error.message,
    ...(retry === undefined ? {} : { retryDelaySeconds: retry }),
  });
  const headers: OutgoingHttpHeaders = {
    ':status': 200,
    'content-type': 'application/grpc',
    'grpc-accept-encoding': ACCEPTED_ENCODINGS,
    'grpc-status': String(code),
    'grpc-message': encodeGrpcMessage(error.message),
    'grpc-status-details-bin': Buffer.from(details).toString('base64'),
    'x-platform-error-code': error.code,
  };
  stream.respond(headers, { endStream: true });
  stopReading(stream);
}

function refuseHttp(stream: ServerHttp2Stream, status: number): void {
  if (stream.destroyed) return;
  stream.respond({ ':status': status, ...(status === 405 ? { allow: 'POST' } : {}) }, { endStream: true });
  stopReading(stream);
}

/** The answer is complete: a small rest of the message is read and thrown away, a large or slow one is cut off. */
function stopReading(stream: ServerHttp2Stream): void {
  if (stream.readableEnded || stream.destroyed) return;
  let left = DISCARD_BYTES;
  const cut = (): void => stream.close(constants.NGHTTP2_NO_ERROR);
  const tooLong = setTimeout(cut, DISCARD_MS);
  tooLong.unref();
  stream.on('close', () => clearTimeout(tooLong));
  stream.on('data', (chunk: Buffer) => {
    left -= chunk.byteLength;
    if (left < 0) cut();
  });
  stream.resume();
}
