import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  asCandelaError,
  type CandelaError,
  fail,
  type Logger,
  newRequestId,
  type Signal,
} from '@candela/kernel';
import { encodeExportResponse, encodeStatus, exportFailure } from '@candela/otlp';
import type { Identity } from '../../features/identity/service.ts';
import { header } from '../../http/header.ts';
import type { Acceptor } from '../accept.ts';
import type { IngestStats } from '../stats/stats.ts';
import type { IngestMetrics } from '../metrics.ts';
import type { Acceptance, Caller, ContentEncoding, Format } from '../types.ts';
import { readBody } from './body.ts';
import { isJson, isProtobuf, matchReceiver } from './route.ts';
import { tooLarge } from '../too-large.ts';

export interface HttpReceiverParts {
  readonly acceptor: Acceptor;
  readonly identity: Pick<Identity, 'authenticate'>;
  readonly metrics: IngestMetrics;
  readonly stats: IngestStats;
  readonly logger: Logger;
  readonly maxBytes: number;
}

const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
};
const ENCODINGS = new Map<string, ContentEncoding>([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['zstd', 'zstd'],
]);
/** After a refusal the rest of a body is read and thrown away up to here, so that the sender gets to see the answer. */
const DISCARD_BYTES = 1024 * 1024;
const DISCARD_MS = 1_000;

/**
 * Before the receiver is open: answers a request that is for it with `error`, as the receiver would. False when the request is
 * for somebody else.
 */
export function refuseAtReceiver(
  request: IncomingMessage,
  response: ServerResponse,
  error: CandelaError,
): boolean {
  const contentType = request.headers['content-type'];
  if (matchReceiver(request.method ?? 'GET', request.url ?? '/', contentType) === undefined) return false;
  refuse(request, response, newRequestId(), formatOf(contentType), error);
  return true;
}

/** OTLP over HTTP on a raw node server. */
export class HttpReceiver {
  readonly #parts: HttpReceiverParts;

  constructor(parts: HttpReceiverParts) {
    this.#parts = parts;
  }

