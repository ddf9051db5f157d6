import type { GpuProcess } from '../device.ts';
import type { DrmProcess } from '../drm/clients.ts';
import type { KfdNode, KfdProcess } from './kfd.ts';

/** Who computes on a node. */
export interface Computing {
  readonly node: KfdNode;
  readonly processes: readonly KfdProcess[];
}

interface Merging {
  memory?: number;
  utilization?: number;
}

const larger = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.max(a, b);

/**
 * What processes do with a GPU, by both drivers that keep count: what is computed (ROCm) shows in the compute driver, what
 * is drawn, encoded and decoded in that of graphics, and memory may show in both. Memory in `regions` is that of the GPU.
 */
export function mergeProcesses(
  drm: readonly DrmProcess[],
  regions: readonly string[],
  kfd: readonly Computing[],
): readonly GpuProcess[] {
  const merged = new Map<number, Merging>();
  const of = (pid: number): Merging => {
    const one = merged.get(pid) ?? {};
    merged.set(pid, one);
    return one;
  };
  const units = kfd.reduce((sum, { node }) => sum + (node.computeUnits ?? 0), 0);
  const computing = new Map<number, { memory: number | undefined; occupied: number | undefined }>();
  for (const { processes } of kfd) {
    for (const { pid, memory, occupied } of processes) {
      const before = computing.get(pid);
      const sum = (a: number | undefined, b: number | undefined) =>
        a === undefined ? b : b === undefined ? a : a + b;
      computing.set(pid, {
        memory: sum(before?.memory, memory),
        occupied: sum(before?.occupied, occupied),
      });
    }
  }
  for (const { pid, memory, engines } of drm) {
    const to = of(pid);
    const held = regions.flatMap((region) => memory.get(region) ?? []);
    const bytes = held.length === 0 ? undefined : held.reduce((sum, value) => sum + value, 0);
    if (bytes !== undefined) to.memory = bytes;
    if (engines.size > 0) to.utilization = Math.max(...engines.values());
  }
  for (const [pid, { memory, occupied }] of computing) {
    const to = of(pid);
    const bytes = larger(to.memory, memory);
    const busy = larger(to.utilization, occupied === undefined || units === 0 ? undefined : occupied / units);
    if (bytes !== undefined) to.memory = bytes;
    if (busy !== undefined) to.utilization = busy;
  }
  return [...merged].map(([pid, values]) => ({ pid, ...values }));
}
