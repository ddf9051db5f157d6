import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Repository } from '@candela/backup';
import { type Command, UsageError, type World } from '../command.ts';

const PLACE = `The installation is stopped: --data-dir DIR, default PLATFORM_DATA_DIR, else ./data; settings in PostgreSQL by
PLATFORM_DATABASE_URL. With PLATFORM_BACKUP_PASSPHRASE the export is sealed. Telemetry in a ClickHouse of your own (PLATFORM_CLICKHOUSE_URL,
or a database configuration) is not moved: it is said, and nothing is done.`;

/** Writes a project into a folder or bucket. */
export const projectExport: Command = {
  words: ['project', 'export'],
  summary: 'Writes all of a project, for another installation',
  help: `candela project export PROJECT --to PLACE [--data-dir DIR]

Writes telemetry of all signals and what people made in the project of that id (prompts, contexts, rules, boards, saved views,
evaluators, datasets, prices, alerts with their destinations) to PLACE, a folder or s3://bucket/prefix. Left out: people, keys,
secrets of the vault and of destinations, connectors, conversations, history of alerts, findings of scanners.

${PLACE} A running one is exported from a restored backup.`,
  async run(args, world) {
    const { values, positionals } = read(args);
    const [projectId] = positionals;
    if (projectId === undefined || positionals.length > 1)
      throw new UsageError('Name one project by its id.');
    const installation = { ...installationOf(values, world), projectId };
    // The command line as one file has it not, and says so before anything else.
    await import('@candela/backup');
    // Before the place is made: a mistyped directory leaves nothing at the place of the export.
    if (installation.databaseUrl === undefined && !existsSync(join(installation.dataDir, 'metadata.sqlite')))
      throw new UsageError(`There is no installation in ${installation.dataDir}. Name its data directory.`);
    const repository = await open(values.to, world, true);
    const { exportProject } = await import('../project/archive.ts');
    const { id, counts, bytes } = await locked(installation.dataDir, () =>
      exportProject(repository, installation, VERSION),
    );
    const rows = counts.reduce((sum, { rows: some }) => sum + some, 0);
    world.say(
      `Exported ${projectId}: ${rows.toLocaleString('en')} records, ${bytes.toLocaleString('en')} bytes.`,
    );
    world.say(`${id} at ${repository.target.name}`);
  },
};

/** Reads such an export into another installation. */
export const projectImport: Command = {
  words: ['project', 'import'],
  failureCode: 2,
  summary: 'Reads an exported project into this installation; again without doubling',
  help: `candela project import [ID] --from PLACE [--as PROJECT] [--data-dir DIR]

Without an ID: the newest export there. The project keeps its id, and is made where it is not there; --as names another one. What
is there stays as it is, so an import that was cut off is typed again. Rows and hashes of every table and day are compared at the end.

${PLACE}

Exit codes: 0 everything is as it was exported, 1 some of it is not, 2 it could not be done.`,
  async run(args, world) {
    const { values, positionals } = read(args);
    const installation = installationOf(values, world);
    const repository = await open(values.from, world, false);
    const id = positionals[0] ?? (await repository.ids())[0];
    if (id === undefined) throw new UsageError(`There is no export at ${repository.target.name}.`);
    const { importProject } = await import('../project/archive.ts');
    const done = await locked(installation.dataDir, () =>
      importProject(repository, id, { ...installation, as: values.as }),
    );
    for (const { table, rows, added, different } of done.tables) {
      if (rows === 0) continue;
      const rest = different === 0 ? '' : `, ${different} differ from what is there`;
      world.say(`${table}: ${added} of ${rows} added${rest}`);
    }
    world.say(
      `Project ${done.projectId}: ${done.rows.toLocaleString('en')} records; ${done.read} days of tables read, ${done.known} known already.`,
    );
    for (const line of done.differences) world.say(line);
    const isSame = done.differences.length === 0 && done.tables.every(({ different }) => different === 0);
    world.say(isSame ? 'Everything is as it was exported.' : 'Not everything is as it was exported.');
    return isSame ? 0 : 1;
  },
};

const VERSION = '0.1.0';

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        to: { type: 'string' },
        from: { type: 'string' },
        as: { type: 'string' },
        'data-dir': { type: 'string' },
        'database-url': { type: 'string' },
      },
    });
  } catch (thrown) {
    throw new UsageError((thrown as Error).message, { cause: thrown });
  }
}

type Values = ReturnType<typeof read>['values'];

/** @throws UsageError where telemetry is not in the data directory: an export would lack it */
function installationOf(values: Values, { env, cwd }: World) {
  if (env['PLATFORM_CLICKHOUSE_URL'])
    throw new UsageError(
      'PLATFORM_CLICKHOUSE_URL is set: telemetry of this installation is in a ClickHouse of your own, and only that of the built-in store can be moved. Unset it if it is that of another installation.',
    );
  return {
    dataDir: resolve(cwd, values['data-dir'] ?? (env['PLATFORM_DATA_DIR'] || 'data')),
    databaseUrl: values['database-url'] ?? (env['PLATFORM_DATABASE_URL'] || undefined),
    textIndex: env['PLATFORM_TEXT_INDEX'] !== 'false',
  };
}

async function open(given: string | undefined, { env, cwd }: World, make: boolean): Promise<Repository> {
  const { Repository: repositories, targetEnvOf, targetOf } = await import('@candela/backup');
  if (given === undefined) throw new UsageError('Name the place: a folder or s3://bucket/prefix.');
  const place = given.includes('://') ? given : resolve(cwd, given);
  const passphrase = env['PLATFORM_BACKUP_PASSPHRASE'] || undefined;
  return repositories.open(targetOf(place, targetEnvOf(env)), passphrase, { make });
}

/** While nobody else writes there. */
async function locked<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const { lockDirectory } = await import('@candela/telemetry-store');
  const log = join(dataDir, 'ingest-log');
  const lock = existsSync(log) ? lockDirectory(log) : undefined;
  try {
    return await work();
  } finally {
    lock?.release();
  }
}
