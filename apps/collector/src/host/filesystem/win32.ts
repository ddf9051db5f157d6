import { spaceOf, type Volume } from './volume.ts';

/** A volume with a letter, in bytes. `available` is less than `free` where users have quotas. */
export interface WindowsVolume {
  readonly root: string;
  readonly type: string;
  readonly total: bigint;
  readonly free: bigint;
  readonly available: bigint;
}

export function volumesOf(drives: readonly WindowsVolume[], excluded: ReadonlySet<string>): Volume[] {
  return drives.flatMap(({ root, type, total, free, available }): Volume[] => {
    const space = spaceOf({
      bsize: 1,
      blocks: Number(total),
      bfree: Number(free),
      bavail: Number(available),
    });
    if (space === undefined || excluded.has(type)) return [];
    const letter = root.replace(/\\$/, '');
    return [{ device: letter, mountPoint: letter, type, space }];
  });
}
