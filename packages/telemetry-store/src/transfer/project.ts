/**
 * Rows of one project out of one store of the embedded engine and into another, as files in its own `Native` format: records
 * first, and what was summed up of them as it is, since it may know of more than is there.
 */
import { join } from 'node:path';
import type { TelemetryStore } from '../client/types.ts';
import { quote } from '../engine-host/sql-text.ts';
import { ROLLUPS } from '../rollups/index.ts';
import { TABLES } from '../schema/tables.ts';

/** Rows of a day in a table. */
export interface ProjectDay {
  readonly table: string;
  readonly day: string;
  readonly rows: number;
  /** Over every column but the project, whatever the order. '' of sums, whose rows the engine joins when it likes. */
  readonly hash: string;
}

type Store = Pick<TelemetryStore, 'select' | 'command'>;

interface Moved {
  readonly name: string;
  readonly day: string;
  readonly columns: readonly string[];
  readonly isSum: boolean;
}

const TIMEOUT_MS = 3_600_000;

/** Sums come first: where all records are there, so are they. */
const MOVED: readonly Moved[] = [
  ...ROLLUPS.map(({ name, columns }) => ({ name, columns, day: 'ReceivedDay', isSum: true })),
  ...TABLES.map(({ name, columns }) => ({ name, columns, day: 'toDate(ReceivedAt)', isSum: false })),
].map(({ columns, ...table }) => ({
  ...table,
  columns: [...columns.map(({ name }) => name), ...(table.name === 'otel_traces' ? ['ExtraCount'] : [])],
}));

const listed = (columns: readonly string[]): string => columns.map((name) => `\`${name}\``).join(', ');

/** What a project has, by table and day, the sums first. */
export async function projectDays(store: Pick<Store, 'select'>, projectId: string): Promise<ProjectDay[]> {
  const days: ProjectDay[] = [];
  for (const { name, day, columns, isSum } of MOVED) {
    const hash = isSum
      ? "''"
      : `toString(sum(cityHash64(${listed(columns.filter((column) => column !== 'ProjectId'))})))`;
    const rows = await store.select<{ Day: string; Rows: string; Hash: string }>(
      `SELECT toString(${day}) AS Day, toString(count()) AS Rows, ${hash} AS Hash FROM ${name}
       WHERE ProjectId = {project:String} GROUP BY Day ORDER BY Day`,
      { project: projectId },
      { timeoutMs: TIMEOUT_MS },
    );
    for (const { Day, Rows, Hash } of rows)
      days.push({ table: name, day: Day, rows: Number(Rows), hash: Hash });
  }
  return days;
}

/** Name of the file of a day below the folder of its table. */
export const fileOfDay = ({ day }: Pick<ProjectDay, 'day'>): string => `${day}.native`;

const movedOf = (table: string): Moved => {
  const found = MOVED.find(({ name }) => name === table);
  if (found === undefined) throw new RangeError(`${JSON.stringify(table)} is no table of this version`);
  return found;
};

/** Writes the rows of a day into a new file of a folder. @throws RangeError for a table that is not known */
export async function writeProjectDay(
  store: Store,
  projectId: string,
  of: Pick<ProjectDay, 'table' | 'day'>,
  folder: string,
): Promise<void> {
  const { name, day, columns } = movedOf(of.table);
  await store.command(
    `INSERT INTO FUNCTION file(${quote(join(folder, fileOfDay(of)))}, 'Native')
     SELECT ${listed(columns)} FROM ${name} WHERE ProjectId = {project:String} AND ${day} = {day:Date}`,
    { project: projectId, day: of.day },
    { timeoutMs: TIMEOUT_MS },
  );
}

/**
 * Reads such a file into a store, as rows of that project. The engine knows a file that it had lately by its token, so that one
 * whose answer was lost is not taken twice. @throws RangeError for a table that is not known
 */
export async function readProjectDay(
  store: Store,
  projectId: string,
  of: Pick<ProjectDay, 'table' | 'day'>,
  from: { readonly folder: string; readonly token: string },
): Promise<void> {
  const { name, columns } = movedOf(of.table);
  const others = columns.filter((column) => column !== 'ProjectId');
  await store.command(
    `INSERT INTO ${name} (ProjectId, ${listed(others)})
     SETTINGS insert_deduplication_token = ${quote(`${from.token}:${projectId}:${of.table}:${of.day}`)},
       max_threads = 1, max_insert_threads = 1, max_partitions_per_insert_block = 0
     SELECT {project:String}, ${listed(others)} FROM file(${quote(join(from.folder, fileOfDay(of)))}, 'Native')`,
    { project: projectId },
    { timeoutMs: TIMEOUT_MS },
  );
}
