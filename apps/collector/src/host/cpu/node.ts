import type { CpuInfo } from 'node:os';
import type { CpuReading } from './times.ts';

/** What Node tells of the CPUs of macOS and Windows, in milliseconds: these systems know neither waiting nor steal. */
export function fromNodeCpus(cpus: readonly Pick<CpuInfo, 'times'>[]): CpuReading[] {
  return cpus.map(({ times }, cpu) => ({
    cpu,
    times: [times.user, times.nice, times.sys, times.idle, 0, times.irq, 0],
  }));
}
