import { quote } from '../engine-host/sql-text.ts';
import { Params } from '../queries/core/params.ts';
import { pricedColumn } from '../queries/core/prices.ts';
import type { Window } from '../queries/core/scope.ts';
import { type Column, type Table, TABLES, UNFINISHED_FLAG } from '../schema/tables.ts';

/** Tables that a statement may read. Logs are searched, not queried. */
export const SQL_TABLES: readonly Table[] = TABLES.filter(({ signal }) => signal !== 'logs');

/** Bookkeeping of ours: it does not exist for a statement. */
const HIDDEN: ReadonlySet<string> = new Set([
  'ProjectId',
  'ReceivedAt',
  'RetentionDays',
  'Flags',
  'AttributeTypes',
  'ScopeDroppedAttrCount',
  'ResourceSchemaUrl',
  'ScopeSchemaUrl',
  'TraceState',
  'PricingDetails',
  'Links.TraceState',
]);

/** Of a span: 0 while it runs, when its Duration of 0 says nothing. */
const ENDED_COLUMN: Column = { name: 'Ended', type: 'UInt8' };

/** Columns that a statement may name. */
export function sqlColumns(table: Table): readonly Column[] {
  const shown = table.columns.filter(({ name }) => !HIDDEN.has(name));
  return table.signal === 'traces' ? [...shown, ENDED_COLUMN] : shown;
}

export interface PreludeInput {
  readonly projectId: string;
  readonly environment: string | undefined;
  readonly window: Window;
  /** Names of the database's tables are given with it: it is not the current one. */
  readonly database: string;
  readonly tables: readonly Table[];
  /** The condition of the floor on a table, which is called `t`; undefined: none. */
  readonly floor: (table: string) => string | undefined;
}

/**
 * The readable tables as CTEs. The tenant stands in PREWHERE: it decides before any condition of the caller sees a row.
 */
export function prelude(input: PreludeInput, params: Params): string {
  return input.tables.map((table) => tableExpression(table, input, params)).join(', ');
}

function tableExpression(table: Table, input: PreludeInput, params: Params): string {
  const { projectId, environment, window, database } = input;
  const tenant = [`t.ProjectId = ${params.bind(projectId, 'String')}`];
  if (environment !== undefined) tenant.push(`t.Environment = ${params.bind(environment, 'String')}`);
  const time = table.signal === 'traces' ? 't.Timestamp' : 't.TimeUnix';
  const cost = table.signal === 'traces' ? pricedColumn(projectId, params) : undefined;
  const columns = sqlColumns(table).map((column) =>
    cost !== undefined && column.name === 'CostUsd' ? `${cost} AS CostUsd` : columnExpression(column),
  );
  const floor = input.floor(table.name);
  const condition = floor === undefined ? '' : ` AND (${floor})`;
  return (
    `${table.name} AS (SELECT ${columns.join(', ')} FROM \`${database}\`.${table.name} AS t ` +
    `PREWHERE ${tenant.join(' AND ')} WHERE ${time} >= ${params.time(window.from)} AND ${time} < ${params.time(window.to)}${condition})`
  );
}

function columnExpression(column: Column): string {
  if (column === ENDED_COLUMN) return `(t.Flags < ${UNFINISHED_FLAG}) AS Ended`;
  return `t.\`${column.name}\` AS \`${column.name}\``;
}

/** The tenant once more, as conditions that the engine adds to the tables themselves. */
export function rowFilters({ projectId, environment, database, tables }: PreludeInput): string {
  const conditions = [`ProjectId = ${quote(projectId)}`];
  if (environment !== undefined) conditions.push(`Environment = ${quote(environment)}`);
  const condition = quote(conditions.join(' AND '));
  const entries = tables.map(({ name }) => `${quote(`${database}.${name}`)}: ${condition}`);
  return `{${entries.join(', ')}}`;
}
