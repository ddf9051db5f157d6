/** What one direction of a disk has counted. Milliseconds are 32 bits wide on Linux: they wrap. */
export interface DiskTraffic {
  readonly bytes: bigint;
  readonly operations: bigint;
  readonly merged?: bigint;
  readonly milliseconds?: bigint;
}

export interface DiskReading {
  readonly name: string;
  readonly read: DiskTraffic;
  /** Absent for a disk that cannot be written. */
  readonly write?: DiskTraffic;
  /** Time in which it was at work. */
  readonly busyMilliseconds?: bigint;
}

/** Bounds the series of a host with a storage network. */
export const MAX_DISKS = 1_000;
