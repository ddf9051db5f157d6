import { type MemoryReading, statesOf } from './states.ts';

/** Where `struct vm_statistics64` (mach/vm_statistics.h) has its counts of pages, 32 bits each. */
const WIRED = 12;
const PURGEABLE = 88;
const COMPRESSOR = 128;
const INTERNAL = 140;
const BYTES = 144;

/**
 * Used is what macOS calls memory used: that of programs without what they let go of on demand, what is wired, and what
 * is compressed. All else is free, the cache of files too: states of their own are told on Linux only.
 */
export function parseVmStatistics(
  statistics: { readonly bytes: Buffer; readonly pageSize: number } | undefined,
  limit: number,
): MemoryReading | undefined {
  if (statistics === undefined || statistics.bytes.length < BYTES || limit <= 0) return undefined;
  const { bytes, pageSize } = statistics;
  const pages =
    Math.max(0, bytes.readUInt32LE(INTERNAL) - bytes.readUInt32LE(PURGEABLE)) +
    bytes.readUInt32LE(WIRED) +
    bytes.readUInt32LE(COMPRESSOR);
  return { limit, states: statesOf(limit, [['free', limit - pages * pageSize]]) };
}
