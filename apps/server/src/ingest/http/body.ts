import type { IncomingMessage } from 'node:http';
import { fail } from '@candela/kernel';
import type { Acceptor } from '../accept.ts';
import { Gatherer } from '../gatherer.ts';

/**
 * Reads the whole body into one buffer of its own. Rejects as soon as it exceeds `maxBytes`, whatever
 * `Content-Length` said. The bytes are taken from the acceptor's budget; the caller gives back `body.byteLength`.
 * @throws too_large, overloaded, bad_request (the sender went away)
 */
export function readBody(
  request: IncomingMessage,
  acceptor: Acceptor,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const gatherer = new Gatherer(Number(request.headers['content-length'] ?? 0));
    let bytes = 0;
    const stop = (error: Error): void => {
      request.off('data', onData);
      request.off('end', onEnd);
      request.off('close', onClose);
      acceptor.release(bytes);
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      if (bytes + chunk.byteLength > maxBytes) return stop(fail('too_large', { limit: maxBytes }));
      try {
        acceptor.reserve(chunk.byteLength);
      } catch (thrown) {
        return stop(thrown instanceof Error ? thrown : fail('internal'));
      }
      bytes += chunk.byteLength;
      gatherer.add(chunk);
    };
    const onEnd = (): void => {
      request.off('close', onClose);
      resolve(gatherer.finish());
    };
    const onClose = (): void =>
      stop(fail('bad_request', { detail: 'The connection ended inside the body.' }));
    request.on('data', onData);
    request.on('end', onEnd);
    request.on('close', onClose);
    // The close event follows and settles the promise.
    request.on('error', () => {});
  });
}
