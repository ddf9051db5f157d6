/** An OTLP receiver that only remembers: HTTP on any path, and gRPC. For seeing what a client really sends. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttp2Server, type Http2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { gunzipSync } from 'node:zlib';

export interface RecordedRequest {
  readonly transport: 'http' | 'grpc';
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: 'traces' | 'logs' | 'metrics' | 'unknown';
  readonly format: 'json' | 'protobuf' | 'none';
  /** Decompressed, and without gRPC's frame. */
  readonly body: Buffer;
}

export interface OtlpRecorder {
  readonly http: string;
  /** `host:port`. */
  readonly grpc: string;
  readonly requests: readonly RecordedRequest[];
  close(): Promise<void>;
}

export async function startOtlpRecorder(): Promise<OtlpRecorder> {
  const requests: RecordedRequest[] = [];
  const http = createServer((request, response) => {
    void receiveHttp(request, response, requests);
  });
  const grpc = createHttp2Server();
  const sessions = new Set<Http2Session>();
  grpc.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  grpc.on('stream', (stream: ServerHttp2Stream, headers) => {
    void receiveGrpc(stream, headers, requests);
  });
  const [httpPort, grpcPort] = await Promise.all([listen(http), listen(grpc)]);
  return {
    http: `http://127.0.0.1:${httpPort}`,
    grpc: `127.0.0.1:${grpcPort}`,
    requests,
    close: async () => {
      http.closeAllConnections();
      for (const session of sessions) session.destroy();
      await Promise.all([http, grpc].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await new Promise((resolve, reject) => {
    server.once('listening', resolve).once('error', reject);
  });
  return (server.address() as AddressInfo).port;
}

async function receiveHttp(
  request: IncomingMessage,
  response: ServerResponse,
  requests: RecordedRequest[],
): Promise<void> {
  const raw = await bytesOf(request);
  const headers = flat(request.headers);
  const type = headers['content-type'] ?? '';
  const json = type.includes('json');
  requests.push({
    transport: 'http',
    method: request.method ?? '',
    path: request.url ?? '',
    headers,
    signal: signalOf(request.url ?? ''),
    format: raw.length === 0 ? 'none' : json ? 'json' : 'protobuf',
    body: headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw,
  });
  response.writeHead(200, { 'content-type': json ? 'application/json' : 'application/x-protobuf' });
  response.end(json ? '{}' : '');
}

async function receiveGrpc(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  requests: RecordedRequest[],
): Promise<void> {
  const raw = await bytesOf(stream);
  const path = String(Reflect.get(headers, ':path') ?? '');
  // Frame: one byte for compression, four for the length.
  const message = raw.subarray(5, 5 + raw.readUInt32BE(1));
  requests.push({
    transport: 'grpc',
    method: 'POST',
    path,
    headers: flat(headers),
    signal: signalOf(path),
    format: 'protobuf',
    body: raw[0] === 1 ? gunzipSync(message) : message,
  });
  stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => {
    stream.sendTrailers({ 'grpc-status': '0' });
  });
  stream.end(Buffer.alloc(5));
}

async function bytesOf(source: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

function signalOf(path: string): RecordedRequest['signal'] {
  const lower = path.toLowerCase();
  if (lower.includes('trace')) return 'traces';
  if (lower.includes('metric')) return 'metrics';
  return lower.includes('log') ? 'logs' : 'unknown';
}

const flat = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
