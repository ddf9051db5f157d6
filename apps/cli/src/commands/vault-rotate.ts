import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CandelaError, silentLogger } from '@candela/kernel';
import { type Command, UsageError, type World } from '../command.ts';

/** Changes the master key that secrets are sealed with, while the platform runs. */
export const vaultRotate: Command = {
  words: ['vault', 'rotate'],
  summary: 'Changes the master key of secrets; the platform may go on running',
  help: `candela vault rotate [--data-dir DIR] [--database-url URL] [--only-platform]

Seals every secret anew with another master key: values of the vault, passwords of connectors, second factors, keys of
the server. With the file vault.key in the data directory a new key is made and the former one is dropped when nothing
needs it any more. With PLATFORM_VAULT_KEY give the value that every platform was started with, "<new>,<former>"; what
to do before and after is said. Stopped at any moment it is finished by running it again.

Copies of the data from before need the former key: keep vault.key together with each backup.

  --data-dir DIR       data directory; default PLATFORM_DATA_DIR, else ./data
  --database-url URL   database of the installation; default PLATFORM_DATABASE_URL, else the file in the data directory
  --only-platform      with a database server and a key file: says that no other platform uses this database`,

  async run(args, { env, cwd, say }) {
    const options = read(args);
    const dataDir = resolve(cwd, options['data-dir'] ?? given(env['PLATFORM_DATA_DIR']) ?? 'data');
    const databaseUrl = options['database-url'] ?? given(env['PLATFORM_DATABASE_URL']);
    // Loaded here: whoever only asks for help does not wait for the drivers.
    const { parseMasterKeys, rotateMasterKey } = await import('@candela/vault');
    const text = given(env['PLATFORM_VAULT_KEY']);
    const keys = text === undefined ? undefined : parseMasterKeys(text);
    if (text !== undefined && keys === undefined) {
      throw new UsageError(
        'PLATFORM_VAULT_KEY is no master key: 32 bytes in base64 or 64 hexadecimal digits are expected, several separated by commas.',
      );
    }
    if (databaseUrl === undefined && !existsSync(join(dataDir, 'metadata.sqlite'))) {
      throw new UsageError(`There is no installation in ${dataDir}. Name its data directory.`);
    }
    if (databaseUrl !== undefined && keys === undefined && options['only-platform'] !== true) {
      throw new UsageError(
        'Other platforms on this database would not learn of a new key in the file of this one. Give all of them PLATFORM_VAULT_KEY, or say --only-platform if there is no other.',
      );
    }
    const lock = keys === undefined ? await lockRotation(dataDir) : undefined;
    try {
      const { openMetadataStore } = await import('@candela/metadata-store');
      const metadata = await openMetadataStore({ dataDir, databaseUrl, logger: silentLogger });
      try {
        const done = await rotateMasterKey({ keys, dataDir, metadata, logger: silentLogger, say });
        report(done, { say, ofFile: keys === undefined });
      } finally {
        await metadata.close();
      }
    } finally {
      lock?.release();
    }
  },
};

type Rotation = Awaited<ReturnType<typeof import('@candela/vault').rotateMasterKey>>;

function report(
  { keyId, changed, retired, unreadable }: Rotation,
  { say, ofFile }: { readonly say: World['say']; readonly ofFile: boolean },
): void {
  const where = ofFile ? 'it is no longer in the file' : 'leave it out of PLATFORM_VAULT_KEY';
  say(`Sealed ${changed} secrets anew with the master key ${keyId}.`);
  for (const id of retired) {
    say(`Nothing is sealed with ${id} any more: ${where}. Backups from before still need it.`);
  }
  if (unreadable.length === 0) return;
  const shown = unreadable.slice(0, 20).map(({ table, column, id }) => `  ${table}.${column} of ${id}`);
  throw new CandelaError(
    'secret_unreadable',
    `${unreadable.length} secrets could not be opened and stay as they are; enter them again or delete them, then run this again:\n${shown.join('\n')}`,
  );
}

/** One at a time: the second of two would take the first one's new key for a former one. */
async function lockRotation(dataDir: string): Promise<{ release(): void }> {
  const { lockDirectory } = await import('@candela/telemetry-store');
  const dir = join(dataDir, 'vault-rotation');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  try {
    return lockDirectory(dir);
  } catch (thrown) {
    if (!(thrown instanceof CandelaError) || thrown.code !== 'conflict') throw thrown;
    throw new CandelaError(
      'conflict',
      'Another "candela vault rotate" is under way here. Wait until it is done; to finish one that was killed, run this again then.',
      { cause: thrown },
    );
  }
}

function read(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        'data-dir': { type: 'string' },
        'database-url': { type: 'string' },
        'only-platform': { type: 'boolean' },
      },
    });
    return values;
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
  }
}

const given = (value: string | undefined): string | undefined => (value?.trim() ? value.trim() : undefined);
