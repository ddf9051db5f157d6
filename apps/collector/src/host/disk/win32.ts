import type { DiskReading } from './disks.ts';

const BYTES = 88;
const FILETIME_PER_MILLISECOND = 10_000n;

/**
 * `DISK_PERFORMANCE` (winioctl.h): bytes read and written, their times in 100 ns and the idle time, 64 bits each; then
 * reads and writes in 32 bits.
 */
export function parseDiskPerformance(name: string, bytes: Buffer): DiskReading | undefined {
  if (bytes.length < BYTES) return undefined;
  const whole = (at: number): bigint => bytes.readBigInt64LE(at);
  return {
    name,
    read: {
      bytes: whole(0),
      operations: BigInt(bytes.readUInt32LE(40)),
      milliseconds: whole(16) / FILETIME_PER_MILLISECOND,
    },
    write: {
      bytes: whole(8),
      operations: BigInt(bytes.readUInt32LE(44)),
      milliseconds: whole(24) / FILETIME_PER_MILLISECOND,
    },
  };
}

/** Numbers that are tried. Windows leaves holes where a disk was taken out. */
const MAX_NUMBER = 64;
/** Calls after which a number without a disk is tried again. */
const RETRY_EVERY = 60;

/** Reads every physical drive at every call, and looks for new ones now and then. */
export function physicalDrives(ask: (number: number) => Buffer | undefined): () => DiskReading[] {
  let known: readonly number[] = [];
  let calls = 0;
  return () => {
    const numbers = calls % RETRY_EVERY === 0 ? Array.from({ length: MAX_NUMBER }, (_, n) => n) : known;
    calls += 1;
    const readings: DiskReading[] = [];
    const found: number[] = [];
    for (const number of numbers) {
      const bytes = ask(number);
      const reading = bytes === undefined ? undefined : parseDiskPerformance(`PhysicalDrive${number}`, bytes);
      if (reading === undefined) continue;
      found.push(number);
      readings.push(reading);
    }
    known = found;
    return readings;
  };
}
