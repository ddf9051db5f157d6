import { TABLES } from '../schema/tables.ts';

/** A column of a rollup: a key, or a figure `SimpleAggregateFunction(f, type)` of which two rows can be joined by `f`. */
export interface RollupColumn {
  readonly name: string;
  readonly type: string;
}

/**
 * A table derived from telemetry rows and filled with every insert of them, exactly once. Its table is made by a
 * migration (`AggregatingMergeTree`, columns as here) that ends with `${backfill:name}`. One that changes its columns ends
 * with it too, and the first filling is then passed over. See docs/adr/0007-rollups.md.
 */
export interface Rollup {
  /** Also the name of its table. */
  readonly name: string;
  readonly columns: readonly RollupColumn[];
  /** By source table. */
  readonly sources: Readonly<Record<string, RollupSource>>;
}

/** How rows of a source become rows of a rollup. */
export interface RollupSource {
  /** What `select` reads. Undefined: the rows themselves. */
  readonly stage?: Stage;
  /** A condition over the common stage of the source: where no row fulfils it, nothing comes out of this select. */
  readonly when?: string;
  /**
   * A SELECT of exactly the columns, in their order, from `rows`, which stands for rows of the stage or the source and
   * may be written in it once. The result may depend on nothing but the rows, may not fail for any row that the source
   * can hold, and the result of two lots of rows joined must be the result of both together.
   */
  readonly select: (rows: string) => string;
  /**
   * Each column for a single row of the stage or of the source's table: `select` without its joining, for reads that join
   * what they read anyway.
   */
  readonly alone?: {
    /** Which rows count. */
    readonly when: string;
    readonly columns: Readonly<Record<string, string>>;
  };
}

/** Rows of a source as several rollups read them: few columns, worked out once for one insert. */
export interface Stage {
  readonly name: string;
  /** The stage that `select` reads. Undefined: the rows themselves. */
  readonly from?: Stage;
  /** A SELECT from `rows`, row by row: it joins none. */
  readonly select: (rows: string) => string;
  /** What it makes of a row, by name: columns of the source, and of others of these. */
  readonly columns?: Readonly<Record<string, string>>;
}

/** A figure before it is joined: what counts of a row, and for sets, of which rows. */
export interface Figure {
  readonly of: string;
  readonly when?: string;
  /** For sets: `of` is an array of what counts. */
  readonly several?: true;
}

const SET = 'groupUniqArrayArray';

/** A figure of all rows of a group. */
export function figureOfGroup(column: RollupColumn, { of, when, several }: Figure): string {
  const join = joinOf(column);
  const name = join === SET && several !== true ? 'groupUniqArray' : join;
  return when === undefined ? `${name}(${of})` : `${name}If(${of}, ${when})`;
}

/** A figure of one row. */
export function figureOfRow(column: RollupColumn, { of, when, several }: Figure): string {
  if (joinOf(column) !== SET) return of;
  const all = several === true ? of : `[${of}]`;
  return when === undefined ? all : `if(${when}, ${all}, [])`;
}

/** Columns every rollup begins with: whose rows they are, and what retention and partitions follow. */
export const ROLLUP_HEAD: readonly RollupColumn[] = [
  { name: 'ProjectId', type: 'LowCardinality(String)' },
  { name: 'Environment', type: 'LowCardinality(String)' },
  { name: 'ReceivedDay', type: 'Date' },
  { name: 'RetentionDays', type: 'UInt16' },
];

/** The same columns in a SELECT over rows of a source. */
export const ROLLUP_HEAD_SQL = 'ProjectId, Environment, toDate(`ReceivedAt`) AS ReceivedDay, RetentionDays';

/** Width of the time buckets of counts. */
export const ROLLUP_BUCKET_SECONDS = 300;

/** A `DateTime` ends in 2106; later rows count in its last bucket. */
export const LAST_SECOND = 4_294_944_000;

