import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { silentLogger } from '@candela/kernel';
import type { Comparison, Manifest, Repository } from '@candela/backup';
import { type Command, UsageError, type World } from '../command.ts';

const JOB = 'backup';
const POLL_MS = 500;
/** A platform looks for jobs every five seconds. */
const BEGIN_MS = 60_000;

const PLACE = `The place is PLATFORM_BACKUP_TARGET, or --target: a folder or s3://bucket/prefix. A sealed one needs
PLATFORM_BACKUP_PASSPHRASE.`;

/** Has the running platform make a backup, and waits for it. */
export const backupCreate: Command = {
  words: ['backup', 'create'],
  summary: 'Has the running platform make a backup now',
  help: `candela backup create [--data-dir DIR] [--database-url URL]

Has the platform of that data directory run its job "backup", and waits for its end. It was started with
PLATFORM_BACKUP_TARGET. It goes on taking data meanwhile; everything that it acknowledged before is in the backup.

  --data-dir DIR       of the platform; default PLATFORM_DATA_DIR, else ./data
  --database-url URL   where its settings are in PostgreSQL; default PLATFORM_DATABASE_URL`,
  async run(args, { env, cwd, say }) {
    const { values } = read(args, { 'data-dir': { type: 'string' }, 'database-url': { type: 'string' } });
    const dataDir = resolve(cwd, values['data-dir'] ?? (env['PLATFORM_DATA_DIR'] || 'data'));
    const databaseUrl = values['database-url'] ?? (env['PLATFORM_DATABASE_URL'] || undefined);
    if (databaseUrl === undefined && !existsSync(join(dataDir, 'metadata.sqlite'))) {
      throw new UsageError(`There is no installation in ${dataDir}. Name its data directory.`);
    }
    const { openMetadataStore } = await import('@candela/metadata-store');
    const metadata = await openMetadataStore({ dataDir, databaseUrl, logger: silentLogger });
    try {
      const before = new Set((await metadata.jobs.runs(JOB, 200)).map(({ id }) => id));
      if (!(await metadata.jobs.trigger(JOB, 'manual'))) {
        throw new UsageError('The platform makes no backups: start it with PLATFORM_BACKUP_TARGET.');
      }
      const askedAt = performance.now();
      for (;;) {
        await sleep(POLL_MS);
        const made = (await metadata.jobs.runs(JOB, 5)).find(({ id }) => !before.has(id));
        if (made === undefined && performance.now() - askedAt > BEGIN_MS) {
          say(
            'No backup began: is the platform running, with PLATFORM_BACKUP_TARGET? It is made once it runs.',
          );
          return 1;
        }
        if (made === undefined || made.endedAt === null) continue;
        if (made.outcome !== 'ok') {
          say(`The backup failed: ${made.error ?? 'the platform ended meanwhile'}`);
          return 1;
        }
        const { bytes = 0, newBytes = 0, rows = 0 } = made.stats ?? {};
        say(
          `Backed up ${rows.toLocaleString('en')} records: ${size(bytes)}, of which ${size(newBytes)} are new.`,
        );
        return 0;
      }
    } finally {
      await metadata.close();
    }
  },
};

/** Tells what backups there are. */
export const backupList: Command = {
  words: ['backup', 'list'],
  summary: 'Lists backups, newest first',
  help: `candela backup list [--target PLACE]\n\n${PLACE}`,
  async run(args, world) {
    const repository = await open(read(args, {}), world);
    const { BackupError } = await import('@candela/backup');
    const ids = await repository.ids();
    // As of the first backup, while it is made.
    if (ids.length === 0) world.say(noneAt(repository));
    let damaged = 0;
    for (const id of ids) {
      try {
        world.say(lineOf(await repository.manifest(id)));
      } catch (thrown) {
        if (!(thrown instanceof BackupError)) throw thrown;
        damaged += 1;
        world.say(`${id}  ${thrown.message}`);
      }
    }
    return damaged === 0 ? 0 : 1;
  },
};

/** Restores a backup into a temporary directory and compares. */
export const backupVerify: Command = {
  words: ['backup', 'verify'],
  summary: 'Restores a backup into a temporary directory and compares counts and hashes',
  help: `candela backup verify [ID] [--target PLACE]

Without an ID: the newest. Reads every byte, opens the restored store and compares rows and hashes by project and table with
those of the moment of the backup. Needs room for all of it in the folder for temporary files.

${PLACE}`,
  async run(args, world) {
    const { verify } = await import('@candela/backup');
    const options = read(args, {});
    const repository = await open(options, world);
    return report(
      await verify(repository, await idOf(repository, options.positionals)),
      world,
      'The backup is good',
    );
  },
};

