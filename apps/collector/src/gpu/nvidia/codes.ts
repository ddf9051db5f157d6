/** Return codes of NVML (`nvmlReturn_t`) that are told apart. */
export const SUCCESS = 0;
export const NOT_SUPPORTED = 3;
export const INSUFFICIENT_SIZE = 7;
export const FUNCTION_NOT_FOUND = 13;
const UNINITIALIZED = 1;
const NOT_FOUND = 6;
const GPU_IS_LOST = 15;
const RESET_REQUIRED = 16;
const LIB_RM_VERSION_MISMATCH = 18;
const VERSION_MISMATCH = 25;
const DEPRECATED = 26;
const GPU_NOT_FOUND = 28;

const NAMES: Readonly<Record<number, string>> = {
  1: 'the library is not initialised',
  2: 'invalid argument',
  3: 'not supported by this device',
  4: 'no permission: the agent may not use the device files of NVIDIA',
  6: 'not found',
  7: 'insufficient size',
  8: 'the external power of the GPU is not connected',
  9: 'the NVIDIA driver is not loaded',
  10: 'timeout',
  11: 'the kernel found a problem with the interrupts of the GPU',
  12: 'a library of the driver was not found',
  13: 'not in this version of the library',
  14: 'the information memory of the GPU is corrupted',
  15: 'the GPU has fallen off the bus',
  16: 'the GPU has to be reset',
  17: 'the operating system denied access to the device: is it given to the container?',
  18: 'library and driver are of different versions: the driver was upgraded and not loaded again',
  19: 'the GPU is in use',
  20: 'out of memory',
  21: 'no data',
  23: 'out of resources',
  25: 'the version of the structure is not known',
  26: 'no longer in this version of the library',
  27: 'not ready',
  28: 'no such GPU',
  999: 'unknown error of the driver',
};

/** A code in words. */
export const codeText = (code: number): string => `${NAMES[code] ?? 'NVML error'} (${code})`;

/** The device is gone or of no use before it is reset. */
export const isLost = (code: number): boolean => code === GPU_IS_LOST || code === RESET_REQUIRED;
/** The library has to be loaded or initialised anew. */
export const isStale = (code: number): boolean => code === LIB_RM_VERSION_MISMATCH || code === UNINITIALIZED;
/** The handle is of nothing any more: a partition that was taken apart. */
export const isGone = (code: number): boolean => code === NOT_FOUND || code === GPU_NOT_FOUND;

const NEVER: ReadonlySet<number> = new Set([NOT_SUPPORTED, FUNCTION_NOT_FOUND, VERSION_MISMATCH, DEPRECATED]);
/** This device, or this version of the library, will not answer that however often it is asked. */
export const isNever = (code: number): boolean => NEVER.has(code);
