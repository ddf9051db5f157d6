import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline, Readable, Transform } from 'node:stream';
import { guardedLookup, isRefusedAddress, RefusedAddressError } from '@candela/telemetry-store';
import { isPrivateAddress, publicLookup } from './private-address.ts';

const MAX_HEADER_BYTES = 65_536;

/** The answer is longer than it may be. */
export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError';
}

/**
 * `fetch` as the SDKs of vendors use it, for addresses that people chose: what a name leads to is looked at with every
 * connection, a redirect is an answer and never followed (the key would go along), and an answer has a bound. It reads
 * no proxy and no certificate from the environment of the process.
 */
export function guardedFetch(limits: {
  readonly maxBytes: number;
  /** Also refuses this machine and private networks. */
  readonly publicOnly?: boolean;
}): typeof globalThis.fetch {
  const isRefused = limits.publicOnly === true ? isPrivateAddress : isRefusedAddress;
  const lookup = limits.publicOnly === true ? publicLookup : guardedLookup;
  return async (input, init) => {
    const given = new Request(input, init);
    const url = new URL(given.url);
    // An address in digits is connected to as it is, without being resolved.
    if (isRefused(url.hostname)) throw new RefusedAddressError(`${url.hostname} is refused`);
    const body = given.body === null ? undefined : Buffer.from(await given.arrayBuffer());
    const headers: Record<string, string> = {
      ...Object.fromEntries(given.headers),
      'accept-encoding': 'identity',
    };
    if (body !== undefined) headers['content-length'] = String(body.length);
    const answer = await send(url, { method: given.method, headers, body, signal: given.signal, lookup });
    const status = answer.statusCode ?? 502;
    const hasBody = status !== 204 && status !== 205 && status !== 304;
    return new Response(hasBody ? bounded(answer, limits.maxBytes) : null, {
      status,
      headers: headersOf(answer),
    });
  };
}

function send(
  url: URL,
  options: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body: Buffer | undefined;
    readonly signal: AbortSignal;
    readonly lookup: LookupFunction;
  },
): Promise<IncomingMessage> {
  const { method, headers, body, signal, lookup } = options;
  const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = start(
      url,
      // No agent: a connection that a vendor closed meanwhile would fail the next call.
      { method, headers, signal, agent: false, lookup, maxHeaderSize: MAX_HEADER_BYTES },
      resolve,
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** The body as a stream that fails when it is cut or too long; ending it early closes the connection. */
function bounded(answer: IncomingMessage, maxBytes: number): ReadableStream<Uint8Array> {
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(bytes > maxBytes ? new AnswerTooLongError('The answer is too long.') : null, chunk);
    },
  });
  // Whichever of the two ends early takes the other along; what failed is told by the stream that is read.
  pipeline(answer, count, () => undefined);
  return Readable.toWeb(count) as ReadableStream<Uint8Array>;
}

function headersOf(answer: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(answer.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return headers;
}
