import type { HostPaths } from '../../host-paths.ts';
import { readMeminfo } from './meminfo.ts';
import { type MemoryReading, statesOf } from './states.ts';

/**
 * What is in use by the rows of `/proc/meminfo`: caches of files and of the kernel that it gives back on demand count as
 * `cached`, as `free` has it. Shared memory stands in the page cache, and so in `cached`, too.
 */
export function memoryOf(rows: ReadonlyMap<string, number>): MemoryReading | undefined {
  const limit = rows.get('MemTotal');
  const free = rows.get('MemFree');
  if (limit === undefined || limit === 0 || free === undefined) return undefined;
  const cached = (rows.get('Cached') ?? 0) + (rows.get('SReclaimable') ?? 0);
  const states = statesOf(limit, [
    ['free', free],
    ['buffers', rows.get('Buffers') ?? 0],
    ['cached', cached],
  ]);
  const available = rows.get('MemAvailable');
  return available === undefined ? { limit, states } : { limit, states, available };
}

export function readLinuxMemory(paths: HostPaths): MemoryReading | undefined {
  const rows = readMeminfo(paths);
  return rows === undefined ? undefined : memoryOf(rows);
}
