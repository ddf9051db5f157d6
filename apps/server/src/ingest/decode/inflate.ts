import { constants, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { fail } from '@candela/kernel';
import type { ContentEncoding } from '../types.ts';
import { tooLarge } from '../too-large.ts';

/** Largest zstd window accepted (2^24 = 16 MiB): a header cannot make us allocate more. */
const ZSTD_WINDOW_LOG_MAX = 24;

/**
 * The plain body. Stops as soon as it exceeds `maxBytes`, however small the compressed form is.
 * @throws too_large, undecodable
 */
export function inflate(body: Uint8Array, encoding: ContentEncoding, maxBytes: number): Uint8Array {
  if (encoding === 'identity') {
    if (body.byteLength > maxBytes) throw tooLarge(maxBytes);
    return body;
  }
  // An empty body is empty whatever its label says; some clients label an empty request.
  if (body.byteLength === 0) return body;
  try {
    return decompress(body, encoding, maxBytes);
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    const detail = thrown instanceof Error ? thrown.message : 'the data is damaged';
    throw fail('undecodable', { format: encoding, detail });
  }
}

function decompress(body: Uint8Array, encoding: ContentEncoding, maxOutputLength: number): Uint8Array {
  if (encoding === 'gzip') return gunzipSync(body, { maxOutputLength });
  if (encoding === 'zstd') {
    return zstdDecompressSync(body, {
      maxOutputLength,
      params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX },
    });
  }
  // "deflate" means zlib, but some senders leave the zlib header out.
  const zlibHeader = ((body[0] ?? 0) & 0x0f) === 8 && (((body[0] ?? 0) << 8) | (body[1] ?? 0)) % 31 === 0;
  return zlibHeader ? inflateSync(body, { maxOutputLength }) : inflateRawSync(body, { maxOutputLength });
}
