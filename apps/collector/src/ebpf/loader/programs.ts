import { closeSync, readFileSync } from 'node:fs';
import { BpfMap } from './maps.ts';
import { type Kernel, SystemCallError } from './native.ts';
import type { BpfObject, ProgramDefinition } from './object.ts';

const PROGRAM_LOAD = 5;
const LINK_CREATE = 28;
const RAW_TRACEPOINT_OPEN = 17;
const TYPE_KPROBE = 2;
const TYPE_RAW_TRACEPOINT = 17;
const UPROBE_MULTI = 48;
const FROM_RETURN = 1;
/** As many as libbpf makes. */
const LOAD_TRIES = 5;
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

/** A program and where it goes: offsets in the file. */
export interface Place {
  readonly program: string;
  readonly offsets: readonly number[];
}

export interface Target {
  /** A path the kernel can open; best `/proc/self/fd/<n>`, which is the file itself and no name of it. */
  readonly path: string;
  /** Only in this process; every one that maps the file when absent. */
  readonly pid?: number;
}

/** Programs in the kernel with their maps. They end with their descriptors, and so with this process. */
export class LoadedObject {
  readonly maps: ReadonlyMap<string, BpfMap>;
  readonly way: Way;
  readonly #kernel: Kernel;
  readonly #programs: ReadonlyMap<string, LoadedProgram>;
  readonly #known: ReadonlyMap<string, ProgramDefinition>;

