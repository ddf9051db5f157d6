import { closeSync, readFileSync } from 'node:fs';
import { BpfMap } from './maps.ts';
import { type Kernel, SystemCallError } from './native.ts';
import type { BpfObject, ProgramDefinition } from './object.ts';

const PROGRAM_LOAD = 5;
const LINK_CREATE = 28;
const TYPE_KPROBE = 2;
const UPROBE_MULTI = 48;
const FROM_RETURN = 1;
const LOG_BYTES = 65_536;
const PERF_SIZE = 112;
const PERF_SET_BPF = 0x40042408n;
const PERF_ENABLE = 0x2400n;
const UPROBE_TYPE = '/sys/bus/event_source/devices/uprobe/type';
const RETURN_BIT = '/sys/bus/event_source/devices/uprobe/format/retprobe';

/** `multi`: one link for many places (Linux 6.6). `perf`: an event for each. */
export type Way = 'multi' | 'perf';

/** Probes that are in place. Closing it takes them out: the traced program runs at full speed again. */
export interface Link {
  close(): void;
}

export interface Target {
  /** A path the kernel can open; best `/proc/self/fd/<n>`, which is the file itself and no name of it. */
  readonly path: string;
  /** Offsets in the file. */
  readonly offsets: readonly number[];
  /** Only in this process; every one that maps the file when absent. */
  readonly pid?: number;
}

/** Programs in the kernel with their maps. They end with their descriptors, and so with this process. */
export class LoadedObject {
  readonly maps: ReadonlyMap<string, BpfMap>;
  readonly way: Way;
  readonly #kernel: Kernel;
  readonly #programs: ReadonlyMap<string, { readonly descriptor: number; readonly atReturn: boolean }>;

  private constructor(
    kernel: Kernel,
    way: Way,
    maps: ReadonlyMap<string, BpfMap>,
    programs: ReadonlyMap<string, { readonly descriptor: number; readonly atReturn: boolean }>,
  ) {
    this.#kernel = kernel;
    this.way = way;
    this.maps = maps;
    this.#programs = programs;
  }

  /** Loads everything of an object, for the first of the ways that this kernel has. @throws SystemCallError */
  static load(kernel: Kernel, object: BpfObject, ways: readonly Way[] = ['multi', 'perf']): LoadedObject {
    kernel.allowLockedMemory();
    const maps = new Map<string, BpfMap>();
    let failure: unknown;
    try {
      for (const definition of object.maps) maps.set(definition.name, new BpfMap(kernel, definition));
      for (const way of ways) {
        try {
          const programs = loadPrograms(kernel, object, maps, way);
          return new LoadedObject(kernel, way, maps, programs);
        } catch (thrown) {
          failure ??= thrown;
          // An older kernel does not know the way; anything else is the same the other way.
          if (!(thrown instanceof SystemCallError) || thrown.code !== 'EINVAL') throw thrown;
        }
      }
    } catch (thrown) {
      for (const map of maps.values()) map.close();
      throw thrown;
    }
    for (const map of maps.values()) map.close();
    throw failure;
  }

  /** A map by its name. @throws when the object has none */
  map(name: string): BpfMap {
    const map = this.maps.get(name);
    if (map === undefined) throw new Error(`the BPF object has no map ${name}`);
    return map;
  }

