import { join } from 'node:path';
import { readLine, readNames, readText } from '../../files.ts';
import type { HostPaths } from '../../host-paths.ts';
import type { DiskReading, DiskTraffic } from './disks.ts';

const MAX_BYTES = 4 * 1_048_576;
/** What the kernel calls a sector here is 512 bytes, whatever the disk has. */
const SECTOR = 512n;
const MIN_FIELDS = 14;
const WHOLE = /^\d{1,20}$/;

/** Files and memory that act as disks, floppy drives, and the single paths of an NVMe disk that is counted as a whole. */
const NO_DISK = /^(?:loop|ram|zram|fd)\d|^nvme\d+c\d+n\d/;
/** Devices made of others, by name, for hosts whose /sys is not to be seen. */
const STACKED = /^(?:dm-|md|bcache)\d/;
/** Volumes of ZFS and DRBD: /sys does not name the devices below them. */
const ALWAYS_STACKED = /^(?:zd|drbd)\d/;

/** A row of `/proc/diskstats`. */
export interface DiskRow extends DiskReading {
  readonly write: DiskTraffic;
}

/**
 * `/proc/diskstats`: numbers of the device, its name, then reads, merged reads, sectors, milliseconds, the same of
 * writes, operations under way, milliseconds at work. Later kernels add columns at the end. Cut rows are left out.
 */
export function parseDiskstats(text: string): DiskRow[] {
  const rows = new Map<string, DiskRow>();
  const lines = text.split('\n');
  lines.pop();
  for (const line of lines) {
    const words = line.trim().split(/ +/);
    const name = words[2] ?? '';
    if (words.length < MIN_FIELDS || name === '' || rows.has(name)) continue;
    const fields = words.slice(3, MIN_FIELDS);
    if (!fields.every((field) => WHOLE.test(field))) continue;
    const at = (index: number): bigint => BigInt(fields[index] ?? 0);
    const traffic = (from: number): DiskTraffic => ({
      operations: at(from),
      merged: at(from + 1),
      bytes: at(from + 2) * SECTOR,
      milliseconds: at(from + 3),
    });
    // In sysfs and elsewhere the kernel writes a slash in a device's name (cciss/c0d0) as `!`.
    rows.set(name, { name, read: traffic(0), write: traffic(4), busyMilliseconds: at(9) });
  }
  return [...rows.values()];
}

/** The disk that a partition's name is made of: `sda1` of `sda`, `nvme0n1p2` of `nvme0n1`. */
export function diskOfPartition(name: string): string | undefined {
  const match = /^(.*?)(p?)\d+$/.exec(name);
  const base = match?.[1];
  if (base === undefined || base === '') return undefined;
  // The `p` stands only where the disk's own name ends in a digit.
  return (match?.[2] === 'p') === /\d$/.test(base) ? base : undefined;
}

/** What /sys says of a device. */
export interface DiskFacts {
  /** It is made of other devices, which are counted. */
  readonly stacked: boolean;
  readonly readOnly: boolean;
}

/**
 * The rows that are disks and are counted once: not the partitions of a disk that is there itself, nor what is made of
 * other devices (device mapper, software RAID): what is read from these is read from the disks below them. A partition
 * without its disk (`xvda1` of some clouds) is one.
 */
export function chooseDisks(rows: readonly DiskRow[], factsOf: (name: string) => DiskFacts): DiskReading[] {
  const names = new Set(rows.map(({ name }) => name));
  const chosen: DiskReading[] = [];
  for (const row of rows) {
    const whole = diskOfPartition(row.name);
    if (NO_DISK.test(row.name) || (whole !== undefined && names.has(whole))) continue;
    const facts = factsOf(row.name);
    if (facts.stacked) continue;
    const { write, ...rest } = row;
    chosen.push(facts.readOnly && write.operations === 0n ? rest : row);
  }
  return chosen;
}

/** Reads /proc/diskstats at every call, and /sys/class/block for devices that were not there before. */
export function linuxDisks(paths: HostPaths): () => DiskReading[] | undefined {
  let known = new Map<string, DiskFacts>();
  return () => {
    const text = readText(join(paths.proc, 'diskstats'), MAX_BYTES);
    if (text === undefined) return undefined;
    const now = new Map<string, DiskFacts>();
    const chosen = chooseDisks(parseDiskstats(text), (name) => {
      const facts = known.get(name) ?? factsOf(paths, name);
      now.set(name, facts);
      return facts;
    });
    known = now;
    return chosen;
  };
}

/** One name of a directory is enough here. */
const ONE = 1;

function factsOf(paths: HostPaths, name: string): DiskFacts {
  const folder = join(paths.sys, 'class', 'block', name.replaceAll('/', '!'));
  const slaves = readNames(join(folder, 'slaves'), ONE);
  return {
    stacked: ALWAYS_STACKED.test(name) || (slaves === undefined ? STACKED.test(name) : slaves.length > 0),
    readOnly: readLine(join(folder, 'ro'), 16) === '1',
  };
}
