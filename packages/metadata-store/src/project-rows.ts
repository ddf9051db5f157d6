/** What people made in one project, out of one metadata store and into another. */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_DATABASE_CONFIG_ID, type Logger, silentLogger } from '@candela/kernel';
import { Kysely, type Transaction } from 'kysely';
import type { MetadataDialect } from './dialects/dialect.ts';
import { postgresDialect } from './dialects/postgres/index.ts';
import { sqliteDialect } from './dialects/sqlite/index.ts';
import type { Tables } from './tables/index.ts';
import { openMetadataStore } from './index.ts';
import { MetadataStoreError } from './store.ts';

type Row = Readonly<Record<string, unknown>>;
type AnyTables = Record<string, Record<string, unknown>>;

/** Rows by table, in the order in which they are written. */
export type ProjectRows = Readonly<Record<string, readonly Row[]>>;

interface Moved {
  readonly table: keyof Tables;
  /** Where its rows do not name the project: the column with the id of a row of another table, that has them. */
  readonly of?: { readonly column: string; readonly table: keyof Tables };
  /** What is not given away, or is of the installation that it comes from. */
  readonly without?: Readonly<Record<string, unknown>>;
  /** Rows that stay: another person's own. */
  readonly unless?: string;
  /** What tells no two rows apart: an installation fills it by itself. */
  readonly ignores?: readonly string[];
}

/**
 * Every table that goes along; the registry. People, their keys, secrets, connectors, conversations, the history of alerts and
 * findings of scanners stay where they are.
 */
const MOVED: readonly Moved[] = [
  { table: 'environments', ignores: ['origin', 'created_at'] },
  { table: 'project_retention' },
  { table: 'saved_views' },
  { table: 'prompts' },
  { table: 'prompt_versions', of: { column: 'prompt_id', table: 'prompts' } },
  { table: 'prompt_tags', of: { column: 'prompt_id', table: 'prompts' } },
  { table: 'prompt_labels', of: { column: 'prompt_id', table: 'prompts' } },
  { table: 'prompt_protected_labels' },
  { table: 'contexts' },
  { table: 'context_versions', of: { column: 'context_id', table: 'contexts' } },
  { table: 'rules' },
  { table: 'rule_links', of: { column: 'rule_id', table: 'rules' } },
  { table: 'board_folders' },
  { table: 'boards', unless: 'owner_id' },
  { table: 'model_configs', without: { secret_id: null } },
  { table: 'custom_prices' },
  { table: 'judge_documents' },
  { table: 'judge_items', of: { column: 'document_id', table: 'judge_documents' } },
  {
    table: 'alert_destinations',
    without: { secret: null, secret_before: null, before_until: null, problem: null },
  },
  {
    table: 'alerts',
    without: { lease_owner: null, lease_until: null, last_at: null, error: null, error_count: 0 },
  },
  { table: 'alert_silences' },
  { table: 'exception_triage' },
  { table: 'coding_disputes' },
];

/** Columns that say where a row is; they are those of where it comes to. */
const PLACE = ['project_id', 'organisation_id'] as const;

export interface ProjectPlace {
  readonly dataDir: string;
  /** Of PostgreSQL; undefined: the file in the data directory. */
  readonly databaseUrl: string | undefined;
  readonly projectId: string;
  readonly logger?: Logger;
}

export interface ReadProject {
  readonly name: string;
  readonly rows: ProjectRows;
}

/** What became of the rows of a table. */
export interface WrittenTable {
  readonly table: string;
  readonly rows: number;
  readonly added: number;
  /** Neither there already in the same words nor written: something of that name is there. */
  readonly different: number;
}

/**
 * Reads what a project has. @throws MetadataStoreError where there is none, where its telemetry is not in the built-in store, and
 * where a newer version of this program made the store: what that keeps beside the tables known here would be left out
 */
export async function readProject(place: ProjectPlace): Promise<ReadProject> {
  await bringUpToDate(place);
  return within(place, async (reading) => {
    const project = await reading
      .selectFrom('projects')
      .select('name')
      .where('id', '=', place.projectId)
      .executeTakeFirst();
    if (project === undefined) throw new MetadataStoreError(`There is no project ${place.projectId}.`);
    const elsewhere = await reading
      .selectFrom('signal_bindings')
      .select('signal')
      .where('project_id', '=', place.projectId)
      .where('connector_id', 'is not', null)
      .where('connector_id', '!=', DEFAULT_DATABASE_CONFIG_ID)
      .execute();
    if (elsewhere.length > 0) {
      const signals = [...new Set(elsewhere.map(({ signal }) => String(signal)))].sort().join(' and ');
      throw new MetadataStoreError(
        `The ${signals} of project ${place.projectId} are in another database configuration, and only what is in the built-in store can be moved.`,
      );
    }
    const rows: Record<string, readonly Row[]> = {};
    for (const moved of MOVED) rows[moved.table] = await rowsOf(reading, moved, place.projectId, rows);
    return { name: String(project['name']), rows };
  });
}

async function rowsOf(
  reading: Transaction<AnyTables>,
  { table, of, without, unless }: Moved,
  projectId: string,
  before: ProjectRows,
): Promise<Row[]> {
  const found: Row[] = [];
  if (of === undefined) {
    found.push(
      ...(await reading.selectFrom(table).selectAll().where('project_id', '=', projectId).execute()),
    );
  } else {
    for (const ids of lots((before[of.table] ?? []).map((row) => row['id']))) {
      found.push(...(await reading.selectFrom(table).selectAll().where(of.column, 'in', ids).execute()));
    }
  }
  return found
    .filter((row) => unless === undefined || row[unless] === null)
    .map((row) => ({ ...row, ...without }));
}

