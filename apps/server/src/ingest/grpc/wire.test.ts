import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeGrpcMessage, frameMessage, messageEncoding, readPrefix } from './wire.ts';

describe('gRPC wire', () => {
  it('grpc-message is printable ASCII and comes back by percent-decoding', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const encoded = encodeGrpcMessage(text);
        expect(encoded).toMatch(/^[\x20-\x7e]*$/);
        expect(decodeURIComponent(encoded)).toBe(text.toWellFormed());
      }),
    );
  });

  it('a framed message is read back', () => {
    const frame = frameMessage(Buffer.from('hello'));
    expect(readPrefix(frame, 10)).toEqual({ compressed: false, length: 5 });
    expect(() => readPrefix(frame, 4)).toThrowError(expect.objectContaining({ code: 'too_large' }));
    frame[0] = 2;
    expect(() => readPrefix(frame, 10)).toThrowError(expect.objectContaining({ code: 'undecodable' }));
  });

  it('knows its encodings', () => {
    expect(messageEncoding(undefined)).toBe('identity');
    expect(messageEncoding('GZIP')).toBe('gzip');
    expect(messageEncoding('snappy')).toBeUndefined();
    expect(messageEncoding('__proto__')).toBeUndefined();
  });
});
