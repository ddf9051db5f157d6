import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TelemetryStore } from '@candela/telemetry-store';
import { countsOf } from './counts.ts';
import type { Count, Manifest, Pack } from './manifest.ts';
import { newId, type Repository } from './repository.ts';

export interface CaptureParts {
  readonly repository: Repository;
  readonly dataDir: string;
  readonly version: string;
  readonly now: number;
  readonly signal: AbortSignal;
  /** The embedded store; undefined: telemetry lies in a ClickHouse of one's own, which is not backed up from here. */
  readonly store: Pick<TelemetryStore, 'select' | 'command'> | undefined;
  /**
   * Stores what is acknowledged and then holds the log still until the answer is called. What comes meanwhile is acknowledged
   * and waits in the log.
   */
  readonly hold: () => Promise<() => void>;
  /** Writes the metadata store into a new file of SQLite. */
  readonly metadata: (file: string) => Promise<void>;
}

/** Of the engine, below the data directory. */
const ENGINE = 'telemetry/engine/store';
const METADATA = 'metadata.sqlite';
const VAULT_KEY = 'vault.key';
/** Of a directory in the data directory, while a backup is made; nothing that a person would call one of theirs. */
const SCRATCH = '.candela-backup-scratch-';
const IS_SCRATCH = /^\.candela-backup-scratch-[A-Za-z0-9]{6}$/;
const SHADOW = /^candela_backup_[0-9a-z_]+$/;

/** Makes a backup of a running installation. @throws BackupError, and what the target throws */
export async function capture(parts: CaptureParts): Promise<Manifest> {
  const { repository, dataDir, signal, now } = parts;
  const former = await repository.newest();
  await repository.look();
  const id = newId(now);
  await sweep(dataDir);
  const scratch = await mkdtemp(join(dataDir, SCRATCH));
  const shadow = `candela_backup_${id.replaceAll('-', '_').toLowerCase()}`;
  try {
    const counts = await still(parts, shadow, scratch);
    const packs: Pack[] = [];
    let newBytes = 0;
    const add = async (
      root: string,
      dir: string,
      names: readonly string[],
      as = dir,
      sum?: string,
    ): Promise<void> => {
      signal.throwIfAborted();
      const stored = await repository.store(root, dir, names, signal);
      newBytes += stored.newBytes;
      packs.push({ ...stored.pack, dir: as, ...(sum === undefined ? {} : { sum }) });
    };
    await add(scratch, '', [METADATA]);
    const vaultKey = repository.isSealed && existsSync(join(dataDir, VAULT_KEY));
    if (vaultKey) await add(dataDir, '', [VAULT_KEY]);
    if (parts.store !== undefined) {
      for (const dir of await directoriesIn(join(scratch, 'engine'))) {
        await add(join(scratch, 'engine'), dir.path, dir.files, join(ENGINE, dir.path));
      }
      const known = new Map((former?.packs ?? []).map((pack) => [`${pack.dir} ${pack.sum}`, pack]));
      const frozen = join(dataDir, ENGINE, 'shadow', shadow);
      for (const { path, files } of await directoriesIn(frozen)) {
        const sum = files.includes('checksums.txt')
          ? createHash('sha256')
              .update(await readFile(join(frozen, path, 'checksums.txt')))
              .digest('hex')
          : undefined;
        const same = sum === undefined ? undefined : known.get(`${join(ENGINE, path)} ${sum}`);
        if (same !== undefined && repository.hasAll(same)) packs.push(same);
        else await add(frozen, path, files, join(ENGINE, path), sum);
      }
    }
    const manifest: Manifest = {
      format: 1,
      id,
      createdAt: new Date(now).toISOString(),
      version: parts.version,
      telemetry: parts.store !== undefined,
      vaultKey,
      packs,
      counts,
      bytes: packs.reduce((sum, { files }) => files.reduce((all, [, size]) => all + size, sum), 0),
      newBytes,
    };
    await repository.keep(manifest);
    return manifest;
  } finally {
    await sweep(dataDir);
  }
}

/** While nothing is stored: counts, freezes parts, and copies what changes with the schema. Takes moments. */
async function still(parts: CaptureParts, shadow: string, scratch: string): Promise<Count[]> {
  const { store, dataDir } = parts;
  const release = await parts.hold();
  try {
    const counts = store === undefined ? [] : await countsOf(store);
    if (store !== undefined) await freeze(store, shadow, join(dataDir, ENGINE), join(scratch, 'engine'));
    await parts.metadata(join(scratch, METADATA));
    return counts;
  } finally {
    release();
  }
}

async function freeze(
  store: NonNullable<CaptureParts['store']>,
  shadow: string,
  engine: string,
  copy: string,
): Promise<void> {
  const tables = await store.select<{ Database: string; Name: string }>(
    `SELECT database AS Database, name AS Name FROM system.tables
     WHERE engine LIKE '%MergeTree' AND database NOT IN ('system', 'default', 'INFORMATION_SCHEMA', 'information_schema')
     ORDER BY Database, Name`,
  );
  const quote = (name: string): string => `\`${name.replaceAll(/[`\\]/g, '\\$&')}\``;
  for (const { Database, Name } of tables) {
    await store.command(`ALTER TABLE ${quote(Database)}.${quote(Name)} FREEZE WITH NAME '${shadow}'`);
  }
  // Definitions of databases and tables, and the files beside the parts of a table. Links are made anew by the engine.
  await copyFiles(engine, copy, 'metadata');
  for (const prefix of await readdir(join(engine, 'store'))) {
    for (const uuid of await readdir(join(engine, 'store', prefix))) {
      await copyFiles(engine, copy, join('store', prefix, uuid));
    }
  }
}

/** The files of a directory, without those of mutations under way, which go on with the rows that they would have changed. */
async function copyFiles(from: string, to: string, dir: string): Promise<void> {
  for (const entry of await readdir(join(from, dir), { withFileTypes: true })) {
    if (!entry.isFile() || entry.name.startsWith('mutation_')) continue;
    await cp(join(from, dir, entry.name), join(to, dir, entry.name));
  }
}

/** Takes away what an earlier backup, that was killed, left behind. */
async function sweep(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (IS_SCRATCH.test(name)) await rm(join(dataDir, name), { recursive: true, force: true });
  }
  const shadows = join(dataDir, ENGINE, 'shadow');
  for (const name of await readdir(shadows).catch(() => [])) {
    if (SHADOW.test(name)) await rm(join(shadows, name), { recursive: true, force: true });
  }
}

/** Directories with the files that they hold themselves. */
async function directoriesIn(root: string): Promise<{ readonly path: string; readonly files: string[] }[]> {
  const found = new Map<string, string[]>();
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])) {
    if (!entry.isFile()) continue;
    const path = entry.parentPath.slice(root.length).replace(/^\//, '');
    const files = found.get(path) ?? [];
    if (files.length === 0) found.set(path, files);
    files.push(entry.name);
  }
  return [...found]
    .map(([path, files]) => ({ path, files: files.toSorted() }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
