import type { Logger } from '@candela/kernel';
import type { ClickHouseClient } from '@clickhouse/client';
import { LONG_STATEMENT } from '../client/connect.ts';
import type { Alone } from '../client/types.ts';
import { loadMigrations, type Migration } from './load.ts';
import { backfill, backfilled } from './backfill.ts';
import { type MigrationTarget, renderMigration } from './template.ts';

export interface MigrateOptions {
  readonly database: string;
  readonly cluster?: string;
  readonly storage: 'embedded' | 'server';
  readonly logger: Logger;
  /** Where the database is; with its name this tells it from all others. */
  readonly where?: string;
  /** Without it nobody else may migrate the database at the same time. */
  readonly alone?: Alone;
  /** For tests; otherwise the program's own. */
  readonly migrations?: readonly Migration[];
}

/** The schema cannot be brought to what this program needs. The message says why and what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

interface Applied {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly steps: number;
}

/**
 * Brings the schema up to date, forward only. Each statement is recorded once it succeeded, and each may be repeated
 * without harm, so a migration that was killed goes on where it stopped. A new database of the embedded engine is recorded at the
 * end, which is half of the work of the first start: one that was killed begins once more. Replicas that open a database together wait for
 * each other: one that is done writes, and a second filling of its rollups would lose or double what it wrote. Throws
 * {@link MigrationError} when the database is newer than the program or holds another text of a migration than the program.
 */
export async function migrate(client: ClickHouseClient, options: MigrateOptions): Promise<void> {
  const { database, storage, alone = (_name, work) => work() } = options;
  const target: MigrationTarget = { database, cluster: options.cluster, storage };
  const migrations = options.migrations ?? loadMigrations();
  await begin(client, target);
  const steps = migrations.map((migration) => ({
    migration,
    statements: renderMigration(migration.template, target),
  }));
  /** What was done by now, of each migration. */
  const looked = async (): Promise<ReadonlyMap<number, Applied>> => {
    const applied = await readHistory(client, database);
    check(migrations, applied, database);
    return applied;
  };
  const before = await looked();
  // One that is up to date waits for nobody: that is nearly always so.
  if (steps.every(({ migration, statements }) => stepsOf(before, migration) >= statements.length)) return;
  await alone(`migrate ${options.where ?? ''} ${database}`, async () => {
    const applied = await looked();
    const isNew = storage === 'embedded' && applied.size === 0 && (await emptied(client, target));
    const made: Step[] = [];
    for (const { migration, statements } of steps) {
      const done = stepsOf(applied, migration);
      for (let step = done + 1; step <= statements.length; step += 1) {
        const statement = statements[step - 1] ?? '';
        const rollup = backfilled(statement);
        if (rollup === undefined) await run(client, statement);
        else if (!isNew && !later(steps, migration, rollup)) await backfill(client, target, rollup);
        if (isNew) made.push({ migration, step });
        else await record(client, database, [{ migration, step }]);
      }
      if (done < statements.length) {
        // A first start has nothing to report: only a store that existed is upgraded.
        const level = applied.size === 0 ? 'debug' : 'info';
        options.logger[level]({ migration: migration.version, name: migration.name }, 'schema migrated');
      }
    }
    if (made.length > 0) await record(client, database, made);
  });
}

/** The database with a history that may be empty. */
async function begin(client: ClickHouseClient, target: MigrationTarget): Promise<void> {
  for (const statement of renderMigration(HISTORY, target)) await run(client, statement);
}

/**
 * Makes a database anew in which no migration is recorded: it is new, or what was made of it when it was new was cut off. False where
 * a table of it has rows all the same, or parts that were set aside: it is left as it is.
 */
async function emptied(client: ClickHouseClient, target: MigrationTarget): Promise<boolean> {
  const { database } = target;
  const left = async (what: string) => {
    const result = await client.query({
      query: `SELECT 1 FROM ${what} LIMIT 1`,
      query_params: { database },
      format: 'JSONEachRow',
    });
    return (await result.json()).length > 0;
  };
  if (!(await left("system.tables WHERE database = {database:String} AND name != 'schema_migrations'")))
    return true;
  for (const parts of ['parts WHERE active AND rows > 0 AND', 'detached_parts WHERE'])
    if (await left(`system.${parts} database = {database:String}`)) return false;
  await run(client, `DROP DATABASE \`${database}\` SYNC`);
  await begin(client, target);
  return true;
}

