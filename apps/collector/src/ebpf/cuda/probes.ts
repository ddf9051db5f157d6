import { isPlayed } from '../loader/calibrate.ts';
import { ElfFile, readerOf } from '../loader/elf.ts';
import { type MappedFile, type OpenFile, openMapped } from '../loader/mapped-files.ts';
import type { Link, LoadedObject } from '../loader/programs.ts';
import type { WatchedProcess } from '../loader/process-watch.ts';
import type { HostPaths } from '../../host-paths.ts';
import { libraryOf, type TracedFunction } from './symbols.ts';

/** Files probed at once: a machine has a handful, one with many containers some dozens. */
const MAX_LIBRARIES = 256;

const LAUNCH = /LaunchKernel/;

interface Library {
  readonly open: OpenFile;
  readonly path: string;
  readonly functions: readonly TracedFunction[];
  readonly offsets: ReadonlyMap<string, number>;
  /** Whether a probe on one of its launches is the dearer kind, see `ProbeCost`. */
  readonly stepped: boolean;
  /** Processes that have it mapped. */
  readonly users: Set<number>;
  always: readonly Link[];
  sampled: readonly Link[];
}

/**
 * Probes on the libraries of CUDA, each file once for all processes that have it mapped, also those that map it later.
 * They leave with its last user.
 */
export class CudaProbes {
  readonly #object: LoadedObject;
  readonly #paths: HostPaths;
  readonly #tell: (text: string, path: string) => void;
  readonly #libraries = new Map<string, Library>();
  readonly #told = new Set<string>();
  #sampling = true;

  /** `tell` hears why a library is not traced, once a cause. */
  constructor(object: LoadedObject, paths: HostPaths, tell: (text: string, path: string) => void) {
    this.#object = object;
    this.#paths = paths;
    this.#tell = tell;
  }

  get libraries(): readonly string[] {
    return [...this.#libraries.values()].map(({ path }) => path);
  }

  /** Whether a launch anywhere, which is what calls are many of, is the dearer kind of probe. */
  get stepped(): boolean {
    return [...this.#libraries.values()].some(({ stepped }) => stepped);
  }

  /** A process has these files mapped. Returns whether one of them is traced. */
  add({ pid }: WatchedProcess, files: readonly MappedFile[]): boolean {
    let traced = false;
    for (const file of files) traced = this.#addFile(pid, file) || traced;
    return traced;
  }

  #addFile(pid: number, file: MappedFile): boolean {
    const functions = libraryOf(file.path);
    if (functions === undefined) return false;
    const open = openMapped(this.#paths, pid, file);
    if (open === undefined) {
      this.#say('it cannot be opened (CAP_SYS_PTRACE is needed to reach files of other users)', file.path);
      return false;
    }
    const known = this.#libraries.get(open.key);
    if (known !== undefined) {
      open.close();
      known.users.add(pid);
      return true;
    }
    if (this.#libraries.size >= MAX_LIBRARIES) {
      open.close();
      this.#say(`${MAX_LIBRARIES} libraries are traced already`, file.path);
      return false;
    }
    try {
      const names = new Set(functions.flatMap((one) => one.names));
      const read = readerOf(open.descriptor);
      const offsets = new ElfFile(read).functionOffsets(names);
      if (offsets.size === 0) throw new Error('it has no function of CUDA among its symbols');
      const library: Library = {
        open,
        path: file.path,
        functions,
        offsets,
        stepped: Array.from(offsets).some(([name, at]) => LAUNCH.test(name) && !isPlayed(read(at, 2))),
        users: new Set([pid]),
        always: [],
        sampled: [],
      };
      library.always = this.#attach(library, 'always');
      if (this.#sampling) library.sampled = this.#attach(library, 'sampled');
      this.#libraries.set(open.key, library);
      return true;
    } catch (thrown) {
      open.close();
      this.#say(thrown instanceof Error ? thrown.message : String(thrown), file.path);
      return false;
    }
  }

  #say(text: string, path: string): void {
    if (this.#told.has(text) || this.#told.size > 100) return;
    this.#told.add(text);
    this.#tell(text, path);
  }

  #attach(library: Library, when: TracedFunction['when']): Link[] {
    const places = new Map<string, Set<number>>();
    for (const { names, entry, atReturn, when: group } of library.functions) {
      if (group !== when) continue;
      for (const program of [entry, atReturn]) {
        if (program === undefined) continue;
        const offsets = places.get(program) ?? new Set();
        places.set(program, offsets);
        for (const name of names) {
          const offset = library.offsets.get(name);
          // Two names of one function are one place.
          if (offset !== undefined) offsets.add(offset);
        }
      }
    }
    return this.#object.attach(
      Array.from(places, ([program, offsets]) => ({ program, offsets: [...offsets] })),
      { path: library.open.path },
    );
  }

  /** Puts the probes that are hit often in or takes them out, everywhere. */
  sample(on: boolean): void {
    if (on === this.#sampling) return;
    this.#sampling = on;
    for (const library of this.#libraries.values()) {
      for (const link of library.sampled) link.close();
      library.sampled = on ? this.#attach(library, 'sampled') : [];
    }
  }

  /** A process has ended. */
  remove(pid: number): void {
    for (const [key, library] of this.#libraries) {
      library.users.delete(pid);
      if (library.users.size > 0) continue;
      this.#close(library);
      this.#libraries.delete(key);
    }
  }

  #close({ always, sampled, open }: Library): void {
    for (const link of [...always, ...sampled]) link.close();
    open.close();
  }

  close(): void {
    for (const library of this.#libraries.values()) this.#close(library);
    this.#libraries.clear();
  }
}
