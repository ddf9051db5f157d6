import koffi, { type LibraryHandle } from 'koffi';
import { FUNCTION_NOT_FOUND } from './codes.ts';

/** What a function takes, a letter each: a handle, a pointer, a 32-bit and a 64-bit whole number. */
const TYPES: Readonly<Record<string, string>> = { h: 'uintptr_t', p: 'void *', u: 'uint32_t', q: 'uint64_t' };

/** The functions of NVML that are used; all return a code. */
const FUNCTIONS = {
  nvmlInitWithFlags: 'u',
  nvmlShutdown: '',
  nvmlSystemGetDriverVersion: 'pu',
  nvmlDeviceGetCount_v2: 'p',
  nvmlDeviceGetHandleByIndex_v2: 'up',
  nvmlDeviceGetHandleByPciBusId_v2: 'pp',
  nvmlDeviceGetIndex: 'hp',
  nvmlDeviceGetUUID: 'hpu',
  nvmlDeviceGetName: 'hpu',
  nvmlDeviceGetPciInfo_v3: 'hp',
  nvmlDeviceGetUtilizationRates: 'hp',
  nvmlDeviceGetMemoryInfo_v2: 'hp',
  nvmlDeviceGetMemoryInfo: 'hp',
} as const;

export type NvmlFunction = keyof typeof FUNCTIONS;
type Argument = number | bigint | Buffer | null;

/** The library, its functions bound when they are first called: drivers differ in which they have. */
export class Nvml {
  readonly path: string;
  readonly #library: LibraryHandle;
  readonly #bound = new Map<NvmlFunction, ((...given: Argument[]) => number) | undefined>();

  private constructor(path: string, library: LibraryHandle) {
    this.path = path;
    this.#library = library;
  }

  /** The first of the files that can be loaded. @throws with what the loader said of each */
  static load(paths: readonly string[]): Nvml {
    const failures: string[] = [];
    for (const path of paths) {
      try {
        return new Nvml(path, koffi.load(path));
      } catch (thrown) {
        failures.push(thrown instanceof Error ? thrown.message : String(thrown));
      }
    }
    throw new Error(failures.join('; '));
  }

  /** Calls a function; one that this driver does not have answers as the library itself says so. */
  call(name: NvmlFunction, ...given: Argument[]): number {
    if (!this.#bound.has(name)) this.#bound.set(name, this.#bind(name));
    return this.#bound.get(name)?.(...given) ?? FUNCTION_NOT_FOUND;
  }

  #bind(name: NvmlFunction): ((...given: Argument[]) => number) | undefined {
    const types = Array.from(FUNCTIONS[name], (letter) => TYPES[letter] ?? 'void *');
    try {
      return this.#library.func(name, 'int', types) as (...given: Argument[]) => number;
    } catch {
      return undefined;
    }
  }

  /** Lets go of the file, so that a driver that was upgraded is loaded anew. */
  unload(): void {
    this.#library.unload();
  }
}
