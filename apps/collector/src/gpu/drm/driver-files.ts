import { closeSync, constants, openSync, readSync } from 'node:fs';
import { readLine, readNames, readNumber, readText } from '../../files.ts';

/**
 * Files that a driver answers by asking its device: a device that resets says EBUSY, one that sleeps EPERM, one without
 * the sensor EINVAL, one that is sick EIO. All of these mean the same here: the value is not known now.
 */
function attempt<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

export const driverNumber = (path: string): number | undefined => attempt(() => readNumber(path));
export const driverLine = (path: string, maxBytes?: number): string | undefined =>
  attempt(() => readLine(path, maxBytes));
export const driverText = (path: string, maxBytes: number): string | undefined =>
  attempt(() => readText(path, maxBytes));
export const driverNames = (path: string, maxEntries: number): readonly string[] =>
  attempt(() => readNames(path, maxEntries)) ?? [];

/** At most the first `maxBytes`; undefined when there are none. */
export function driverBytes(path: string, maxBytes: number): Buffer | undefined {
  return attempt(() => {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const buffer = Buffer.alloc(maxBytes);
      let size = 0;
      while (size < maxBytes) {
        const count = readSync(descriptor, buffer, size, maxBytes - size, null);
        if (count === 0) break;
        size += count;
      }
      return size === 0 ? undefined : buffer.subarray(0, size);
    } finally {
      closeSync(descriptor);
    }
  });
}

/** A whole number that may be beyond 2^53. */
export function driverCount(path: string): bigint | undefined {
  const text = driverLine(path, 64);
  return text !== undefined && /^\d{1,20}$/.test(text) ? BigInt(text) : undefined;
}
