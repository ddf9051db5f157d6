import { parseMaps, openMapped, readMaps } from './mapped-files.ts';
import { ElfFile, type ReadAt, readerOf } from './elf.ts';
import type { IdleFunction, Kernel } from './native.ts';
import type { LoadedObject } from './programs.ts';

const CALLS = 1_000;
const ROUNDS = 5;
const OWN = { proc: '/proc', sys: '/sys', etc: '/etc', root: '/' };
/** Marks where a jump may land, at the begin of functions of some builds. */
const ENDBR64 = Buffer.from([0xf3, 0x0f, 0x1e, 0xfa]);

/** Seconds that one hit of a probe costs on this machine, undefined where it cannot be measured. */
export interface ProbeCost {
  /** On an instruction that the kernel lets the processor step over: a second trap. */
  readonly stepped: number | undefined;
  /** On one that it plays itself. */
  readonly played: number | undefined;
}

/**
 * Whether the kernel plays the instruction that a function begins with itself, after `push_setup_xol_ops` of its
 * `arch/x86/kernel/uprobes.c`: a push of a register, or a `nop`. All others, and all on 64-bit ARM, are taken to be stepped.
 */
export function isPlayed(bytes: Buffer, arch: string = process.arch): boolean {
  if (arch !== 'x64') return false;
  const [first = 0, second = 0] = bytes;
  const push = (byte: number): boolean => byte >= 0x50 && byte <= 0x57;
  return push(first) || first === 0x90 || (first === 0x41 && push(second));
}

/**
 * Functions of the C library are called with and without a probe, in this process alone. Nothing is known where the library
 * tells no symbols (a static build).
 */
export function measureProbe(kernel: Kernel, object: LoadedObject, program: string): ProbeCost {
  const measured = (name: IdleFunction): [played: boolean, seconds: number] | undefined => {
    const files = parseMaps(readMaps(OWN, process.pid) ?? '', (path) => /\/(libc[.-]|ld-musl)/.test(path));
    for (const file of files) {
      const open = openMapped(OWN, process.pid, file);
      if (open === undefined) continue;
      try {
        const read = readerOf(open.descriptor);
        const start = new ElfFile(read).functionOffsets(new Set([name])).get(name);
        if (start === undefined) continue;
        const offset = behindMark(read, start);
        const without = round(kernel, name);
        const links = object.attach([{ program, offsets: [offset] }], { path: open.path, pid: process.pid });
        try {
          return [isPlayed(read(offset, 2)), Math.max(0, round(kernel, name) - without)];
        } finally {
          for (const link of links) link.close();
        }
      } finally {
        open.close();
      }
    }
    return undefined;
  };
  const all = [measured('labs'), measured('setlogmask')];
  return {
    stepped: all.find((one) => one?.[0] === false)?.[1],
    played: all.find((one) => one?.[0] === true)?.[1],
  };
}

const behindMark = (read: ReadAt, offset: number): number =>
  process.arch === 'x64' && read(offset, ENDBR64.length).equals(ENDBR64) ? offset + ENDBR64.length : offset;

function round(kernel: Kernel, name: IdleFunction): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const began = performance.now();
    kernel.callIdle(name, CALLS);
    return (performance.now() - began) / 1_000 / CALLS;
  });
  return times.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0;
}
