import type { CpuReading } from './times.ts';

/** Windows counts in 100 nanoseconds. */
export const FILETIME_PER_SECOND = 10_000_000;
const BYTES = 48;
/** CPUs of a processor group at most: a group begins at a multiple of it. */
export const GROUP_SIZE = 64;

/**
 * `SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION` a CPU: idle, kernel (with idle), user, deferred calls, interrupts, 64 bits
 * each. The two last are part of the kernel's time.
 */
export function parseProcessorTimes(groups: readonly Buffer[]): CpuReading[] {
  const readings: CpuReading[] = [];
  for (const [group, bytes] of groups.entries()) {
    for (let at = 0; at + BYTES <= bytes.length; at += BYTES) {
      const [idle, kernel, user, deferred, interrupt] = [0, 8, 16, 24, 32].map((offset) =>
        Number(bytes.readBigInt64LE(at + offset)),
      );
      const interrupts = (deferred ?? 0) + (interrupt ?? 0);
      const system = Math.max(0, (kernel ?? 0) - (idle ?? 0) - interrupts);
      readings.push({
        cpu: group * GROUP_SIZE + at / BYTES,
        times: [user ?? 0, 0, system, idle ?? 0, 0, interrupts, 0],
      });
    }
  }
  return readings;
}