  private constructor(
    kernel: Kernel,
    way: Way,
    maps: ReadonlyMap<string, BpfMap>,
    programs: ReadonlyMap<string, LoadedProgram>,
    known: ReadonlyMap<string, ProgramDefinition>,
  ) {
    this.#kernel = kernel;
    this.#known = known;
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
          const known = new Map(object.programs.map((program) => [program.name, program]));
          return new LoadedObject(kernel, way, maps, programs, known);
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

  /**
   * Puts programs in place: all that run at the entry of a function with one link where the kernel has such, and all that
   * run at its return with another. @throws SystemCallError, and then none is in place
   */
  attach(places: readonly Place[], target: Target): Link[] {
    const links: Link[] = [];
    try {
      for (const atReturn of [false, true]) {
        const found = places.flatMap(({ program: name, offsets }) => {
          const program = this.#known.get(name);
          if (program === undefined) throw new Error(`the BPF object has no program ${name}`);
          return program.atReturn === atReturn ? offsets.map((offset) => ({ offset, program })) : [];
        });
        if (found.length === 0) continue;
        if (this.way === 'multi') {
          const dispatch = this.#loaded(atReturn ? 'leave' : 'entry');
          const all = found.map(({ offset, program: { number } }) => ({ offset, number }));
          links.push(attachMulti(this.#kernel, dispatch, all, target));
        } else {
          for (const { program, offset } of found) {
            links.push(attachPerf(this.#kernel, this.#loaded(program.name), offset, target));
          }
        }
      }
      return links;
    } catch (thrown) {
      for (const link of links) link.close();
      throw thrown;
    }
  }

  /** Puts the program of a tracepoint in place. Needs no tracefs. @throws SystemCallError */
  attachTracepoint(name: string): Link {
    const text = Buffer.from(`${name}\0`, 'latin1');
    const attributes = Buffer.alloc(16);
    attributes.writeBigUInt64LE(this.#kernel.address(text), 0);
    attributes.writeUInt32LE(this.#loaded(name).descriptor, 8);
    const link = this.#kernel.bpf('BPF_RAW_TRACEPOINT_OPEN', RAW_TRACEPOINT_OPEN, attributes);
    return { close: () => closeSync(link) };
  }

  #loaded(name: string): LoadedProgram {
    const program = this.#programs.get(name);
    if (program === undefined) throw new Error(`the program ${name} is not loaded`);
    return program;
  }

  close(): void {
    for (const { descriptor } of this.#programs.values()) closeSync(descriptor);
    for (const map of this.maps.values()) map.close();
  }
}

interface LoadedProgram {
  readonly descriptor: number;
  readonly atReturn: boolean;
  readonly number: number;
}

function loadPrograms(
  kernel: Kernel,
  object: BpfObject,
  maps: ReadonlyMap<string, BpfMap>,
  way: Way,
): Map<string, LoadedProgram> {
  const programs = new Map<string, LoadedProgram>();
  try {
    for (const program of object.programs) {
      // With links of many places the two that call the others are enough.
      if (!program.isTracepoint && (program.number === 0) !== (way === 'multi')) continue;
      const descriptor = loadProgram(kernel, program, object.license, maps, way);
      programs.set(program.name, { descriptor, atReturn: program.atReturn, number: program.number });
    }
    // Loading tells nothing of links: a kernel between 5.19 and 6.6 takes any attach type of a probe.
    const first = programs.get('entry');
    if (way === 'multi' && first !== undefined && !knowsMulti(kernel, first)) {
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
    attributes.writeUInt32LE(program.isTracepoint ? TYPE_RAW_TRACEPOINT : TYPE_KPROBE, 0);
    attributes.writeUInt32LE(instructions.length / 8, 4);
    attributes.writeBigUInt64LE(kernel.address(instructions), 8);
    attributes.writeBigUInt64LE(kernel.address(text), 16);
    if (log !== undefined) {
      attributes.writeUInt32LE(1, 24);
      attributes.writeUInt32LE(log.length, 28);
      attributes.writeBigUInt64LE(kernel.address(log), 32);
    }
    attributes.write(program.name.slice(0, 15), 48, 'latin1');
    if (way === 'multi' && !program.isTracepoint) attributes.writeUInt32LE(UPROBE_MULTI, 68);
    return attributes;
  };
  try {
    return loadedOnce(() => kernel.bpf('BPF_PROG_LOAD', PROGRAM_LOAD, build(undefined)));
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

/** A signal that comes while the verifier works ends the call with EAGAIN, and says nothing of the program (kernel, `do_check`). */
function loadedOnce<T>(load: () => T): T {
  for (let left = LOAD_TRIES - 1; ; left -= 1) {
    try {
      return load();
    } catch (thrown) {
      if (left === 0 || !(thrown instanceof SystemCallError) || thrown.code !== 'EAGAIN') throw thrown;
    }
  }
}

type Found = readonly { readonly offset: number; readonly number: number }[];

/** `keep` has to live until the call is over. */
function multiAttributes(kernel: Kernel, program: LoadedProgram, found: Found, target: Target) {
  const path = Buffer.from(`${target.path}\0`);
  const offsets = Buffer.alloc(8 * found.length);
  const cookies = Buffer.alloc(8 * found.length);
  for (const [at, { offset, number }] of found.entries()) {
    offsets.writeBigUInt64LE(BigInt(offset), 8 * at);
    cookies.writeBigUInt64LE(BigInt(number), 8 * at);
  }
  const attributes = Buffer.alloc(64);
  attributes.writeUInt32LE(program.descriptor, 0);
  attributes.writeUInt32LE(UPROBE_MULTI, 8);
  attributes.writeBigUInt64LE(kernel.address(path), 16);
  attributes.writeBigUInt64LE(kernel.address(offsets), 24);
  attributes.writeBigUInt64LE(kernel.address(cookies), 40);
  attributes.writeUInt32LE(found.length, 48);
  attributes.writeUInt32LE(program.atReturn ? FROM_RETURN : 0, 52);
  attributes.writeUInt32LE(target.pid ?? 0, 56);
  return { attributes, keep: [path, offsets, cookies] };
}

/** A kernel that has the link looks for the file; one that has not refuses before (EINVAL). */
function knowsMulti(kernel: Kernel, program: LoadedProgram): boolean {
  const { attributes, keep } = multiAttributes(kernel, program, [{ offset: 0, number: 0 }], { path: '/' });
  try {
    closeSync(kernel.bpf('BPF_LINK_CREATE', LINK_CREATE, attributes));
    return keep.length > 0;
  } catch (thrown) {
    return thrown instanceof SystemCallError && thrown.code !== 'EINVAL';
  }
}

function attachMulti(kernel: Kernel, dispatch: LoadedProgram, found: Found, target: Target): Link {
  const { attributes, keep } = multiAttributes(kernel, dispatch, found, target);
  const link = kernel.bpf('BPF_LINK_CREATE', LINK_CREATE, attributes);
  keep.length = 0;
  return { close: () => closeSync(link) };
}

function attachPerf(kernel: Kernel, program: LoadedProgram, offset: number, target: Target): Link {
  const path = Buffer.from(`${target.path}\0`);
  const bit = Number(/config:(\d+)/.exec(readFileSync(RETURN_BIT, 'utf8'))?.[1] ?? 0);
  const attributes = Buffer.alloc(PERF_SIZE);
  attributes.writeUInt32LE(Number(readFileSync(UPROBE_TYPE, 'utf8')), 0);
  attributes.writeUInt32LE(PERF_SIZE, 4);
  if (program.atReturn) attributes.writeBigUInt64LE(1n << BigInt(bit), 8);
  attributes.writeBigUInt64LE(kernel.address(path), 56);
  attributes.writeBigUInt64LE(BigInt(offset), 64);
  // Of no process and one CPU: a probe with a program fires on all of them.
  const event = kernel.perf(attributes, target.pid ?? -1, target.pid === undefined ? 0 : -1);
  try {
    kernel.control(event, PERF_SET_BPF, program.descriptor);
    kernel.control(event, PERF_ENABLE, 0);
  } catch (thrown) {
    closeSync(event);
    throw thrown;
  }
  return { close: () => closeSync(event) };
}