interface Rendered {
  readonly migration: Migration;
  readonly statements: readonly string[];
}

/** A later migration fills that rollup anew, once it has the columns that the program fills. */
const later = (steps: readonly Rendered[], { version }: Migration, rollup: string): boolean =>
  steps.some(
    ({ migration, statements }) =>
      migration.version > version && statements.some((statement) => backfilled(statement) === rollup),
  );

const stepsOf = (applied: ReadonlyMap<number, Applied>, { version }: Migration): number =>
  applied.get(version)?.steps ?? 0;

/** Replicated to every node under one path, so that all shards tell the same story. */
const HISTORY = `
CREATE DATABASE IF NOT EXISTS \${database}\${on_cluster};
CREATE TABLE IF NOT EXISTS \${database}.schema_migrations\${on_cluster}
(
  Version UInt32,
  Step UInt32,
  Name String,
  Checksum String,
  AppliedAt DateTime64(3) DEFAULT now64(3)
)
ENGINE = \${merge_tree_everywhere:schema_migrations}
ORDER BY (Version, Step);
`;

async function readHistory(client: ClickHouseClient, database: string): Promise<Map<number, Applied>> {
  const result = await client.query({
    query: `SELECT Version AS version, any(Name) AS name, any(Checksum) AS checksum, max(Step) AS steps
FROM \`${database}\`.schema_migrations GROUP BY Version ORDER BY Version`,
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
  });
  const rows = await result.json<Applied>();
  return new Map(rows.map((row) => [row.version, row]));
}

function check(
  migrations: readonly Migration[],
  applied: ReadonlyMap<number, Applied>,
  database: string,
): void {
  const baseline = migrations[0]?.version ?? 1;
  const newest = Math.max(0, ...applied.keys());
  if (newest > 0 && newest < baseline - 1) {
    throw new MigrationError(
      `The telemetry database ${database} was made by a preview of this program that is too old: it has migration ${newest} and needs ${baseline - 1}. Start the last preview once, or use another database.`,
    );
  }
  for (const row of applied.values()) {
    // What the baseline stands for.
    if (row.version < baseline) continue;
    const known = migrations.find((migration) => migration.version === row.version);
    if (known === undefined) {
      throw new MigrationError(
        `The telemetry database ${database} was made by a newer version of this program: it has migration ${row.version} (${row.name}), this program knows ${migrations.at(-1)?.version}. Start the newer version, or restore a backup from before the upgrade.`,
      );
    }
    if (known.checksum !== row.checksum) {
      throw new MigrationError(
        `Migration ${row.version} (${row.name}) of the telemetry database ${database} differs from the one in this program. The database was made by a changed copy of it; use that copy, or another database.`,
      );
    }
  }
}

async function run(client: ClickHouseClient, statement: string): Promise<void> {
  await client.command({ query: statement, clickhouse_settings: LONG_STATEMENT });
}

interface Step {
  readonly migration: Migration;
  /** From one on. */
  readonly step: number;
}

async function record(client: ClickHouseClient, database: string, steps: readonly Step[]): Promise<void> {
  await client.command({
    query: `INSERT INTO \`${database}\`.schema_migrations (Version, Step, Name, Checksum)
SELECT Version, Step, Name, Checksum FROM (SELECT 1) ARRAY JOIN {versions:Array(UInt32)} AS Version, {steps:Array(UInt32)} AS Step,
  {names:Array(String)} AS Name, {checksums:Array(String)} AS Checksum`,
    query_params: {
      versions: steps.map(({ migration }) => migration.version),
      steps: steps.map(({ step }) => step),
      names: steps.map(({ migration }) => migration.name),
      checksums: steps.map(({ migration }) => migration.checksum),
    },
  });
}
