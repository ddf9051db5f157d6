import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HashFile } from './hash-file.ts';
import { RecentHashes } from './recent-hashes.ts';

const WINDOW = 600_000;
const hash = (n: number): Uint8Array =>
  new Uint8Array(createHash('sha256').update(String(n)).digest().subarray(0, 16));

describe('recent hashes', () => {
  it('remembers every hash for the window and forgets it after', () => {
    const recent = new RecentHashes(WINDOW, 1_000_000);
    const start = 1_800_000_000_000;
    for (let n = 0; n < 20_000; n += 1) recent.add(hash(n), start + n);
    for (let n = 0; n < 20_000; n += 1) expect(recent.has(hash(n), start + WINDOW)).toBe(true);
    expect(recent.has(hash(20_001), start)).toBe(false);
    expect(recent.has(hash(0), start + WINDOW + 2_000)).toBe(false);
  });

  it('never holds more than two generations of its capacity', () => {
    const recent = new RecentHashes(WINDOW, 1_000);
    for (let n = 0; n < 50_000; n += 1) recent.add(hash(n), 1_800_000_000_000);
    expect(recent.size).toBeLessThanOrEqual(2_000);
    expect(recent.has(hash(49_999), 1_800_000_000_000)).toBe(true);
  });

  it('a clock set back a day makes nothing eternal', () => {
    const recent = new RecentHashes(WINDOW, 1_000);
    recent.add(hash(1), 1_800_000_000_000);
    expect(recent.has(hash(1), 1_800_000_000_000 - 86_400_000)).toBe(false);
  });
});

describe('hash file', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'candela-hashes-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  it('survives a torn record and goes on behind it', async () => {
    const now = 1_800_000_000_000;
    const file = new HashFile(dir, WINDOW);
    await file.read();
    await file.addSegment(1, [{ requestHash: hash(1), timeMs: now }], now);
    const path = join(dir, 'hashes.log');
    await writeFile(path, (await readFile(path)).subarray(0, -5));
    const again = new HashFile(dir, WINDOW);
    const first = await again.read();
    expect(first.hashes).toEqual([{ requestHash: hash(1), timeMs: now }]);
    expect(first.completeSegments.has(1)).toBe(false);
    await again.addSegment(2, [{ requestHash: hash(2), timeMs: now }], now);
    const last = await new HashFile(dir, WINDOW).read();
    expect(last.hashes.map((entry) => entry.requestHash)).toEqual([hash(1), hash(2)]);
    expect([...last.completeSegments]).toEqual([2]);
  });

  it('drops hashes older than two windows', async () => {
    const now = 1_800_000_000_000;
    const file = new HashFile(dir, WINDOW);
    for (let n = 0; n < 4; n += 1) {
      const timeMs = now + n * (WINDOW + 1_000);
      await file.addSegment(n + 1, [{ requestHash: hash(n), timeMs }], timeMs);
    }
    const { hashes } = await new HashFile(dir, WINDOW).read();
    expect(hashes.map((entry) => entry.requestHash)).toEqual([
      new Uint8Array(hash(2)),
      new Uint8Array(hash(3)),
    ]);
  });
});
