import { ElfFile, readerOf } from '../loader/elf.ts';
import { type MappedFile, type OpenFile, openMapped, parseMaps, readMaps } from '../loader/mapped-files.ts';
import type { HostPaths } from '../../host-paths.ts';
import { hasUnsafe } from '../../unsafe-text.ts';
import { kernelName } from './demangle.ts';

/** Names told of one process, and on the whole host; the rest share one. */
const MAX_PER_PROCESS = 200;
const MAX_PER_HOST = 1_000;
/** What programs register: a framework has tens of thousands of kernels and uses some hundreds. */
const MAX_REGISTERED = 20_000;
const MAX_LENGTH = 200;
const MAX_FILES = 4;
const OTHER = 'other';
const UNKNOWN = 'unknown';

interface ProcessNames {
  /** What was told of a function: its mangled name. */
  readonly told: Map<number, string>;
  readonly aliases: Map<number, number>;
  readonly resolved: Map<number, string>;
  readonly given: Set<string>;
}

/** Names of kernels by the addresses that programs launch them with. Names come from programs: they are bounded. */
export class KernelNames {
  readonly #paths: HostPaths;
  readonly #processes = new Map<number, ProcessNames>();
  readonly #host = new Map<string, number>();
  readonly #files = new Map<string, { readonly open: OpenFile; readonly elf: ElfFile }>();

  constructor(paths: HostPaths) {
    this.#paths = paths;
  }

  #of(pid: number): ProcessNames {
    const known = this.#processes.get(pid);
    if (known !== undefined) return known;
    const made = { told: new Map(), aliases: new Map(), resolved: new Map(), given: new Set<string>() };
    this.#processes.set(pid, made);
    return made;
  }

  /** A program said what a function is called, or which other one it is. */
  tell(pid: number, fn: number, alias: number, name: string): void {
    const names = this.#of(pid);
    if (names.told.size + names.aliases.size >= MAX_REGISTERED) return;
    if (alias !== 0) names.aliases.set(fn, alias);
    if (name !== '') names.told.set(fn, name);
  }

  /** The name of a function of a process, looked for once. */
  of(pid: number, fn: number): string {
    const names = this.#of(pid);
    const known = names.resolved.get(fn);
    if (known !== undefined) return known;
    const target = names.aliases.get(fn) ?? fn;
    const symbol = names.told.get(fn) ?? names.told.get(target) ?? this.#symbol(pid, target);
    const name = this.#admit(names, symbol === undefined ? UNKNOWN : bounded(kernelName(symbol)));
    if (names.resolved.size < MAX_REGISTERED) names.resolved.set(fn, name);
    return name;
  }

  #admit(names: ProcessNames, name: string): string {
    if (names.given.has(name)) return name;
    if (names.given.size >= MAX_PER_PROCESS) return OTHER;
    const uses = this.#host.get(name);
    if (uses === undefined && this.#host.size >= MAX_PER_HOST) return OTHER;
    names.given.add(name);
    this.#host.set(name, (uses ?? 0) + 1);
    return name;
  }

  /** The symbol that an address of a process falls into; of a stripped file its module. */
  #symbol(pid: number, address: number): string | undefined {
    const at = BigInt(address);
    const file = parseMaps(readMaps(this.#paths, pid) ?? '', () => true).find(
      ({ start, end }) => at >= start && at < end,
    );
    if (file === undefined) return undefined;
    try {
      const elf = this.#elf(pid, file);
      const found = elf?.functionAt(Number(at - file.start) + file.offset);
      if (found !== undefined) return found;
    } catch {
      // Not a file that can be read: its name is what is known.
    }
    return `${UNKNOWN} in ${file.path.slice(file.path.lastIndexOf('/') + 1)}`;
  }

  #elf(pid: number, file: MappedFile): ElfFile | undefined {
    const open = openMapped(this.#paths, pid, file);
    if (open === undefined) return undefined;
    const known = this.#files.get(open.key);
    if (known !== undefined) {
      open.close();
      return known.elf;
    }
    let elf: ElfFile;
    try {
      elf = new ElfFile(readerOf(open.descriptor));
    } catch (thrown) {
      open.close();
      throw thrown;
    }
    for (const [key, oldest] of this.#files) {
      if (this.#files.size < MAX_FILES) break;
      oldest.open.close();
      this.#files.delete(key);
    }
    this.#files.set(open.key, { open, elf });
    return elf;
  }

  forget(pid: number): void {
    for (const name of this.#processes.get(pid)?.given ?? []) {
      const uses = (this.#host.get(name) ?? 1) - 1;
      if (uses <= 0) this.#host.delete(name);
      else this.#host.set(name, uses);
    }
    this.#processes.delete(pid);
  }

  close(): void {
    for (const { open } of this.#files.values()) open.close();
    this.#files.clear();
  }
}

function bounded(name: string): string {
  const text = name.toWellFormed();
  return text === '' || hasUnsafe(text) ? UNKNOWN : text.slice(0, MAX_LENGTH).toWellFormed();
}