/**
 * Writes such rows into a project, which is made where there is none of that id. What is there stays as it is, so it may be done
 * again. Everything or nothing. @throws MetadataStoreError with a sentence for a person
 */
export async function writeProject(place: ProjectPlace, read: ReadProject): Promise<WrittenTable[]> {
  const unknown = Object.keys(read.rows).filter((table) => !MOVED.some((moved) => moved.table === table));
  if (unknown.length > 0) {
    throw new MetadataStoreError(
      `A newer version of this program exported it: it has ${unknown.join(', ')}.`,
    );
  }
  mkdirSync(place.dataDir, { recursive: true, mode: 0o700 });
  await bringUpToDate(place);
  return within(place, async (writing) => {
    const organisationId = await projectIn(writing, place.projectId, read.name);
    const written: WrittenTable[] = [];
    for (const { table, of, ignores = [] } of MOVED) {
      const wanted = (read.rows[table] ?? []).map((row) => ({
        ...row,
        ...('project_id' in row ? { project_id: place.projectId } : {}),
        ...('organisation_id' in row ? { organisation_id: organisationId } : {}),
      }));
      const parents = of === undefined ? undefined : await idsIn(writing, of.table, place.projectId);
      const fitting = wanted.filter(
        (row: Row) => of === undefined || parents?.has(String(row[of.column])) === true,
      );
      let added = 0;
      for (const rows of lots(fitting)) {
        const [result] = await writing
          .insertInto(table)
          .values(rows)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        added += Number(result?.numInsertedOrUpdatedRows ?? 0n);
      }
      const known: ProjectRows =
        of === undefined ? {} : { [of.table]: Array.from(parents ?? [], (id) => ({ id })) };
      const moved: Moved = of === undefined ? { table } : { table, of };
      const there = new Set(
        (await rowsOf(writing, moved, place.projectId, known)).map((row) => hashOf(row, ignores)),
      );
      const different = wanted.filter((row) => !there.has(hashOf(row, ignores))).length;
      written.push({ table, rows: wanted.length, added, different });
    }
    return written;
  });
}

/** The organisation of a project, which is made where there is none. */
async function projectIn(writing: Transaction<AnyTables>, id: string, name: string): Promise<string> {
  const found = await writing
    .selectFrom('projects')
    .select('organisation_id')
    .where('id', '=', id)
    .executeTakeFirst();
  if (found !== undefined) return String(found['organisation_id']);
  const organisation = await writing
    .selectFrom('organisations')
    .select('id')
    .orderBy('id')
    .executeTakeFirst();
  if (organisation === undefined) throw new MetadataStoreError('The installation has no organisation yet.');
  const organisationId = String(organisation['id']);
  // Another project may have the name already.
  for (const tried of [name, `${name} (${id})`]) {
    const [made] = await writing
      .insertInto('projects')
      .values({
        id,
        organisation_id: organisationId,
        name: tried,
        name_key: tried.normalize('NFKC').toLowerCase(),
        created_at: Date.now(),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    if (made?.numInsertedOrUpdatedRows === 1n) return organisationId;
  }
  throw new MetadataStoreError(`A project called "${name}" cannot be made. Name one that is there: --as ID.`);
}

async function idsIn(
  writing: Transaction<AnyTables>,
  table: keyof Tables,
  projectId: string,
): Promise<Set<string>> {
  const rows = await writing.selectFrom(table).select('id').where('project_id', '=', projectId).execute();
  return new Set(rows.map((row) => String(row['id'])));
}

/** What a row says, wherever it is. */
function hashOf(row: Row, ignores: readonly string[]): string {
  const told = Object.entries(row)
    .filter(([column]) => !ignores.includes(column) && !PLACE.some((name) => name === column))
    .map(([column, value]): [string, unknown] => [column, typeof value === 'bigint' ? Number(value) : value])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(told)).digest('hex');
}

const ROWS_AT_ONCE = 200;

function* lots<T>(all: readonly T[]): Generator<T[]> {
  for (let from = 0; from < all.length; from += ROWS_AT_ONCE) yield all.slice(from, from + ROWS_AT_ONCE);
}

/** The newest schema, and an organisation. @throws MetadataStoreError where the store is newer than this program */
async function bringUpToDate({ dataDir, databaseUrl, logger = silentLogger }: ProjectPlace): Promise<void> {
  await (await openMetadataStore({ dataDir, databaseUrl, logger })).close();
}

async function within<T>(
  { dataDir, databaseUrl, logger = silentLogger }: ProjectPlace,
  work: (transaction: Transaction<AnyTables>) => Promise<T>,
): Promise<T> {
  const dialect: MetadataDialect =
    databaseUrl === undefined
      ? sqliteDialect(join(dataDir, 'metadata.sqlite'))
      : postgresDialect(databaseUrl, logger);
  const database = new Kysely<AnyTables>({ dialect: dialect.kysely });
  try {
    return await database.transaction().execute(work);
  } catch (thrown) {
    const sentence = thrown instanceof MetadataStoreError ? undefined : dialect.explain(thrown);
    if (sentence === undefined) throw thrown;
    throw new MetadataStoreError(sentence, { cause: thrown });
  } finally {
    await database.destroy();
  }
}
