import { type StatsFs, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../../files.ts';
import { type HostPaths, inRoot } from '../../host-paths.ts';
import type { Log } from '../../log.ts';
import {
  chooseVolumes,
  deviceNumber,
  MAX_VOLUMES,
  type Mount,
  type MountedVolume,
  parseMountinfo,
  parseNodev,
  serverOf,
} from './mounts.ts';
import { PatientStatfs } from './patient.ts';
import { spaceOf, type Volume } from './volume.ts';

/** A node of a cluster has some 500 mounts of 200 characters a hundred containers. */
const MAX_BYTES = 16 * 1_048_576;
const MAX_TYPES_BYTES = 65_536;

/** These give each subvolume a device number of its own, which is not that of the table of mounts. */
const OWN_NUMBERS: ReadonlySet<string> = new Set(['btrfs', 'bcachefs']);

interface Place {
  readonly mount: Mount;
  /** As it is reached from here. */
  readonly path: string;
}

interface Plan {
  readonly local: readonly Place[];
  readonly risky: readonly Place[];
}

interface Table {
  readonly text: string;
  readonly ofHost: boolean;
}

/**
 * The table of mounts. With the host's root mounted here it is that of the host's first process; where that may not be
 * read, it is our own, of which only what lies below that root is the host's.
 */
function tableOf(paths: HostPaths): Table | undefined {
  const ofHost = paths.root === '/' ? undefined : readText(join(paths.proc, '1', 'mountinfo'), MAX_BYTES);
  if (ofHost !== undefined) return { text: ofHost, ofHost: true };
  const text = readText(join(paths.proc, 'self', 'mountinfo'), MAX_BYTES);
  return text === undefined ? undefined : { text, ofHost: false };
}

/** Mounts by the paths of the host. */
function mountsOf(table: Table, { root }: HostPaths): Mount[] {
  const mounts = parseMountinfo(table.text);
  if (table.ofHost || root === '/') return mounts;
  return mounts.flatMap((mount) => {
    if (mount.mountPoint === root) return [{ ...mount, mountPoint: '/' }];
    return mount.mountPoint.startsWith(`${root}/`)
      ? [{ ...mount, mountPoint: mount.mountPoint.slice(root.length) }]
      : [];
  });
}

/** Whether what is found at a place is the file system that the table says, and not one that hides or stands in for it. */
function isThat(mount: Mount, found: { readonly isDirectory: boolean; readonly dev: number }): boolean {
  if (!found.isDirectory) return false;
  return OWN_NUMBERS.has(mount.type) || found.dev === deviceNumber(mount.device);
}

function statPlace(path: string): { readonly isDirectory: boolean; readonly dev: number } | undefined {
  try {
    const stat = statSync(path);
    return { isDirectory: stat.isDirectory(), dev: stat.dev };
  } catch {
    return undefined;
  }
}

function statfsOf(path: string): StatsFs | undefined {
  try {
    return statfsSync(path);
  } catch {
    // Not for us to see, or gone since the table was read.
    return undefined;
  }
}

const volume = ({ device, mountPoint, type, source }: Mount, space: Volume['space']): Volume => ({
  device: source === '' ? device : source,
  mountPoint,
  type,
  space,
});

/** The file systems of a Linux host. The table of mounts is worked out anew only when it has changed. */
export class LinuxFilesystems {
  readonly #paths: HostPaths;
  readonly #excluded: ReadonlySet<string>;
  readonly #log: Log;
  readonly #patient: PatientStatfs;
  #text: string | undefined;
  #plan: Plan = { local: [], risky: [] };

  constructor(paths: HostPaths, excluded: readonly string[], log: Log) {
    this.#paths = paths;
    this.#excluded = new Set(excluded);
    this.#log = log;
    this.#patient = new PatientStatfs((server, hangs, noneLeft) => {
      if (hangs) log.warn('a file system does not answer and is left out until it does', { server });
      else log.info('a file system answers again', { server });
      if (noneLeft) {
        log.warn('too many file systems do not answer: none on a server is asked until one does again');
      }
    });
  }

  /** False when the system tells of no mounts. */
  refresh(): boolean {
    const table = tableOf(this.#paths);
    if (table === undefined) return false;
    if (table.text !== this.#text) {
      this.#text = table.text;
      this.#plan = this.#planOf(mountsOf(table, this.#paths));
    }
    return true;
  }

  /** Gives those that answer at once to `take`; the others follow while the promise is pending. */
  read(take: (volume: Volume) => void, signal: AbortSignal): Promise<void> | void {
    for (const { mount, path } of this.#plan.local) {
      const blocks = statfsOf(path);
      const space = blocks === undefined ? undefined : spaceOf(blocks);
      if (space !== undefined) take(volume(mount, space));
    }
    if (this.#plan.risky.length > 0) return this.#readRisky(take, signal);
  }

  async #readRisky(take: (volume: Volume) => void, signal: AbortSignal): Promise<void> {
    const { risky } = this.#plan;
    const places = risky.map(({ mount, path }) => ({ path, server: serverOf(mount) }));
    const answers = await this.#patient.ask(places, signal);
    for (const { mount, path } of risky) {
      const answer = answers.get(path);
      const space = answer !== undefined && isThat(mount, answer) ? spaceOf(answer) : undefined;
      if (space !== undefined) take(volume(mount, space));
    }
  }

  #planOf(mounts: readonly Mount[]): Plan {
    const types = readText(join(this.#paths.proc, 'filesystems'), MAX_TYPES_BYTES);
    const nodev = types === undefined ? undefined : parseNodev(types);
    const volumes = chooseVolumes(mounts, nodev, this.#excluded);
    if (volumes.length >= MAX_VOLUMES) {
      this.#log.warn(`Only the first ${MAX_VOLUMES} file systems are reported.`);
    }
    const local: Place[] = [];
    const risky: Place[] = [];
    for (const one of volumes) {
      const place = this.#placeOf(one);
      if (place === undefined) {
        this.#log.debug('a file system is not to be seen from here', { device: one.places[0]?.source });
      } else (one.risky ? risky : local).push(place);
    }
    return { local, risky };
  }

  /** Where to ask. A place that may hang is taken unseen. */
  #placeOf({ places, risky }: MountedVolume): Place | undefined {
    for (const mount of places) {
      const path = inRoot(this.#paths, mount.mountPoint);
      if (risky) return { mount, path };
      const found = statPlace(path);
      if (found !== undefined && isThat(mount, found)) return { mount, path };
    }
    return undefined;
  }

  async stop(): Promise<void> {
    await this.#patient.stop();
  }
}
