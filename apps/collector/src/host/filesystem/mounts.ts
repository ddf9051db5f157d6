/** A row of `/proc/<pid>/mountinfo`. */
export interface Mount {
  /** `major:minor` of the file system: the same for everything that is mounted of it. */
  readonly device: string;
  /** Which directory of the file system is mounted; `/` unless it is a bind mount or a subvolume. */
  readonly root: string;
  readonly mountPoint: string;
  readonly type: string;
  /** A device, a server's export, or just a word. */
  readonly source: string;
}

const DEVICE = /^\d{1,10}:\d{1,10}$/;

/** Blank, tab, line feed, backslash and `#` stand as three octal digits. */
const unescapeOctal = (text: string): string =>
  text.includes('\\')
    ? text.replaceAll(/\\([01][0-7]{2})/g, (_, octal: string) => String.fromCodePoint(parseInt(octal, 8)))
    : text;

/**
 * `id parent major:minor root mountPoint options [tags...] - type source superOptions` a line. What is mounted later on the
 * same mount point hides what was there. A line that was cut off is left out.
 */
export function parseMountinfo(text: string): Mount[] {
  const mounts = new Map<string, Mount>();
  const lines = text.split('\n');
  lines.pop();
  for (const line of lines) {
    const words = line.split(' ');
    const dash = words.indexOf('-', 6);
    const [, , device = '', root = '', mountPoint = ''] = words;
    const type = words[dash + 1] ?? '';
    const source = words[dash + 2];
    if (dash < 0 || type === '' || source === undefined || !DEVICE.test(device)) continue;
    if (!root.startsWith('/') || !mountPoint.startsWith('/')) continue;
    const path = unescapeOctal(mountPoint);
    mounts.delete(path);
    mounts.set(path, {
      device,
      root: unescapeOctal(root),
      mountPoint: path,
      type: unescapeOctal(type),
      source: unescapeOctal(source),
    });
  }
  return [...mounts.values()];
}

/** Types that `/proc/filesystems` marks `nodev`: most of them hold no files of their own. */
export function parseNodev(text: string): Set<string> {
  const types = new Set<string>();
  for (const line of text.split('\n')) {
    const match = /^nodev\t(\S+)$/.exec(line);
    if (match?.[1] !== undefined) types.add(match[1]);
  }
  return types;
}

/** On a server, or answered by a program: each call may hang for as long as that does. */
const REMOTE: ReadonlySet<string> = new Set([
  'nfs',
  'nfs4',
  'cifs',
  'smb3',
  'smbfs',
  'ncpfs',
  'ceph',
  '9p',
  'afs',
  'coda',
  'lustre',
  'gpfs',
  'beegfs',
  'orangefs',
  'pvfs2',
  'panfs',
  'wekafs',
  'gfs2',
  'ocfs2',
  'fuse',
  'fuseblk',
  'vboxsf',
  'prl_fs',
]);

/** Marked `nodev`, yet with files of their own. */
const WITH_FILES: ReadonlySet<string> = new Set(['zfs', 'virtiofs', 'bcachefs', 'drvfs']);

/** Views into other file systems, and programs that only look like a file system. */
const VIEWS: ReadonlySet<string> = new Set([
  'fuse.lxcfs',
  'fuse.gvfsd-fuse',
  'fuse.portal',
  'fuse.snapfuse',
  'fuse.squashfuse',
  'fuse.squashfuse_ll',
  'fuse.fuse-overlayfs',
]);

/** What a container or a live system has as its root; anywhere else it is a container's of another file system. */
const OVERLAY: ReadonlySet<string> = new Set(['overlay', 'aufs', 'fuse.fuse-overlayfs']);

export const isRemote = (type: string): boolean => REMOTE.has(type) || type.startsWith('fuse.');

function holdsFiles({ type, mountPoint }: Mount, nodev: ReadonlySet<string> | undefined): boolean {
  if (OVERLAY.has(type)) return mountPoint === '/';
  if (VIEWS.has(type)) return false;
  if (isRemote(type) || WITH_FILES.has(type)) return true;
  return nodev !== undefined && !nodev.has(type);
}

/** Whose answer a mount waits for: all mounts of a dead server hang. */
export function serverOf({ type, source, device }: Mount): string {
  const host = /^\/\/([^/]+)/.exec(source)?.[1] ?? /^(.+?):\//.exec(source)?.[1];
  return host === undefined ? `${type} ${device}` : host.toLowerCase();
}

/** A file system with all places where it is mounted, the one to report first. */
export interface MountedVolume {
  readonly device: string;
  readonly places: readonly Mount[];
  /** A call may hang: it is on a server, or the way to it leads through one. */
  readonly risky: boolean;
}

/** Bounds the series of a host with a volume for every container. */
export const MAX_VOLUMES = 1_000;

/**
 * File systems that hold files, each once however often it is mounted: at the place where all of it is mounted rather
 * than a part, and of those at the shortest path. `nodev` undefined: only what is known by its type.
 */
export function chooseVolumes(
  mounts: readonly Mount[],
  nodev: ReadonlySet<string> | undefined,
  excluded: ReadonlySet<string>,
): MountedVolume[] {
  const riskyPlaces = mounts.filter(({ type }) => isRemote(type)).map(({ mountPoint }) => mountPoint);
  const isRisky = ({ mountPoint }: Mount): boolean =>
    riskyPlaces.some((place) => place === mountPoint || mountPoint.startsWith(`${place}/`));
  const volumes = new Map<string, Mount[]>();
  for (const mount of mounts) {
    if (excluded.has(mount.type) || !holdsFiles(mount, nodev)) continue;
    const places = volumes.get(mount.device);
    if (places !== undefined) places.push(mount);
    else if (volumes.size < MAX_VOLUMES) volumes.set(mount.device, [mount]);
  }
  return [...volumes].map(([device, places]) => {
    places.sort(
      (a, b) => Number(a.root !== '/') - Number(b.root !== '/') || a.mountPoint.length - b.mountPoint.length,
    );
    const safe = places.filter((place) => !isRisky(place));
    return { device, places: safe.length > 0 ? safe : places, risky: safe.length === 0 };
  });
}

/** `major:minor` as `stat` has it in one number (glibc's and musl's `makedev`). */
export function deviceNumber(device: string): number {
  const [major = 0, minor = 0] = device.split(':').map(Number);
  return (
    Math.floor(minor / 256) * 2 ** 20 +
    (major % 4_096) * 256 +
    (minor % 256) +
    Math.floor(major / 4_096) * 2 ** 44
  );
}
