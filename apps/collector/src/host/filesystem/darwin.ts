import { spaceOf, type Volume } from './volume.ts';

/** `struct statfs` with 64 bits of inode (sys/mount.h). */
export const STATFS_BYTES = 2_168;
const FLAGS = 64;
const TYPE = 72;
const MOUNT_POINT = 88;
const SOURCE = 1_112;
const NAME = 1_024;

/** Not for people: the system's own volumes, which share the space of the container of `/`. */
const MNT_DONTBROWSE = 0x0010_0000;
/** They have no space of their own. */
const VIEWS: ReadonlySet<string> = new Set(['devfs', 'autofs', 'nullfs', 'lifs']);

const text = (bytes: Buffer, from: number, length: number): string => {
  const end = bytes.indexOf(0, from);
  return bytes.toString('utf8', from, end < 0 || end > from + length ? from + length : end);
};

/** The mounts of a Mac but views and the system's own volumes. */
export function parseStatfsList(bytes: Buffer, excluded: ReadonlySet<string>): Volume[] {
  const volumes: Volume[] = [];
  for (let at = 0; at + STATFS_BYTES <= bytes.length; at += STATFS_BYTES) {
    const one = bytes.subarray(at, at + STATFS_BYTES);
    const type = text(one, TYPE, 16);
    const mountPoint = text(one, MOUNT_POINT, NAME);
    if (VIEWS.has(type) || excluded.has(type)) continue;
    if (mountPoint !== '/' && (one.readUInt32LE(FLAGS) & MNT_DONTBROWSE) !== 0) continue;
    const space = spaceOf({
      bsize: one.readUInt32LE(0),
      blocks: Number(one.readBigUInt64LE(8)),
      bfree: Number(one.readBigUInt64LE(16)),
      bavail: Number(one.readBigUInt64LE(24)),
    });
    if (space !== undefined) volumes.push({ device: text(one, SOURCE, NAME), mountPoint, type, space });
  }
  return volumes;
}