/** Restores a backup into an empty data directory. */
export const backupRestore: Command = {
  words: ['backup', 'restore'],
  summary: 'Restores a backup into an empty data directory',
  help: `candela backup restore [ID] --data-dir DIR [--target PLACE]

Without an ID: the newest. DIR is empty or does not exist. Start the platform with PLATFORM_DATA_DIR=DIR afterwards. Where
settings are to be in PostgreSQL again, run \`candela migrate metadata\` first.

${PLACE}`,
  async run(args, world) {
    const { restore } = await import('@candela/backup');
    const options = read(args, { 'data-dir': { type: 'string' } });
    const dir = options.values['data-dir'];
    if (dir === undefined) throw new UsageError('Name an empty data directory: --data-dir DIR.');
    const dataDir = resolve(world.cwd, dir);
    const repository = await open(options, world);
    const id = await idOf(repository, options.positionals);
    const comparison = await restore(repository, id, dataDir);
    const code = report(comparison, world, `Restored into ${dataDir}`);
    if (!comparison.manifest.vaultKey) {
      world.say('The master key of the vault is not in it: copy vault.key there, or set PLATFORM_VAULT_KEY.');
    }
    if (!comparison.manifest.telemetry) {
      world.say('Telemetry is not in it: it lay in a ClickHouse of its own, which has backups of its own.');
    }
    return code;
  },
};

/** Takes older backups away. */
export const backupPrune: Command = {
  words: ['backup', 'prune'],
  summary: 'Removes all backups but the newest',
  help: `candela backup prune --keep N [--target PLACE]

Not while a backup is made. ${PLACE}`,
  async run(args, world) {
    const options = read(args, { keep: { type: 'string' } });
    const keep = Number(options.values['keep'] ?? Number.NaN);
    if (!Number.isInteger(keep) || keep < 1) throw new UsageError('Say how many stay: --keep N, at least 1.');
    const { backups, chunks } = await (await open(options, world)).prune(keep);
    world.say(`Removed ${backups} backups and ${chunks} chunks that only they had.`);
  },
};

interface Options {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
}

function read(args: readonly string[], more: Readonly<Record<string, { readonly type: 'string' }>>) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { target: { type: 'string' }, ...more },
    });
    return { values: values as Readonly<Record<string, string | undefined>>, positionals };
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
  }
}

async function open({ values }: Options, { env, cwd }: World): Promise<Repository> {
  const { Repository: repositories, targetEnvOf, targetOf } = await import('@candela/backup');
  const given = typeof values['target'] === 'string' ? values['target'] : env['PLATFORM_BACKUP_TARGET'];
  if (given === undefined || given === '') throw new UsageError(PLACE);
  const place = given.includes('://') ? given : resolve(cwd, given);
  return repositories.open(targetOf(place, targetEnvOf(env)), env['PLATFORM_BACKUP_PASSPHRASE'] || undefined);
}

async function idOf(repository: Repository, [given]: readonly string[]): Promise<string> {
  const id = given ?? (await repository.ids())[0];
  if (id !== undefined) return id;
  const { BackupError } = await import('@candela/backup');
  throw new BackupError(noneAt(repository));
}

const noneAt = ({ target }: Repository): string => `There is no finished backup at ${target.name}.`;

function report({ manifest, rows, differences }: Comparison, { say }: World, good: string): number {
  if (differences.length === 0) {
    say(
      `${good}: backup ${manifest.id}, ${rows.toLocaleString('en')} records, ${size(manifest.bytes)}, as they were.`,
    );
    return 0;
  }
  say(`Backup ${manifest.id} differs from what was backed up:`);
  for (const line of differences) say(`  ${line}`);
  return 1;
}

const lineOf = ({ id, version, bytes, newBytes, counts, vaultKey }: Manifest): string =>
  `${id}  ${counts.reduce((sum, { rows }) => sum + rows, 0).toLocaleString('en')} records  ${size(bytes)}, ${size(newBytes)} new  version ${version}${vaultKey ? '' : '  without the master key'}`;

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

function size(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1_024 ** step).toFixed(step === 0 ? 0 : 1)} ${UNITS[step]}`;
}