  /** True when the request was for this receiver; it is then answered here. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const signal = matchReceiver(
      request.method ?? 'GET',
      request.url ?? '/',
      request.headers['content-type'],
    );
    if (signal === undefined) return false;
    void this.#serve(signal, request, response);
    return true;
  }

  async #serve(signal: Signal, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const leave = this.#parts.acceptor.enter();
    const format = formatOf(request.headers['content-type']);
    const requestId = newRequestId();
    const caller: Caller = {
      receiver: 'http',
      signal,
      format,
      userAgent: request.headers['user-agent'],
      context: undefined,
    };
    let status = 200;
    try {
      const acceptance = await this.#accept(signal, caller, requestId, request);
      const closing: Record<string, string> = this.#parts.acceptor.draining ? { connection: 'close' } : {};
      answer(response, requestId, format, 200, exportResponse(signal, format, acceptance), closing);
    } catch (thrown) {
      const error = this.#translate(thrown, requestId);
      status = error.status;
      this.#parts.metrics.refused('http', signal, error.code);
      this.#parts.stats.refused(caller, error.code, error.message);
      refuse(request, response, requestId, format, error);
    } finally {
      leave();
      this.#parts.metrics.request('http', signal, String(status), (performance.now() - startedAt) / 1_000);
    }
  }

  async #accept(
    signal: Signal,
    caller: Caller,
    requestId: string,
    request: IncomingMessage,
  ): Promise<Acceptance> {
    const { acceptor, identity, maxBytes } = this.#parts;
    if (request.method !== 'POST') {
      throw fail('method_not_allowed', { method: request.method ?? '', allowed: 'POST' });
    }
    // Who asks comes first: a stranger learns nothing else.
    const context = await identity.authenticate({
      headers: (name) => header(request, name),
      remoteAddress: request.socket.remoteAddress ?? '',
      endpoint: 'otlp',
      requestId,
    });
    caller.context = context;
    if (!context.scopes.has('ingest')) {
      throw fail('forbidden', {
        detail: 'This API key may not send telemetry: it lacks the scope "ingest".',
      });
    }
    const contentType = request.headers['content-type'];
    if (!isJson(contentType) && !isProtobuf(contentType)) {
      throw fail('unsupported_media', {
        detail: 'Send OTLP as Content-Type application/x-protobuf or application/json.',
      });
    }
    const encoding = parseEncoding(request.headers['content-encoding']);
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
    acceptor.assertOpen();
    const body = await readBody(request, acceptor, maxBytes);
    const reserved = body.byteLength;
    try {
      return await acceptor.accept({
        caller,
        receiver: 'http',
        signal,
        format: caller.format,
        encoding,
        body,
        context,
      });
    } finally {
      acceptor.release(reserved);
    }
  }

  #translate(thrown: unknown, requestId: string): CandelaError {
    const error = asCandelaError(thrown);
    if (error.code !== 'internal') return error;
    this.#parts.logger.error({ err: error.cause ?? error, requestId }, 'an OTLP request failed unexpectedly');
    return error;
  }
}

/** The encoding of an answer: that of the request, or the one a person can read. */
const formatOf = (contentType: string | undefined): Format =>
  isJson(contentType) || !isProtobuf(contentType) ? 'json' : 'protobuf';

function parseEncoding(header: string | undefined): ContentEncoding {
  const names = (header ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  const [only] = names;
  if (only === undefined) return 'identity';
  const encoding = names.length === 1 ? ENCODINGS.get(only) : undefined;
  if (encoding === undefined) {
    throw fail('unsupported_media', {
      detail: 'Send the body with one Content-Encoding of gzip, deflate, zstd or identity.',
    });
  }
  return encoding;
}

function exportResponse(signal: Signal, format: Format, acceptance: Acceptance): Uint8Array {
  const { rejected, message } = acceptance;
  return encodeExportResponse(signal, format, { rejected, message });
}

function answer(
  response: ServerResponse,
  requestId: string,
  format: Format,
  status: number,
  body: Uint8Array,
  headers: Record<string, string> = {},
  ends = true,
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    'content-type': MEDIA_TYPES[format],
    'content-length': body.byteLength,
    'x-request-id': requestId,
    ...headers,
  });
  if (ends) response.end(body);
  else response.write(body);
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  format: Format,
  error: CandelaError,
): void {
  const { grpcCode, retryDelaySeconds: retry } = exportFailure(error);
  const body = encodeStatus(format, {
    code: grpcCode,
    message: error.message,
    ...(retry === undefined ? {} : { retryDelaySeconds: retry }),
  });
  const headers: Record<string, string> = { 'x-platform-error-code': error.code };
  if (retry !== undefined) headers['retry-after'] = String(retry);
  if (error.code === 'method_not_allowed') headers['allow'] = 'POST';
  if (error.status === 401) headers['www-authenticate'] = 'Bearer';
  // Said before: its next request must not go into a connection that is about to be cut.
  const cut = !request.complete && announced(request) > DISCARD_BYTES;
  if (cut || error.code === 'shutting_down') headers['connection'] = 'close';
  answer(response, requestId, format, error.status, body, headers, request.complete);
  if (!request.complete) discard(request, response);
}

/** Length of a body as far as its sender says. */
const announced = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;

/**
 * Lets the sender finish a small rest and read the answer; a large or slow rest costs it the connection. The answer is
 * there as a whole, and ends with the rest: at its end the connection would be closed into the face of who still writes.
 */
function discard(request: IncomingMessage, response: ServerResponse): void {
  let left = DISCARD_BYTES;
  const timer = setTimeout(() => request.socket.destroy(), DISCARD_MS);
  timer.unref();
  request.on('data', (chunk: Buffer) => {
    left -= chunk.byteLength;
    // Not read any more, but still open: a close now would take the answer away from a sender that is still writing.
    if (left < 0) request.pause();
  });
  request.on('end', () => {
    clearTimeout(timer);
    response.end();
  });
  request.on('close', () => clearTimeout(timer));
  request.on('error', () => {});
  request.resume();
}
