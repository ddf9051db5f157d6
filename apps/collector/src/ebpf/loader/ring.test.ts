import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../../../..');
const PROGRAM = join(import.meta.dirname, '../../fixtures/ring-main.ts');
/** The runtime of the released binaries. */
const BUN = join(ROOT, `node_modules/@oven/bun-${process.platform}-${process.arch}/bin/bun`);
const PAGE = 4_096;
const SIZE = 2 * PAGE;
const RECORDS = 300;
const DISCARDED = 0x40000000;
const ROUNDS = 3_000;

const folder = mkdtempSync(join(tmpdir(), 'candela-ring-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A page that the reader writes, one that only the kernel writes, and the data: records of a number each, every third taken back. */
function ringFile(): string {
  const bytes = Buffer.alloc(2 * PAGE + 2 * SIZE);
  for (let record = 0; record < RECORDS; record += 1) {
    const at = 2 * PAGE + record * 16;
    bytes.writeUInt32LE(record % 3 === 2 ? 8 + DISCARDED : 8, at);
    bytes.writeUInt32LE(record, at + 8);
  }
  bytes.writeBigUInt64LE(BigInt(RECORDS * 16), PAGE);
  const file = join(folder, 'ring');
  writeFileSync(file, bytes);
  return file;
}

const hasBun = existsSync(BUN);
if (!hasBun) process.stderr.write(`SKIPPED: a ring read by Bun, which is not at ${BUN}\n`);
const LINUX = process.platform === 'linux';

it.runIf(LINUX).each([
  ['Node', process.execPath, true],
  ['Bun, of which the released binaries are made', BUN, hasBun],
])('a ring is read by %s, however hot the loop', (_, runtime, present) => {
  if (!present) return;
  const { status, signal, stdout, stderr } = spawnSync(
    runtime,
    [PROGRAM, ringFile(), String(SIZE), String(ROUNDS)],
    { encoding: 'utf8' },
  );
  const kept = Array.from({ length: RECORDS }, (_, record) => record).filter((record) => record % 3 !== 2);
  const sum = kept.reduce((total, record) => total + record, 0);
  expect({ status, signal, stderr, told: stdout.trim() }).toEqual({
    status: 0,
    signal: null,
    stderr: '',
    told: JSON.stringify({ records: kept.length * ROUNDS, sum: sum * ROUNDS }),
  });
});
