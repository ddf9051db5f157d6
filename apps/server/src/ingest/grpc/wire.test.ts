import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeGrpcMessage, frameMessage, messageEncoding, readPrefix, readTimeout } from './wire.ts';

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

  it.each([
    ['10S', 10_000],
    ['99999999m', 99_999_999],
    ['0n', 0],
    ['2H', 7_200_000],
    [undefined, undefined],
  ])('reads the timeout %s', (header, ms) => {
    expect(readTimeout(header)).toBe(ms);
  });

  it.each(['', 'S', '10', '10s', '-1S', '1.5S', '123456789S', '1S ', 'infinite', '__proto__'])(
    'refuses the timeout "%s"',
    (header) => {
      expect(() => readTimeout(header)).toThrowError(expect.objectContaining({ code: 'bad_request' }));
    },
  );

  it('knows its encodings', () => {
    expect(messageEncoding(undefined)).toBe('identity');
    expect(messageEncoding('GZIP')).toBe('gzip');
    expect(messageEncoding('snappy')).toBeUndefined();
    expect(messageEncoding('__proto__')).toBeUndefined();
  });
});
