/** Return codes of NVML (`nvmlReturn_t`) that are told apart. */
export const SUCCESS = 0;
export const FUNCTION_NOT_FOUND = 13;
const GPU_IS_LOST = 15;
const RESET_REQUIRED = 16;
const LIB_RM_VERSION_MISMATCH = 18;

const NAMES: Readonly<Record<number, string>> = {
  1: 'the library is not initialised',
  2: 'invalid argument',
  3: 'not supported by this device',
  4: 'no permission',
  6: 'not found',
  7: 'insufficient size',
  9: 'the NVIDIA driver is not loaded',
  10: 'timeout',
  12: 'a library of the driver was not found',
  13: 'not in this version of the library',
  15: 'the GPU has fallen off the bus',
  16: 'the GPU has to be reset',
  17: 'the operating system denied access to the device',
  18: 'library and driver are of different versions: the driver was upgraded',
  21: 'no data',
  25: 'the version of the structure is not known',
  27: 'not ready',
  28: 'no such GPU',
  999: 'unknown error',
};

/** A code in words. */
export const codeText = (code: number): string => `${NAMES[code] ?? 'NVML error'} (${code})`;

/** The device is gone or of no use before it is reset. */
export const isLost = (code: number): boolean => code === GPU_IS_LOST || code === RESET_REQUIRED;
export const isStale = (code: number): boolean => code === LIB_RM_VERSION_MISMATCH;
