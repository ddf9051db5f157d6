import { once } from 'node:events';
import { type Agent, type IncomingHttpHeaders, request } from 'node:http';
import { type ClientSessionOptions, connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';

export const PROTOBUF = 'application/x-protobuf';
export const JSON_TYPE = 'application/json';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface PostOptions {
  readonly path?: string;
  readonly method?: string;
  readonly type?: string | undefined;
  readonly encoding?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly agent?: Agent;
  /** Sent in pieces of this size, without Content-Length. */
  readonly chunked?: number;
}

/** One OTLP request over HTTP. */
export async function post(
  port: number,
  body: Uint8Array | string,
  options: PostOptions = {},
): Promise<Reply> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const type = 'type' in options ? options.type : PROTOBUF;
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path: options.path ?? '/v1/traces',
    method: options.method ?? 'POST',
    agent: options.agent,
    headers: {
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(options.encoding === undefined ? {} : { 'content-encoding': options.encoding }),
      ...(options.chunked === undefined
        ? { 'content-length': bytes.byteLength }
        : { 'transfer-encoding': 'chunked' }),
      ...options.headers,
    },
  });
  const answered = once(outgoing, 'response');
  // A refusal may close the socket while the rest is still being written.
  outgoing.on('error', () => {});
  if (options.chunked === undefined) outgoing.end(bytes);
  else {
    for (let at = 0; at < bytes.byteLength; at += options.chunked) {
      outgoing.write(bytes.subarray(at, at + options.chunked));
    }
    outgoing.end();
  }
  const [response] = await answered;
  const reply = { status: response.statusCode, headers: response.headers, body: Buffer.alloc(0) };
  reply.body = await buffer(response);
  return reply;
}

/** Writes raw bytes and gives back everything until the peer closes. */
export async function raw(
  port: number,
  text: string | readonly (string | Buffer)[],
  waitMs = 5_000,
): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.on('close', resolve));
  for (const part of typeof text === 'string' ? [text] : text) socket.write(part);
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, waitMs).unref())]);
  socket.destroy();
  return received;
}

export interface GrpcReply {
  /** HTTP status. */
  readonly status: number;
  /** `grpc-status`, or undefined when none came. */
  readonly code: number | undefined;
  readonly message: string;
  /** The `google.rpc.Status` of `grpc-status-details-bin`. */
  readonly details: Buffer | undefined;
  readonly headers: Record<string, unknown>;
  /** The response message without its prefix. */
  readonly body: Buffer;
}

/** Lets a header be repeated, as not every sender is strict about it. Node has the option, its types do not know it. */
const LENIENT: ClientSessionOptions & { readonly strictSingleValueFields: boolean } = {
  strictSingleValueFields: false,
};

export const TRACE_METHOD = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

/** One raw gRPC call on a connection of its own, for what a well-behaved client cannot be made to send. */
export async function grpcRaw(
  port: number,
  frame: Uint8Array,
  options: { path?: string; headers?: Record<string, string | string[]> } = {},
): Promise<GrpcReply> {
  const session = connectHttp2(`http://127.0.0.1:${port}`, LENIENT);
  session.on('error', () => {});
  try {
    const stream = session.request({
      ':method': 'POST',
      ':path': options.path ?? TRACE_METHOD,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...options.headers,
    });
    stream.on('error', () => {});
    let headers: Record<string, unknown> = {};
    let trailers: Record<string, unknown> = {};
    stream.on('response', (given) => {
      headers = { ...given };
    });
    stream.on('trailers', (given) => {
      trailers = { ...given };
    });
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.end(frame);
    await once(stream, 'close');
    const all = { ...headers, ...trailers };
    const detail = all['grpc-status-details-bin'];
    return {
      status: Number(headers[':status'] ?? 0),
      code: all['grpc-status'] === undefined ? undefined : Number(all['grpc-status']),
      message: decodeURIComponent(String(all['grpc-message'] ?? '')),
      details: typeof detail === 'string' ? Buffer.from(detail, 'base64') : undefined,
      headers: all,
      body: Buffer.concat(chunks).subarray(5),
    };
  } finally {
    session.destroy();
  }
}

/** A gRPC message with its prefix. */
export function grpcFrame(message: Uint8Array, compressed = false): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(compressed ? 1 : 0, 0);
  prefix.writeUInt32BE(message.byteLength, 1);
  return Buffer.concat([prefix, message]);
}
