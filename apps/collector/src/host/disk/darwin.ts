import type { DiskReading } from './disks.ts';

/** Keys of the statistics of an `IOBlockStorageDriver`; times are nanoseconds. */
export const DRIVE_KEYS = [
  'Bytes (Read)',
  'Bytes (Write)',
  'Operations (Read)',
  'Operations (Write)',
  'Total Time (Read)',
  'Total Time (Write)',
] as const;

const NANOSECONDS = 1_000_000n;

/** Disks as IOKit tells of them; one that counts no bytes is none. */
export function disksOfDrives(
  drives: readonly { readonly name: string; readonly figures: ReadonlyMap<string, bigint> }[],
): DiskReading[] {
  return drives.flatMap(({ name, figures }): DiskReading[] => {
    const traffic = (of: 'Read' | 'Write') => {
      const bytes = figures.get(`Bytes (${of})`);
      const operations = figures.get(`Operations (${of})`);
      const time = figures.get(`Total Time (${of})`);
      if (bytes === undefined || operations === undefined) return undefined;
      return time === undefined
        ? { bytes, operations }
        : { bytes, operations, milliseconds: time / NANOSECONDS };
    };
    const read = traffic('Read');
    const write = traffic('Write');
    if (read === undefined) return [];
    return [write === undefined ? { name, read } : { name, read, write }];
  });
}
