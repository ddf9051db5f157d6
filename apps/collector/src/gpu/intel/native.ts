import koffi, { type LibraryHandle } from 'koffi';

/** What a function takes, a letter each: a handle, a pointer, a 32-bit number, a byte. */
const TYPES: Readonly<Record<string, string>> = { h: 'uintptr_t', p: 'void *', u: 'uint32_t', b: 'uint8_t' };

/** The functions of Level Zero Sysman that are used (zes_api.h); all return a code. */
const FUNCTIONS = {
  zesInit: 'u',
  zesDriverGet: 'pp',
  zesDeviceGet: 'hpp',
  zesDeviceGetProperties: 'hp',
  zesDevicePciGetProperties: 'hp',
  zesDevicePciGetStats: 'hp',
  zesDeviceEnumEngineGroups: 'hpp',
  zesEngineGetProperties: 'hp',
  zesEngineGetActivity: 'hp',
  zesDeviceEnumMemoryModules: 'hpp',
  zesMemoryGetProperties: 'hp',
  zesMemoryGetState: 'hp',
  zesDeviceGetCardPowerDomain: 'hp',
  zesDeviceEnumPowerDomains: 'hpp',
  zesPowerGetEnergyCounter: 'hp',
  zesPowerGetLimitsExt: 'hpp',
  zesDeviceEnumFrequencyDomains: 'hpp',
  zesFrequencyGetProperties: 'hp',
  zesFrequencyGetState: 'hp',
  zesDeviceEnumTemperatureSensors: 'hpp',
  zesTemperatureGetProperties: 'hp',
  zesTemperatureGetState: 'hp',
  zesDeviceEnumFans: 'hpp',
  zesFanGetState: 'hup',
  zesDeviceEnumRasErrorSets: 'hpp',
  zesRasGetProperties: 'hp',
  zesRasGetState: 'hbp',
  zesDeviceEnumFabricPorts: 'hpp',
  zesFabricPortGetThroughput: 'hp',
  zesDeviceProcessesGetState: 'hpp',
} as const;

export type ZesFunction = keyof typeof FUNCTIONS;
export type ZesArgument = number | bigint | Buffer | null;

const UNSUPPORTED = 0x78000003;

/**
 * The library, its functions bound when they are first called: versions differ in which they have. Every call may block,
 * so this is loaded in a thread of its own.
 */
export class LevelZero {
  readonly #library: LibraryHandle;
  readonly #bound = new Map<ZesFunction, ((...given: ZesArgument[]) => number) | undefined>();

  private constructor(library: LibraryHandle) {
    this.#library = library;
  }

  /** The first of the files that can be loaded; undefined when there is none. */
  static load(paths: readonly string[]): LevelZero | undefined {
    for (const path of paths) {
      try {
        return new LevelZero(koffi.load(path));
      } catch {
        continue;
      }
    }
    return undefined;
  }

  /** Calls a function, which answers with a code as an unsigned number; one that this version does not have is unsupported. */
  call(name: ZesFunction, ...given: ZesArgument[]): number {
    if (!this.#bound.has(name)) this.#bound.set(name, this.#bind(name));
    const code = this.#bound.get(name)?.(...given);
    return code === undefined ? UNSUPPORTED : code >>> 0;
  }

  #bind(name: ZesFunction): ((...given: ZesArgument[]) => number) | undefined {
    const types = Array.from(FUNCTIONS[name], (letter) => TYPES[letter] ?? 'void *');
    try {
      return this.#library.func(name, 'int', types) as (...given: ZesArgument[]) => number;
    } catch {
      return undefined;
    }
  }
}

/** Asks an open device file; whether it answered into `argument`. Blocks as long as the driver does. */
export type Ioctl = (descriptor: number, request: number, argument: Buffer) => boolean;

/** The system call through the C library that the program runs on; tests give one of their own. */
export function loadIoctl(library: string | null = null): Ioctl {
  const ioctl = koffi.load(library).func('int ioctl(int descriptor, unsigned long request, void *argument)');
  return (descriptor, request, argument) => (ioctl(descriptor, request, argument) as number) === 0;
}

/** Where a buffer lies, for structures that point at others. It must live until the call is over. */
export const addressOf = (buffer: Buffer): bigint => koffi.address(buffer);
