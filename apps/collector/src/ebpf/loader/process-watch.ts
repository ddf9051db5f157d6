import { Pid, readPids } from '../../host/proc/pid.ts';
import type { HostPaths } from '../../host-paths.ts';
import { type MappedFile, parseMaps, readMaps } from './mapped-files.ts';

/** Looks at which a process that has just started is looked at each time. */
const YOUNG_LOOKS = 30;
/** After that one in so many. */
const OLD_EVERY = 5;

export interface WatchedProcess {
  readonly pid: number;
  /** With the number it names the process: numbers are used again. */
  readonly startTicks: number;
}

interface Known extends WatchedProcess {
  looks: number;
  virtualBytes: number;
}

export interface Watcher {
  /** Of a file's path as the process sees it. */
  readonly wanted: (path: string) => boolean;
  /** A text that is in every path that is wanted: most processes are passed over by it alone. */
  readonly hint: string;
  /** A process has these files mapped. Called again when it has mapped more of anything. */
  readonly found: (process: WatchedProcess, files: readonly MappedFile[]) => void;
  /** A process that was there at the look before has ended. */
  readonly ended: (process: WatchedProcess) => void;
}

/**
 * Finds processes by the files that they run, from /proc. A look costs a listing, a small file for each process that is
 * new or whose turn it is, and the list of mapped files for those that have grown since.
 */
export class ProcessWatch {
  readonly #paths: HostPaths;
  readonly #watcher: Watcher;
  readonly #known = new Map<number, Known>();
  readonly #own = process.pid;
  #look = 0;

  constructor(paths: HostPaths, watcher: Watcher) {
    this.#paths = paths;
    this.#watcher = watcher;
  }

  /** How many processes there were at the last look. */
  get size(): number {
    return this.#known.size;
  }

  look(): void {
    this.#look += 1;
    const present = new Set(readPids(this.#paths));
    for (const [pid, known] of this.#known) {
      if (present.has(pid)) continue;
      this.#known.delete(pid);
      this.#watcher.ended(known);
    }
    for (const pid of present) {
      if (pid === this.#own) continue;
      const known = this.#known.get(pid);
      const young = known === undefined || known.looks < YOUNG_LOOKS;
      if (young || (pid + this.#look) % OLD_EVERY === 0) this.#lookAt(pid, known);
    }
  }

  #lookAt(pid: number, before: Known | undefined): void {
    const stat = new Pid(this.#paths, pid).stat();
    if (stat === undefined) return;
    let known = before;
    if (known !== undefined && known.startTicks !== stat.startTicks) {
      this.#watcher.ended(known);
      known = undefined;
    }
    if (known === undefined) {
      known = { pid, startTicks: stat.startTicks, looks: 0, virtualBytes: 0 };
      this.#known.set(pid, known);
    }
    known.looks += 1;
    // What maps a library grows by it. Threads of the kernel have no memory at all.
    if (stat.virtualBytes === known.virtualBytes) return;
    known.virtualBytes = stat.virtualBytes;
    const text = readMaps(this.#paths, pid);
    if (text === undefined || !text.includes(this.#watcher.hint)) return;
    const files = parseMaps(text, this.#watcher.wanted);
    if (files.length > 0) this.#watcher.found(known, files);
  }
}
