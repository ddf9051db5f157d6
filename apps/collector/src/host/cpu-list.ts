/** CPUs that a list may name: beyond what Linux can be built for. */
const MAX_CPU = 16_384;

/** Numbers in a CPU list of the kernel (`0-3,8,10-11`), ascending; what is not a list has none. */
export function parseCpuList(text: string): number[] {
  const cpus = new Set<number>();
  for (const part of text.trim().split(',')) {
    const match = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part.trim());
    if (match === null) continue;
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    for (let cpu = first; cpu <= last && cpu < MAX_CPU; cpu += 1) cpus.add(cpu);
  }
  return [...cpus].sort((a, b) => a - b);
}
