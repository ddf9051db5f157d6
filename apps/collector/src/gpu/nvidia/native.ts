import koffi, { type LibraryHandle } from 'koffi';
import { FUNCTION_NOT_FOUND } from './codes.ts';

/** What a function takes, a letter each: a handle, a pointer, a 32-bit and a 64-bit whole number. */
const TYPES: Readonly<Record<string, string>> = { h: 'uintptr_t', p: 'void *', u: 'uint32_t', q: 'uint64_t' };

/** The functions of NVML that are used; all return a code. Where one has a number, the ones before it are asked next. */
const FUNCTIONS = {
  nvmlInitWithFlags: 'u',
  nvmlInit_v2: '',
  nvmlShutdown: '',
  nvmlDeviceGetCount_v2: 'p',
  nvmlDeviceGetHandleByIndex_v2: 'up',
  nvmlDeviceGetHandleByPciBusId_v2: 'pp',
  nvmlDeviceGetIndex: 'hp',
  nvmlDeviceGetMinorNumber: 'hp',
  nvmlDeviceGetUUID: 'hpu',
  nvmlDeviceGetName: 'hpu',
  nvmlDeviceGetPciInfo_v3: 'hp',
  nvmlDeviceGetPciInfo_v2: 'hp',
  nvmlDeviceGetUtilizationRates: 'hp',
  nvmlDeviceGetEncoderUtilization: 'hpp',
  nvmlDeviceGetDecoderUtilization: 'hpp',
  nvmlDeviceGetMemoryInfo_v2: 'hp',
  nvmlDeviceGetMemoryInfo: 'hp',
  nvmlDeviceGetTemperatureV: 'hp',
  nvmlDeviceGetTemperature: 'hup',
  nvmlDeviceGetNumFans: 'hp',
  nvmlDeviceGetNumGpuCores: 'hp',
  nvmlDeviceGetFanSpeed_v2: 'hup',
  nvmlDeviceGetFanSpeed: 'hp',
  nvmlDeviceGetPowerUsage: 'hp',
  nvmlDeviceGetEnforcedPowerLimit: 'hp',
  nvmlDeviceGetTotalEnergyConsumption: 'hp',
  nvmlDeviceGetClockInfo: 'hup',
  nvmlDeviceGetFieldValues: 'hup',
  nvmlDeviceGetTotalEccErrors: 'huup',
  nvmlDeviceGetPcieReplayCounter: 'hp',
  nvmlDeviceGetRemappedRows: 'hpppp',
  nvmlDeviceGetRetiredPagesPendingStatus: 'hp',
  nvmlDeviceGetCurrentClocksEventReasons: 'hp',
  nvmlDeviceGetCurrentClocksThrottleReasons: 'hp',
  nvmlDeviceGetComputeRunningProcesses_v3: 'hpp',
  nvmlDeviceGetComputeRunningProcesses_v2: 'hpp',
  nvmlDeviceGetComputeRunningProcesses: 'hpp',
  nvmlDeviceGetGraphicsRunningProcesses_v3: 'hpp',
  nvmlDeviceGetGraphicsRunningProcesses_v2: 'hpp',
  nvmlDeviceGetGraphicsRunningProcesses: 'hpp',
  nvmlDeviceGetMPSComputeRunningProcesses_v3: 'hpp',
  nvmlDeviceGetMPSComputeRunningProcesses_v2: 'hpp',
  nvmlDeviceGetMPSComputeRunningProcesses: 'hpp',
  nvmlDeviceGetProcessUtilization: 'hppq',
  nvmlDeviceGetMigMode: 'hpp',
  nvmlDeviceGetMaxMigDeviceCount: 'hp',
  nvmlDeviceGetMigDeviceHandleByIndex: 'hup',
  nvmlDeviceGetGpuInstanceId: 'hp',
  nvmlDeviceGetComputeInstanceId: 'hp',
  nvmlDeviceGetAttributes_v2: 'hp',
  nvmlDeviceGetSupportedEventTypes: 'hp',
  nvmlDeviceRegisterEvents: 'hqh',
  nvmlEventSetCreate: 'p',
  nvmlEventSetWait_v2: 'hpu',
  nvmlEventSetFree: 'h',
  nvmlGpmQueryDeviceSupport: 'hp',
  nvmlGpmSampleAlloc: 'p',
  nvmlGpmSampleFree: 'h',
  nvmlGpmSampleGet: 'hh',
  nvmlGpmMigSampleGet: 'huh',
  nvmlGpmMetricsGet: 'p',
} as const;

export type NvmlFunction = keyof typeof FUNCTIONS;
export type NvmlArgument = number | bigint | Buffer | null;

/** The library, its functions bound when they are first called: drivers differ in which they have. */
export class Nvml {
  readonly path: string;
  readonly #library: LibraryHandle;
  readonly #bound = new Map<NvmlFunction, ((...given: NvmlArgument[]) => number) | undefined>();

  private constructor(path: string, library: LibraryHandle) {
    this.path = path;
    this.#library = library;
  }

  /** The first of the files that can be loaded. @throws when there is none, or none that can be */
  static load(paths: readonly string[]): Nvml {
    const failures: string[] = [];
    for (const path of paths) {
      try {
        return new Nvml(path, koffi.load(path));
      } catch (thrown) {
        const message = thrown instanceof Error ? thrown.message : String(thrown);
        if (!message.includes('No such file')) failures.push(`${path}: ${message}`);
      }
    }
    throw new Error(
      failures.length === 0
        ? `${paths[0]} was not found: is the driver of NVIDIA installed, and given to the container?`
        : failures.join('; '),
    );
  }

  /** Calls a function; one that this driver does not have answers as the library itself says so. */
  call(name: NvmlFunction, ...given: NvmlArgument[]): number {
    if (!this.#bound.has(name)) this.#bound.set(name, this.#bind(name));
    return this.#bound.get(name)?.(...given) ?? FUNCTION_NOT_FOUND;
  }

  #bind(name: NvmlFunction): ((...given: NvmlArgument[]) => number) | undefined {
    const types = Array.from(FUNCTIONS[name], (letter) => TYPES[letter] ?? 'void *');
    try {
      return this.#library.func(name, 'int', types) as (...given: NvmlArgument[]) => number;
    } catch {
      return undefined;
    }
  }

  /** Lets go of the file, so that a driver that was upgraded is loaded anew. */
  unload(): void {
    this.#library.unload();
  }
}
