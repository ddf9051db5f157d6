import type { IncomingMessage } from 'node:http';
import { receive } from '../../http/receive.ts';
import type { Acceptor } from '../accept.ts';
import { Gatherer } from '../gatherer.ts';
import { tooLarge } from '../too-large.ts';

/**
 * Reads the whole body into one buffer of its own. Rejects as soon as it exceeds `maxBytes`, whatever
 * `Content-Length` said. The bytes are taken from the acceptor's budget; the caller gives back `body.byteLength`.
 * @throws too_large, overloaded, bad_request (the sender went away)
 */
export async function readBody(
  request: IncomingMessage,
  acceptor: Acceptor,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const gatherer = new Gatherer(Number(request.headers['content-length'] ?? 0));
  let bytes = 0;
  try {
    await receive(request, (chunk) => {
      if (bytes + chunk.byteLength > maxBytes) throw tooLarge(maxBytes);
      acceptor.reserve(chunk.byteLength);
      bytes += chunk.byteLength;
      gatherer.add(chunk);
    });
  } catch (thrown) {
    acceptor.release(bytes);
    throw thrown;
  }
  return gatherer.finish();
}
