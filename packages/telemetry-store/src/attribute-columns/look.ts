import type { MigrationTarget } from '../migrations/template.ts';
import type { KeptStore } from './kept-store.ts';
import { mapsOf, MAX_KEY_BYTES } from './names.ts';
import { entryBytes, type SeenMap } from './rest.ts';
import { heldIn, type Statement } from './statements.ts';

/** Rows that a look takes, a quarter of those of a granule: neighbours say much the same. */
export const LOOK_ROWS = 256 * 1_024;
const EVERY = 4;
/** Rows among whose granules it chooses, the newest parts first. */
const LOOK_AMONG = 200_000_000;
/** Its bounds, whatever was sent: bytes read, keys held, memory. What is beyond them is left out. */
const LOOK_BYTES = 2 * 2 ** 30;
const LOOK_KEYS = 10_000;
const LOOK_MEMORY = 400_000_000;
const LOOK_SECONDS = 20;
/** Keys that it tells of. */
const LOOK_FOUND = 200;

/** Parts of a table with the rows of all newer ones, so that those before a bound are the newest; `Bytes` of the map. */
const NEWEST_PARTS = `SELECT name, rows, column_data_uncompressed_bytes AS Bytes,
    sum(rows) OVER (ORDER BY max_time DESC, name) - rows AS Before
  FROM system.parts_columns
  WHERE active AND database = currentDatabase() AND table = {table:String} AND column = {map:String}`;

/** What there is to choose from. */
interface Among {
  readonly rows: number;
  /** Of the map, as it is read. */
  readonly bytes: number;
  /** All parts, not only the newest. */
  readonly all: boolean;
}

const AMONG_SQL = `SELECT sumIf(rows, Newest) AS Rows, sumIf(Bytes, Newest) AS Bytes, min(Newest) AS All
  FROM (SELECT *, Before < ${LOOK_AMONG} AS Newest FROM (${NEWEST_PARTS}))`;

/**
 * The keys of a map with their rows and values, from granules that lie evenly over all parts, and so over times and
 * projects. Which granules these are follows from their places alone, so that nothing of the others is read. The empty
 * key stands for all rows.
 */
export function lookAtMap(table: string, map: string, { rows, bytes, all }: Among): Statement {
  // Half of the bytes that it may read, so that it comes to its end and tells of the last parts, too.
  const every = Math.max(1, Math.round(rows / (LOOK_ROWS * EVERY)), Math.ceil(bytes / (LOOK_BYTES / 2)));
  // Named only where there are too many: one that is merged meanwhile has another name.
  const parts = all ? '' : `WHERE _part IN (SELECT name FROM (${NEWEST_PARTS}) WHERE Before < ${LOOK_AMONG})`;
  const place = `(_part_granule_offset + cityHash64(_part) % 1000003)`;
  return {
    sql: `SELECT K AS Key, count() AS Rows, uniqCombined(13)(V) AS Many,
        uniqCombinedIf(13)(V, Half) AS HalfMany, countIf(Half) AS HalfRows, max(length(V)) AS Longest, avg(length(V)) AS Mean,
        avg(Es) AS Entries, avg(Bs) AS Bytes
      FROM (
        SELECT ${map}.keys AS Ks, ${map}.values AS Vs, length(Ks) AS Es, arraySum(v -> length(v), Vs) AS Bs,
          intDiv(${place}, ${every}) % 2 = 0 AS Half FROM ${table}
        PREWHERE ${place} % ${every} = 0 AND _part_offset % ${EVERY} = 0 ${parts})
      ARRAY JOIN arrayPushFront(Ks, '') AS K, arrayPushFront(Vs, '') AS V
      WHERE length(K) <= ${MAX_KEY_BYTES}
      GROUP BY K ORDER BY Rows DESC, K LIMIT ${LOOK_FOUND}
      SETTINGS max_threads = 1, max_memory_usage = ${LOOK_MEMORY},
        max_bytes_to_read = ${LOOK_BYTES}, read_overflow_mode = 'break',
        max_rows_to_group_by = ${LOOK_KEYS}, group_by_overflow_mode = 'any',
        max_execution_time = ${LOOK_SECONDS}, timeout_overflow_mode = 'break'`,
    params: { table, map },
  };
}

interface SeenRow {
  readonly Key: string;
  readonly Rows: number;
  readonly Many: number;
  readonly HalfMany: number;
  readonly HalfRows: number;
  readonly Longest: number;
  readonly Mean: number;
  /** Of the rows with the key: of all of their entries together. */
  readonly Entries: number;
  readonly Bytes: number;
}

/** Keys that rows of a table have, by the maps whose keys may get columns. On a cluster, those of one of its servers. */
export async function lookAt(store: KeptStore, target: MigrationTarget, table: string): Promise<SeenMap[]> {
  const held = heldIn(target, table);
  const seen: SeenMap[] = [];
  for (const map of mapsOf(table)) {
    if (store.hasEnded) break;
    const [among] = await store.select<{ Rows: number; Bytes: number; All: number }>(AMONG_SQL, {
      table: held,
      map,
    });
    const { sql, params } = lookAtMap(held, map, {
      rows: Number(among?.Rows ?? 0),
      bytes: Number(among?.Bytes ?? 0),
      all: Number(among?.All ?? 1) === 1,
    });
    seen.push(seenIn(table, map, await store.select<SeenRow>(sql, params)));
  }
  return seen;
}

function seenIn(table: string, map: string, rows: readonly SeenRow[]): SeenMap {
  const all = rows.find(({ Key }) => Key === '');
  const sampled = Number(all?.Rows ?? 0);
  const keys = rows
    .filter(({ Key }) => Key !== '')
    .map((row) => ({
      table,
      map,
      key: row.Key,
      sampled,
      rows: Number(row.Rows),
      many: Number(row.Many),
      half: Number(row.HalfMany),
      halfRows: Number(row.HalfRows),
      longest: Number(row.Longest),
      mean: Number(row.Mean),
    }));
  return { table, map, bytes: entryBytes(Number(all?.Entries ?? 0), Number(all?.Bytes ?? 0)), keys };
}