/** The start of the bucket of `Timestamp`, a `DateTime`. */
export const startOf = (seconds: number, nanoseconds = 'toUnixTimestamp64Nano(Timestamp)'): string =>
  `toDateTime(toUInt32(least(intDiv(${nanoseconds}, ${seconds * 1_000_000_000}) * ${seconds}, ${LAST_SECOND})))`;

/** Cost in ten decimals of a dollar: whole numbers add up to the same in any order. Nothing for what is no amount. */
export const COST_UNITS_SQL = "accurateCastOrDefault(round(ifNull(CostUsd, 0) * 1e10), 'Int64')";

const FIGURE = /^SimpleAggregateFunction\((\w+), /;

/** The function that joins a figure; undefined for a key. */
export const joinOf = (column: RollupColumn): string | undefined => FIGURE.exec(column.type)?.[1];

export const keysOf = (rollup: Rollup): readonly string[] =>
  rollup.columns.filter((column) => joinOf(column) === undefined).map(({ name }) => name);

/** The SELECT that makes a rollup's rows out of rows of `source`. */
export function selectOf(rollup: Rollup, source: string, rows: string): string {
  const { stage, select } = sourceOf(rollup, source);
  return select(stagedRows(stage, rows));
}

/**
 * A SELECT of these columns from rows of `source`, each row by itself, with no more of its stage than they need.
 * Undefined where the rollup has to join rows. @param from `FROM <table> WHERE ...`
 */
export function selectAlone(
  rollup: Rollup,
  source: string,
  columns: readonly string[],
  from: string,
): string | undefined {
  const { stage, alone } = sourceOf(rollup, source);
  const staged = stage?.columns;
  if (alone === undefined || staged === undefined || stage?.from !== undefined) return undefined;
  const texts = columns.map((name) => alone.columns[name] ?? name);
  const needed = new Set<string>();
  const need = (text: string): void => {
    for (const name of namesIn(text, Object.keys(staged))) {
      if (needed.has(name)) continue;
      needed.add(name);
      need(staged[name] ?? '');
    }
  };
  for (const text of [...texts, alone.when]) need(text);
  const aliases = [...needed].flatMap((name) =>
    staged[name] === name ? [] : [`${staged[name]} AS ${name}`],
  );
  const given = aliases.length === 0 ? '' : `WITH ${aliases.join(', ')} `;
  const listed = columns.map((name, index) => (texts[index] === name ? name : `${texts[index]} AS ${name}`));
  return `${given}SELECT ${listed.join(', ')} ${from} AND ${alone.when}`;
}

/** Which of the names a text of SQL has. */
export function namesIn(sql: string, names: readonly string[]): string[] {
  const words = new Set(sql.match(/\w+/g));
  return names.filter((name) => words.has(name));
}

const stagedRows = (stage: Stage | undefined, rows: string): string =>
  stage === undefined ? rows : `(${stage.select(stagedRows(stage.from, rows))})`;

export function sourceOf(rollup: Rollup, source: string): RollupSource {
  const found = rollup.sources[source];
  if (found === undefined) throw new RangeError(`${rollup.name} is not made from ${source}`);
  return found;
}

/** Rows inserted into `source` (from `rows`) put into the rollup `into`. */
export const fillStatement = (rollup: Rollup, source: string, rows: string, into = rollup.name): string =>
  `${insertInto(rollup, into)} ${selectOf(rollup, source, rows)}`;

/** `INSERT INTO` with all columns, for a SELECT to follow. */
export const insertInto = (rollup: Rollup, into = rollup.name): string =>
  `INSERT INTO ${into} (${rollup.columns.map(({ name }) => name).join(', ')})`;

/** The rows of an insert's `Native` data, as a table expression of a server; the engine host reads them from a file. */
export function insertedRows(source: string): string {
  const table = TABLES.find(({ name }) => name === source);
  if (table === undefined) throw new RangeError(`${source} is no table`);
  const rows = `input('${table.columns.map(({ name, type }) => `\`${name}\` ${type}`).join(', ')}')`;
  // What comes in stands for itself: see schema/weight.ts.
  return source === 'otel_traces' ? `(SELECT *, toUInt32(0) AS ExtraCount FROM ${rows})` : rows;
}
