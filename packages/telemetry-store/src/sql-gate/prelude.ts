import { quote } from '../engine-host/sql-text.ts';
import { Params } from '../queries/core/params.ts';
import { pricedColumn } from '../queries/core/repriced.ts';
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
  /** Leaves out who worked with a coding agent. */
  readonly hidesPeople: boolean;
}

/**
 * The readable tables as CTEs. The tenant stands in PREWHERE: it decides before any condition of the caller sees a row.
 */
export function prelude(input: PreludeInput, params: Params): string {
  return input.tables.map((table) => tableExpression(table, input, params)).join(', ');
}

function tableExpression(table: Table, input: PreludeInput, params: Params): string {
  const { projectId, environment, window, database, hidesPeople } = input;
  const tenant = [`t.ProjectId = ${params.bind(projectId, 'String')}`];
  if (environment !== undefined) tenant.push(`t.Environment = ${params.bind(environment, 'String')}`);
  const time = table.signal === 'traces' ? 't.Timestamp' : 't.TimeUnix';
  const cost = table.signal === 'traces' ? pricedColumn(projectId, params) : undefined;
  const columns = sqlColumns(table).map((column) =>
    cost !== undefined && column.name === 'CostUsd'
      ? `${cost} AS CostUsd`
      : columnExpression(table, column, hidesPeople),
  );
  return (
    `${table.name} AS (SELECT ${columns.join(', ')} FROM \`${database}\`.${table.name} AS t ` +
    `PREWHERE ${tenant.join(' AND ')} WHERE ${time} >= ${params.time(window.from)} AND ${time} < ${params.time(window.to)})`
  );
}

/** Attributes that name a person or their machine. */
const PERSON_KEY =
  "match(k, '(?i)(^|[._])(user|enduser|email|account|author|host|hostname|username|home|owner)([._]|$)')";
const OF_CODING_AGENT: Readonly<Record<'traces' | 'metrics', string>> = {
  traces:
    "(startsWith(t.SpanName, 'coding_agent.') OR has(t.ResourceAttributes.keys, 'coding_agent.content_capture_mode'))",
  metrics:
    "(startsWith(t.MetricName, 'coding_agent.') OR startsWith(t.MetricName, 'claude_code.') OR has(t.ResourceAttributes.keys, 'coding_agent.content_capture_mode'))",
};

function columnExpression(table: Table, column: Column, hidesPeople: boolean): string {
  if (column === ENDED_COLUMN) return `(t.Flags < ${UNFINISHED_FLAG}) AS Ended`;
  const { name, type } = column;
  const [written, read] = [`\`${name}\``, `t.\`${name}\``];
  if (!hidesPeople) return `${read} AS ${written}`;
  const agents = OF_CODING_AGENT[table.signal === 'traces' ? 'traces' : 'metrics'];
  if (name === 'UserId') return `if(${agents}, '', t.UserId) AS UserId`;
  if (type === 'Map(LowCardinality(String), String)') {
    return `mapFilter((k, v) -> NOT (${agents} AND ${PERSON_KEY}), ${read}) AS ${written}`;
  }
  if (type === 'Array(Map(LowCardinality(String), String))') {
    return `if(${agents}, arrayResize(${read}, 0), ${read}) AS ${written}`;
  }
  return `${read} AS ${written}`;
}

/** The tenant once more, as conditions that the engine adds to the tables themselves. */
export function rowFilters({ projectId, environment, database, tables }: PreludeInput): string {
  const conditions = [`ProjectId = ${quote(projectId)}`];
  if (environment !== undefined) conditions.push(`Environment = ${quote(environment)}`);
  const condition = quote(conditions.join(' AND '));
  const entries = tables.map(({ name }) => `${quote(`${database}.${name}`)}: ${condition}`);
  return `{${entries.join(', ')}}`;
}
