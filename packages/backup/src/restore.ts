import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, silentLogger } from '@candela/kernel';
import { openTelemetryStore } from '@candela/telemetry-store';
import { countsOf, differences } from './counts.ts';
import type { Manifest } from './manifest.ts';
import type { Repository } from './repository.ts';
import { BackupError } from './targets/target.ts';
import { onFiles } from './trouble.ts';

/** Stands in a data directory while it is restored: a platform does not start on a part of a backup. */
export const UNFINISHED_RESTORE = 'restore.unfinished';

/** What came of comparing a restored installation with its manifest. */
export interface Comparison {
  readonly manifest: Manifest;
  /** Records that were counted and hashed. */
  readonly rows: number;
  /** A sentence for each project and table that differs; none: it is what was backed up. */
  readonly differences: readonly string[];
}

/**
 * Lays a backup down in a directory that is empty or absent, opens the store and compares it with the manifest.
 * @throws BackupError where the directory is used, or the backup is damaged
 */
export async function restore(
  repository: Repository,
  id: string,
  dataDir: string,
  logger: Logger = silentLogger,
): Promise<Comparison> {
  await refuseUsed(dataDir);
  const manifest = await repository.manifest(id);
  if (manifest.kind === 'project') {
    throw new BackupError(`${id} is the export of a project: candela project import takes it.`);
  }
  await onFiles(dataDir, async () => {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const unfinished = join(dataDir, UNFINISHED_RESTORE);
    await writeFile(unfinished, `${id}\n`);
    for (const pack of manifest.packs) await repository.restore(pack, dataDir);
    await rm(unfinished);
    if (manifest.vaultKey) await chmod(join(dataDir, 'vault.key'), 0o600);
  });
  if (!manifest.telemetry) return { manifest, rows: 0, differences: [] };
  const store = await openTelemetryStore({ kind: 'embedded', dataDir: join(dataDir, 'telemetry'), logger });
  try {
    // What retention takes away meanwhile was backed up all the same.
    await store.command('SYSTEM STOP TTL MERGES').catch(() => undefined);
    const counts = await countsOf(store);
    const rows = counts.reduce((sum, count) => sum + count.rows, 0);
    return { manifest, rows, differences: differences(manifest.counts, counts) };
  } finally {
    await store.close();
  }
}

/** Restores into a temporary directory, compares, and removes it again. */
export async function verify(repository: Repository, id: string, logger?: Logger): Promise<Comparison> {
  const scratch = await onFiles(tmpdir(), () => mkdtemp(join(tmpdir(), 'candela-verify-')));
  try {
    return await restore(repository, id, join(scratch, 'data'), logger);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function refuseUsed(dataDir: string): Promise<void> {
  const names = await onFiles(dataDir, () =>
    readdir(dataDir).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code === 'ENOENT') return [];
      throw thrown;
    }),
  );
  if (names.length === 0) return;
  throw new BackupError(
    `${dataDir} is not empty. Name a directory that does not exist yet; nothing was changed.`,
  );
}
