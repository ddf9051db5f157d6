import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fail } from '@candela/kernel';

/**
 * Writes the body of a request to a new file that only this user reads, and returns its bytes. Nothing of it is left when that fails.
 * @throws too_large, bad_request the sender went away, unsupported_media
 */
export async function saveUpload(request: IncomingMessage, path: string, limit: number): Promise<number> {
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw fail('unsupported_media', { detail: 'Send the file without a content encoding.' });
  if (Number(request.headers['content-length'] ?? 0) > limit) throw fail('too_large', { limit });
  let size = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _, done) {
      size += chunk.length;
      done(size > limit ? fail('too_large', { limit }) : null, chunk);
    },
  });
  try {
    await pipeline(request, counted, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  } catch (thrown) {
    await rm(path, { force: true });
    throw request.readableAborted
      ? fail('bad_request', { detail: 'The connection ended inside the file.' })
      : thrown;
  }
  return size;
}
