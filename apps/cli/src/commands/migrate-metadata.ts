import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Command, UsageError } from '../command.ts';

/** Moves what people made from the file in the data directory into a database server. */
export const migrateMetadata: Command = {
  words: ['migrate', 'metadata'],
  summary: 'Moves users, keys, settings and saved views from SQLite to PostgreSQL',
  help: `candela migrate metadata --from sqlite --to postgres [--data-dir DIR] [--database-url URL]

Copies metadata.sqlite of the data directory into an empty PostgreSQL database, in one transaction. Stop the platform
first. The file is left where it is; start the platform with PLATFORM_DATABASE_URL afterwards.

  --from sqlite        where the installation is
  --to postgres        where it goes
  --data-dir DIR       data directory; default PLATFORM_DATA_DIR, else ./data
  --database-url URL   postgres://user:password@host:5432/database; default PLATFORM_DATABASE_URL, which keeps the
                       password out of the list of processes`,

  async run(args, { env, cwd, say }) {
    const { from, to, ...options } = read(args);
    if (from !== 'sqlite' || to !== 'postgres') {
      throw new UsageError('This moves --from sqlite --to postgres and nothing else.');
    }
    const dataDir = resolve(cwd, options['data-dir'] ?? given(env['PLATFORM_DATA_DIR']) ?? 'data');
    const databaseUrl = options['database-url'] ?? given(env['PLATFORM_DATABASE_URL']);
    if (
      databaseUrl === undefined ||
      !/^postgres(?:ql)?:\/\/./.test(databaseUrl) ||
      !URL.canParse(databaseUrl)
    ) {
      throw new UsageError(
        'Name the target: PLATFORM_DATABASE_URL, or --database-url postgres://user:password@host:5432/database.',
      );
    }
    // Loaded here: whoever only asks for help does not wait for the drivers.
    const { copyMetadata } = await import('@candela/metadata-store/copy');
    const { lockDirectory } = await import('@candela/telemetry-store');
    const ingestLog = join(dataDir, 'ingest-log');
    // What is saved while it is copied would be lost.
    const lock = existsSync(ingestLog) ? lockDirectory(ingestLog) : undefined;
    try {
      const { tables } = await copyMetadata({ dataDir, databaseUrl });
      const rows = tables.reduce((sum, table) => sum + table.rows, 0);
      const width = Math.max(...tables.map(({ table }) => table.length));
      for (const table of tables) say(`  ${table.table.padEnd(width)}  ${table.rows}`);
      say(
        `Copied ${rows} rows of ${tables.length} tables; the counts were compared before anything was kept.`,
      );
      say(
        `Now start the platform with PLATFORM_DATABASE_URL. It does not read ${join(dataDir, 'metadata.sqlite')} any more; keep it as a backup until you are sure, and keep the rest of the data directory.`,
      );
    } finally {
      lock?.release();
    }
  },
};

function read(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        from: { type: 'string' },
        to: { type: 'string' },
        'data-dir': { type: 'string' },
        'database-url': { type: 'string' },
      },
    });
    return values;
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
  }
}

const given = (value: string | undefined): string | undefined => (value?.trim() ? value.trim() : undefined);
