import { closeSync, constants, fstatSync, openSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { readHead } from '../../files.ts';
import type { HostPaths } from '../../host-paths.ts';

/** A row of /proc/<pid>/maps: a part of a file that the process may run. */
export interface MappedFile {
  /** `7f01…-7f02…`, as the row has it. */
  readonly range: string;
  readonly start: bigint;
  readonly end: bigint;
  /** Where in the file it begins. */
  readonly offset: number;
  readonly inode: number;
  /** As the process sees it, without the mark of a file that was deleted. */
  readonly path: string;
}

/** A process of a framework has thousands of rows. */
const MAX_MAPS_BYTES = 16 * 1_024 * 1_024;
const ROW =
  /^([0-9a-f]{1,16}-[0-9a-f]{1,16}) [r-][w-]x[sp] ([0-9a-f]{1,16}) [0-9a-f]+:[0-9a-f]+ (\d{1,20}) +(\/.*)$/;

/** Rows whose parts may be run and whose path `wanted` takes. */
export function parseMaps(text: string, wanted: (path: string) => boolean): MappedFile[] {
  const found: MappedFile[] = [];
  for (const line of text.split('\n')) {
    if (line.length < 50 || line.charCodeAt(line.indexOf(' ') + 3) !== 120 /* x */) continue;
    const row = ROW.exec(line);
    if (row === null) continue;
    const [, range = '', offset = '', inode = '', name = ''] = row;
    const path = name.replace(/ \(deleted\)$/, '');
    if (!wanted(path)) continue;
    const [start = '', end = ''] = range.split('-');
    found.push({
      range,
      start: BigInt(`0x${start}`),
      end: BigInt(`0x${end}`),
      offset: Number.parseInt(offset, 16),
      inode: Number(inode),
      path,
    });
  }
  return found;
}

/** The text of a process's maps; undefined when it is gone or not for us. */
export const readMaps = (paths: HostPaths, pid: number): string | undefined =>
  readHead(join(paths.proc, String(pid), 'maps'), MAX_MAPS_BYTES);

const OVERLAY = 0x794c7630;

/** A file that is open, however it was named; close it. */
export interface OpenFile {
  readonly descriptor: number;
  /** A path that the kernel opens as this very file. */
  readonly path: string;
  /** The same for two names of one file, in whatever container. */
  readonly key: string;
  close(): void;
}

/**
 * Opens what a process has mapped: also when it was deleted or lies in a mount namespace of the process's own. Undefined
 * when it cannot be reached.
 */
export function openMapped(paths: HostPaths, pid: number, file: MappedFile): OpenFile | undefined {
  const folder = join(paths.proc, String(pid));
  for (const path of [join(folder, 'map_files', file.range), join(folder, 'root', file.path)]) {
    let descriptor: number;
    try {
      descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    } catch {
      continue;
    }
    try {
      const { dev, ino, size, mtimeNs } = fstatSync(descriptor, { bigint: true });
      const own = `/proc/self/fd/${descriptor}`;
      // A name may lead elsewhere by now. (Layers of containers have numbers of their own, which maps tell otherwise.)
      const layered = statfsSync(own).type === OVERLAY;
      if (!layered && Number(ino) !== file.inode) {
        closeSync(descriptor);
        continue;
      }
      // Two containers of one image have one file below, which is probed once: their layers differ in the device only.
      const key = layered ? `layer ${ino} ${size} ${mtimeNs}` : `${dev} ${ino}`;
      return { descriptor, path: own, key, close: () => closeSync(descriptor) };
    } catch {
      closeSync(descriptor);
    }
  }
  return undefined;
}
