import { join } from 'node:path';
import { readText } from '../../files.ts';
import type { HostPaths } from '../../host-paths.ts';
import type { CpuReading } from './times.ts';

/** A line of CPUs has some 80 characters, that of the interrupts some 20,000 on a large host. */
const MAX_BYTES = 8 * 1_048_576;
export const MAX_CPUS = 16_384;

const LINE = /^cpu(\d{1,5}) ([\d ]+)$/;
const MIN_FIELDS = 4;

/**
 * The CPUs of `/proc/stat`, in ticks. `user` and `nice` of the kernel contain the time of guests already. A line that
 * was cut off, repeats a CPU or holds anything but numbers is left out.
 */
export function parseCpuStat(text: string): CpuReading[] {
  const readings: CpuReading[] = [];
  const seen = new Set<number>();
  let at = 0;
  while (readings.length < MAX_CPUS) {
    const end = text.indexOf('\n', at);
    // What has no line feed was cut off. The CPUs come first: the interrupts after them need no look.
    if (end < 0 || !text.startsWith('cpu', at)) break;
    const match = LINE.exec(text.slice(at, end));
    at = end + 1;
    if (match === null) continue;
    const cpu = Number(match[1]);
    const fields = (match[2] ?? '')
      .split(' ')
      .filter((field) => field !== '')
      .map(Number);
    if (cpu >= MAX_CPUS || seen.has(cpu) || fields.length < MIN_FIELDS) continue;
    if (!fields.every(Number.isSafeInteger)) continue;
    const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = fields;
    seen.add(cpu);
    readings.push({ cpu, times: [user, nice, system, idle, iowait, irq + softirq, steal] });
  }
  return readings;
}

/** Times of the CPUs that are online; undefined when the file is not there. */
export function readLinuxCpus(paths: HostPaths): readonly CpuReading[] | undefined {
  const text = readText(join(paths.proc, 'stat'), MAX_BYTES);
  return text === undefined ? undefined : parseCpuStat(text);
}
