import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFrame, type FrameInput, frameLength, scanFrames } from './frame.ts';

const block = fc.record({
  table: fc.constantFrom('otel_traces', 'otel_logs', 'otel_metrics_exponential_histogram'),
  rows: fc.nat(1_000_000),
  bytes: fc.uint8Array({ minLength: 0, maxLength: 200 }),
});
const frame = fc.record({
  seq: fc.integer({ min: 1, max: 2 ** 47 }),
  stored: fc.integer({ min: 0, max: 2 ** 47 }),
  timeMs: fc.integer({ min: 0, max: 4e12 }),
  requestHash: fc.uint8Array({ minLength: 16, maxLength: 16 }),
  tenant: fc.string({ maxLength: 40, unit: 'grapheme' }),
  blocks: fc.array(block, { minLength: 1, maxLength: 4 }),
});

function write(frames: readonly FrameInput[]): { bytes: Buffer; ends: number[] } {
  const parts: Uint8Array[] = [];
  const ends: number[] = [];
  let end = 0;
  for (const input of frames) {
    const { buffers, length } = encodeFrame(input);
    expect(length).toBe(frameLength(input.tenant, input.blocks));
    parts.push(...buffers);
    end += length;
    ends.push(end);
  }
  return { bytes: Buffer.concat(parts), ends };
}

/** What a scan found, in the shape of what was written. */
function read(bytes: Buffer): { frames: FrameInput[]; cleanEnd: number; damaged: number } {
  const scan = scanFrames(bytes, 0);
  return {
    cleanEnd: scan.cleanEnd,
    damaged: scan.damaged.length,
    frames: scan.frames.map(({ seq, stored, timeMs, requestHash, tenant, blocks }) => ({
      seq,
      stored,
      timeMs,
      requestHash,
      tenant,
      blocks: blocks.map(({ table, rows, offset, length }) => ({
        table,
        rows,
        bytes: new Uint8Array(bytes.subarray(offset, offset + length)),
      })),
    })),
  };
}

describe('frames', () => {
  it('come back as they were written', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 6 }), (frames) => {
        const { bytes } = write(frames);
        expect(read(bytes)).toEqual({ frames, cleanEnd: bytes.length, damaged: 0 });
      }),
    );
  });

  it('torn at any byte: every frame that ended before is whole, the torn one is gone', () => {
    fc.assert(
      fc.property(fc.array(frame, { minLength: 1, maxLength: 3 }), (frames) => {
        const { bytes, ends } = write(frames);
        for (let cut = 0; cut < bytes.length; cut += 1) {
          const whole = ends.filter((end) => end <= cut).length;
          const found = read(bytes.subarray(0, cut));
          expect(found.frames).toEqual(frames.slice(0, whole));
          expect(found.cleanEnd).toBe(ends[whole - 1] ?? 0);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('any flipped byte costs only the frame it lies in', () => {
    fc.assert(
      fc.property(
        fc.array(frame, { minLength: 1, maxLength: 4 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (frames, where, mask) => {
          const { bytes, ends } = write(frames);
          const at = where % bytes.length;
          bytes[at] = (bytes[at] ?? 0) ^ mask;
          const hit = ends.findIndex((end) => at < end);
          expect(read(bytes).frames).toEqual(frames.filter((_, index) => index !== hit));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('random bytes are no frames', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
        expect(scanFrames(Buffer.from(bytes), 0).frames).toEqual([]);
      }),
    );
  });
});
