import { expect, test } from 'vitest';
import { Gatherer } from './gatherer.ts';

/** `length` bytes that differ, in chunks of `size`, each on its own buffer. */
function chunks(length: number, size: number): Uint8Array[] {
  const whole = Uint8Array.from({ length }, (_, index) => (index * 7) % 251);
  return Array.from({ length: Math.ceil(length / size) }, (_, index) =>
    whole.slice(index * size, (index + 1) * size),
  );
}

test.each([
  ['announced exactly', 300_000],
  ['not announced', 0],
  ['announced too short', 10],
  ['announced too long', 2_000_000],
  ['announced beyond what is set aside at first', 3_000_000],
])('a body %s arrives whole, alone on its buffer', (_name, expected) => {
  const length = expected === 3_000_000 ? expected : 300_000;
  const gatherer = new Gatherer(expected);
  for (const chunk of chunks(length, 65_536)) gatherer.add(chunk);
  const body = gatherer.finish();
  expect(body.byteLength).toBe(length);
  expect(body.buffer.byteLength).toBe(length);
  expect(Buffer.compare(body, Buffer.concat(chunks(length, length)))).toBe(0);
});

test('gives the memory of a whole chunk back, and leaves a part of a larger buffer alone', () => {
  const gatherer = new Gatherer(0);
  const own = new Uint8Array(1_000).fill(1);
  const pooled = new Uint8Array(2_000).fill(2);
  gatherer.add(own);
  gatherer.add(pooled.subarray(500, 1_500));
  expect(own.byteLength).toBe(0);
  expect(pooled.byteLength).toBe(2_000);
  expect(gatherer.finish().byteLength).toBe(2_000);
});

test('an empty body is empty', () => {
  expect(new Gatherer(0).finish().byteLength).toBe(0);
});
