import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HashFile, type SeenHash } from './hash-file.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'candela-hashes-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const NOW = 1_800_000_000_000;
const seen = (...bytes: number[]): SeenHash[] =>
  bytes.map((byte) => ({ requestHash: new Uint8Array(16).fill(byte), timeMs: NOW }));
const read = async () => {
  const { hashes, completeSegments } = await new HashFile(dir, 600_000).read();
  return { hashes: hashes.map(({ requestHash }) => requestHash[0]), segments: [...completeSegments] };
};

it('finds what was written after a record that a full disk cut off', async () => {
  const file = new HashFile(dir, 600_000);
  await file.addSegment(1, seen(1, 2), NOW);
  const path = join(dir, 'hashes.log');
  for (const [segment, torn] of [13, 31, 1].entries()) {
    await appendFile(path, (await readFile(path)).subarray(0, 32 + torn).subarray(32));
    await file.addSegment(segment + 2, seen(segment + 3), NOW);
  }
  expect(await read()).toEqual({ hashes: [1, 2, 3, 4, 5], segments: [1, 2, 3, 4] });
  // Also by a process that begins with it and goes on.
  const next = new HashFile(dir, 600_000);
  await next.read();
  await appendFile(path, Buffer.alloc(7));
  await next.addSegment(9, seen(6), NOW);
  expect(await read()).toEqual({ hashes: [1, 2, 3, 4, 5, 6], segments: [1, 2, 3, 4, 9] });
});
