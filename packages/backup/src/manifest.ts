import { BackupError } from './targets/target.ts';

/** The regular files of one directory, one after the other in the chunks. */
export interface Pack {
  /** Below the data directory; '' for the directory itself. */
  readonly dir: string;
  readonly files: readonly (readonly [name: string, bytes: number])[];
  readonly chunks: readonly string[];
  /** Of a part of a table, which never changes: hash of its `checksums.txt`, by which the next backup knows it. */
  readonly sum?: string;
}

/** Rows of a project in a table, with a hash that does not depend on their order. */
export interface Count {
  readonly table: string;
  readonly project: string;
  readonly rows: number;
  readonly hash: string;
}

/** One backup. */
export interface Manifest {
  readonly format: 1;
  /** Of a project that is given to another installation, no data directory. */
  readonly kind?: 'project';
  /** Time and chance; sorts by time. */
  readonly id: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Version of the program. */
  readonly version: string;
  /** Whether telemetry is in it: of a ClickHouse of one's own it is not. */
  readonly telemetry: boolean;
  /** Whether the master key of the vault is in it: only where the backup is sealed. */
  readonly vaultKey: boolean;
  readonly packs: readonly Pack[];
  readonly counts: readonly Count[];
  /** Bytes of all files, and of those that no former backup had. */
  readonly bytes: number;
  readonly newBytes: number;
}

export const ID = /^\d{8}T\d{6}Z-[0-9a-f]{8}$/;
const NAME = /^[A-Za-z0-9._@+%=~-]{1,255}$/;
const CHUNK = /^[0-9a-f]{64}$/;

const isName = (name: string): boolean => NAME.test(name) && name !== '.' && name !== '..';
const isDir = (dir: string): boolean => dir === '' || dir.split('/').every(isName);

/** What a stored manifest says. @throws BackupError where it could lead out of the data directory, or is none */
export function parseManifest(bytes: Buffer, id: string): Manifest {
  const bad = (why: string): BackupError => new BackupError(`The backup ${id} cannot be used: ${why}.`);
  let manifest: Manifest;
  try {
    manifest = JSON.parse(bytes.toString('utf8')) as Manifest;
  } catch (thrown) {
    throw new BackupError(`The backup ${id} cannot be used: its manifest is damaged.`, { cause: thrown });
  }
  if (manifest.format !== 1) throw bad('a newer version of this program made it');
  if (manifest.id !== id || !Array.isArray(manifest.packs) || !Array.isArray(manifest.counts)) {
    throw bad('its manifest is damaged');
  }
  for (const { dir, files, chunks } of manifest.packs as readonly Pack[]) {
    const isSafe =
      typeof dir === 'string' &&
      Array.isArray(files) &&
      Array.isArray(chunks) &&
      isDir(dir) &&
      files.every(([name, size]) => isName(name) && Number.isSafeInteger(size) && size >= 0) &&
      chunks.every((chunk) => CHUNK.test(chunk));
    if (!isSafe) throw bad('it names a file that does not belong into a data directory');
  }
  return manifest;
}
