import {
  systemFilesystemLimit,
  systemFilesystemUsage,
  systemFilesystemUtilization,
} from '@candela/semconv/metrics';
import type { RecordPoint } from '../../source.ts';

/** Space of a file system in bytes; the three parts add up to its size. */
export interface Space {
  readonly used: number;
  /** What any program may still fill. */
  readonly free: number;
  /** Free, but only for root. */
  readonly reserved: number;
}

export interface Volume {
  readonly device: string;
  readonly mountPoint: string;
  readonly type: string;
  readonly space: Space;
}

/** What `statfs` tells, in blocks. Programs that act as file systems say anything: the parts add up all the same. */
export interface Blocks {
  readonly bsize: number;
  /** Size of the blocks that are counted; 0 or absent where it is `bsize`. */
  readonly frsize?: number;
  readonly blocks: number;
  readonly bfree: number;
  readonly bavail: number;
}

/** Undefined for what has no size: a view into something else. */
export function spaceOf({ bsize, frsize, blocks, bfree, bavail }: Blocks): Space | undefined {
  const size = frsize === undefined || frsize === 0 ? bsize : frsize;
  const notUsed = Math.min(bfree, blocks);
  const free = Math.min(bavail, notUsed);
  if (![size, blocks, notUsed, free].every((value) => Number.isFinite(value) && value >= 0)) return undefined;
  if (size * blocks === 0) return undefined;
  return { used: (blocks - notUsed) * size, free: free * size, reserved: (notUsed - free) * size };
}

export function recordVolume(record: RecordPoint, { device, mountPoint, type, space }: Volume): void {
  const attributes = {
    'system.device': device,
    'system.filesystem.mountpoint': mountPoint,
    'system.filesystem.type': type,
  };
  const { used, free, reserved } = space;
  record(systemFilesystemUsage, used, { ...attributes, 'system.filesystem.state': 'used' });
  record(systemFilesystemUsage, free, { ...attributes, 'system.filesystem.state': 'free' });
  if (reserved > 0) {
    record(systemFilesystemUsage, reserved, { ...attributes, 'system.filesystem.state': 'reserved' });
  }
  record(systemFilesystemLimit, used + free + reserved, attributes);
  if (used + free > 0) record(systemFilesystemUtilization, used / (used + free), attributes);
}
