import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContentEncoding } from '../types.ts';
import { inflate } from './inflate.ts';

const ENCODERS: [ContentEncoding, (bytes: Uint8Array) => Uint8Array][] = [
  ['identity', (bytes) => bytes],
  ['gzip', (bytes) => gzipSync(bytes)],
  ['deflate', (bytes) => deflateSync(bytes)],
  ['deflate', (bytes) => deflateRawSync(bytes)],
  ['zstd', (bytes) => zstdCompressSync(bytes)],
];

describe.each(ENCODERS)('inflate %s', (encoding, compress) => {
  it('gives the plain bytes back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 5_000 }), (bytes) => {
        expect(Buffer.from(inflate(compress(bytes), encoding, 5_000))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it('takes exactly the limit and refuses one byte more', () => {
    expect(inflate(compress(Buffer.alloc(10_000, 1)), encoding, 10_000).byteLength).toBe(10_000);
    expect(() => inflate(compress(Buffer.alloc(10_001, 1)), encoding, 10_000)).toThrowError(
      expect.objectContaining({ code: 'too_large' }),
    );
  });

  it('an empty body is empty', () => {
    expect(inflate(new Uint8Array(0), encoding, 10).byteLength).toBe(0);
  });

  it('damage is a typed error, never anything else', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 20, maxLength: 300 }),
        fc.nat(),
        fc.nat(255),
        (bytes, where, value) => {
          const damaged = Buffer.from(compress(bytes));
          damaged[where % damaged.length] = value;
          try {
            inflate(damaged.subarray(0, 1 + (where % damaged.length)), encoding, 1_000_000);
          } catch (thrown) {
            expect(['undecodable', 'too_large']).toContain((thrown as { code?: string }).code);
          }
        },
      ),
    );
  });
});
