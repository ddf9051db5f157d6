import { parseMaps, openMapped, readMaps } from './mapped-files.ts';
import { ElfFile, readerOf } from './elf.ts';
import type { Kernel } from './native.ts';
import type { LoadedObject } from './programs.ts';

const CALLS = 1_000;
const ROUNDS = 5;
const OWN = { proc: '/proc', sys: '/sys', etc: '/etc', root: '/' };

/**
 * Seconds that one hit of a probe costs on this machine: a function of the C library is called with and without one, in
 * this process alone. Undefined when the library tells no symbols (a static build).
 */
export function measureProbe(kernel: Kernel, object: LoadedObject, program: string): number | undefined {
  const files = parseMaps(readMaps(OWN, process.pid) ?? '', (path) => /\/(libc[.-]|ld-musl)/.test(path));
  for (const file of files) {
    const open = openMapped(OWN, process.pid, file);
    if (open === undefined) continue;
    try {
      const offset = new ElfFile(readerOf(open.descriptor)).functionOffsets(new Set(['labs'])).get('labs');
      if (offset === undefined) continue;
      const without = round(kernel);
      const links = object.attach([{ program, offsets: [offset] }], { path: open.path, pid: process.pid });
      try {
        return Math.max(0, round(kernel) - without);
      } finally {
        for (const link of links) link.close();
      }
    } finally {
      open.close();
    }
  }
  return undefined;
}

function round(kernel: Kernel): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const began = performance.now();
    kernel.callLabs(CALLS);
    return (performance.now() - began) / 1_000 / CALLS;
  });
  return times.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0;
}
