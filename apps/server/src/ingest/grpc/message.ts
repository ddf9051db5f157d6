import type { ServerHttp2Stream } from 'node:http2';
import { fail } from '@candela/kernel';
import { receive } from '../../http/receive.ts';
import type { Acceptor } from '../accept.ts';
import { Gatherer } from '../gatherer.ts';
import { PREFIX_BYTES, readPrefix } from './wire.ts';

export interface GrpcMessage {
  readonly compressed: boolean;
  /** On its own ArrayBuffer. Its length was taken from the acceptor's budget; the caller gives it back. */
  readonly body: Uint8Array<ArrayBuffer>;
}

/**
 * Reads the single message of a unary call. Stops as soon as the announced or the real length exceeds `maxBytes`.
 * @throws too_large, undecodable, overloaded, bad_request (the sender went away)
 */
export async function readMessage(
  stream: ServerHttp2Stream,
  acceptor: Acceptor,
  maxBytes: number,
): Promise<GrpcMessage> {
  const head = Buffer.alloc(PREFIX_BYTES);
  let headBytes = 0;
  let compressed = false;
  let length = -1;
  let reserved = 0;
  let gatherer: Gatherer | undefined;
  const take = (chunk: Buffer): void => {
    let rest = chunk;
    if (length === -1) {
      const used = Math.min(PREFIX_BYTES - headBytes, rest.byteLength);
      head.set(rest.subarray(0, used), headBytes);
      headBytes += used;
      rest = rest.subarray(used);
      if (headBytes < PREFIX_BYTES) return;
      ({ compressed, length } = readPrefix(head, maxBytes));
    }
    if (rest.byteLength === 0) return;
    if (reserved + rest.byteLength > length) {
      throw fail('undecodable', { format: 'gRPC', detail: 'an Export call carries exactly one message' });
    }
    acceptor.reserve(rest.byteLength);
    reserved += rest.byteLength;
    gatherer ??= new Gatherer(length);
    gatherer.add(rest);
  };
  try {
    await receive(stream, take, 'The call was cancelled inside its message.');
    if (length === -1 || reserved !== length) {
      throw fail('undecodable', { format: 'gRPC', detail: 'the message ends before its announced length' });
    }
  } catch (thrown) {
    acceptor.release(reserved);
    throw thrown;
  }
  return { compressed, body: (gatherer ?? new Gatherer(0)).finish() };
}