  /** Puts a program in place. @throws SystemCallError */
  attach(name: string, target: Target): Link {
    const program = this.#programs.get(name);
    if (program === undefined) throw new Error(`the BPF object has no program ${name}`);
    const { descriptor, atReturn } = program;
    return this.way === 'multi'
      ? attachMulti(this.#kernel, descriptor, atReturn, target)
      : attachPerf(this.#kernel, descriptor, atReturn, target);
  }

  close(): void {
    for (const { descriptor } of this.#programs.values()) closeSync(descriptor);
    for (const map of this.maps.values()) map.close();
  }
}

function loadPrograms(
  kernel: Kernel,
  object: BpfObject,
  maps: ReadonlyMap<string, BpfMap>,
  way: Way,
): Map<string, { descriptor: number; atReturn: boolean }> {
  const programs = new Map<string, { descriptor: number; atReturn: boolean }>();
  try {
    for (const program of object.programs) {
      const descriptor = loadProgram(kernel, program, object.license, maps, way);
      programs.set(program.name, { descriptor, atReturn: program.atReturn });
    }
    // Loading tells nothing of links: a kernel between 5.19 and 6.6 takes any attach type of a probe.
    const [first] = programs.values();
    if (way === 'multi' && first !== undefined && !knowsMulti(kernel, first.descriptor)) {
      throw new SystemCallError('BPF_LINK_CREATE', 22);
    }
    return programs;
  } catch (thrown) {
    for (const { descriptor } of programs.values()) closeSync(descriptor);
    throw thrown;
  }
}

function loadProgram(
  kernel: Kernel,
  program: ProgramDefinition,
  license: string,
  maps: ReadonlyMap<string, BpfMap>,
  way: Way,
): number {
  const instructions = Buffer.from(program.instructions);
  for (const { offset, map } of program.maps) {
    const known = maps.get(map);
    if (known === undefined) throw new Error(`${program.name} uses ${map}, which is no map`);
    // BPF_PSEUDO_MAP_FD in the upper half of the register byte.
    instructions[offset + 1] = ((instructions[offset + 1] ?? 0) & 0x0f) | 0x10;
    instructions.writeInt32LE(known.descriptor, offset + 4);
  }
  const text = Buffer.from(`${license}\0`, 'latin1');
  const build = (log: Buffer | undefined): Buffer => {
    const attributes = Buffer.alloc(144);
    attributes.writeUInt32LE(TYPE_KPROBE, 0);
    attributes.writeUInt32LE(instructions.length / 8, 4);
    attributes.writeBigUInt64LE(kernel.address(instructions), 8);
    attributes.writeBigUInt64LE(kernel.address(text), 16);
    if (log !== undefined) {
      attributes.writeUInt32LE(1, 24);
      attributes.writeUInt32LE(log.length, 28);
      attributes.writeBigUInt64LE(kernel.address(log), 32);
    }
    attributes.write(program.name.slice(0, 15), 48, 'latin1');
    if (way === 'multi') attributes.writeUInt32LE(UPROBE_MULTI, 68);
    return attributes;
  };
  try {
    return kernel.bpf('BPF_PROG_LOAD', PROGRAM_LOAD, build(undefined));
  } catch (thrown) {
    if (!(thrown instanceof SystemCallError) || thrown.code !== 'EACCES') throw thrown;
    // The verifier found fault: ask it why.
    const log = Buffer.alloc(LOG_BYTES);
    try {
      return kernel.bpf('BPF_PROG_LOAD', PROGRAM_LOAD, build(log));
    } catch {
      const said = log.toString('latin1').split('\0', 1)[0] ?? '';
      const last = said.trim().split('\n').slice(-3).join('; ');
      throw new Error(`the kernel's verifier refused the program ${program.name}: ${last}`, {
        cause: thrown,
      });
    }
  }
}

function multiAttributes(kernel: Kernel, descriptor: number, atReturn: boolean, target: Target) {
  const path = Buffer.from(`${target.path}\0`);
  const offsets = Buffer.alloc(8 * target.offsets.length);
  for (const [at, offset] of target.offsets.entries()) offsets.writeBigUInt64LE(BigInt(offset), 8 * at);
  const attributes = Buffer.alloc(64);
  attributes.writeUInt32LE(descriptor, 0);
  attributes.writeUInt32LE(UPROBE_MULTI, 8);
  attributes.writeBigUInt64LE(kernel.address(path), 16);
  attributes.writeBigUInt64LE(kernel.address(offsets), 24);
  attributes.writeUInt32LE(target.offsets.length, 48);
  attributes.writeUInt32LE(atReturn ? FROM_RETURN : 0, 52);
  attributes.writeUInt32LE(target.pid ?? 0, 56);
  return { attributes, keep: [path, offsets] };
}

/** A kernel that has the link looks for the file; one that has not refuses before (EINVAL). */
function knowsMulti(kernel: Kernel, descriptor: number): boolean {
  const { attributes } = multiAttributes(kernel, descriptor, false, { path: '/', offsets: [0] });
  try {
    closeSync(kernel.bpf('BPF_LINK_CREATE', LINK_CREATE, attributes));
    return true;
  } catch (thrown) {
    return thrown instanceof SystemCallError && thrown.code !== 'EINVAL';
  }
}

function attachMulti(kernel: Kernel, descriptor: number, atReturn: boolean, target: Target): Link {
  const { attributes } = multiAttributes(kernel, descriptor, atReturn, target);
  const link = kernel.bpf('BPF_LINK_CREATE', LINK_CREATE, attributes);
  return { close: () => closeSync(link) };
}

function attachPerf(kernel: Kernel, program: number, atReturn: boolean, target: Target): Link {
  const path = Buffer.from(`${target.path}\0`);
  const type = Number(readFileSync(UPROBE_TYPE, 'utf8'));
  const bit = Number(/config:(\d+)/.exec(readFileSync(RETURN_BIT, 'utf8'))?.[1] ?? 0);
  const events: number[] = [];
  const close = (): void => {
    for (const event of events) closeSync(event);
  };
  try {
    for (const offset of target.offsets) {
      const attributes = Buffer.alloc(PERF_SIZE);
      attributes.writeUInt32LE(type, 0);
      attributes.writeUInt32LE(PERF_SIZE, 4);
      if (atReturn) attributes.writeBigUInt64LE(1n << BigInt(bit), 8);
      attributes.writeBigUInt64LE(kernel.address(path), 56);
      attributes.writeBigUInt64LE(BigInt(offset), 64);
      // Of no process and one CPU: a probe with a program fires on all of them.
      const event = kernel.perf(attributes, target.pid ?? -1, target.pid === undefined ? 0 : -1);
      events.push(event);
      kernel.control(event, PERF_SET_BPF, program);
      kernel.control(event, PERF_ENABLE, 0);
    }
  } catch (thrown) {
    close();
    throw thrown;
  }
  return { close };
}
