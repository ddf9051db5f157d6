/**
 * Prices that people set, over what is stored: costs are read as these prices say, rows and rollups stay as they are. A
 * statement that reads the cost of rows reads them with a cost worked out anew; one that reads the cost of a rollup adds the
 * difference, made from the rows that a price changes.
 */
import type { PriceCorrection } from '@candela/semconv';
import { joinOf, type Rollup, type RollupColumn, selectOf } from '../../rollups/rollup.ts';
import { SPANS } from '../spans/span-fields.ts';
import type { Params } from './params.ts';
import { correctedCostSql } from './price-sql.ts';
import type { Scope, Window } from './scope.ts';

let byProject: ReadonlyMap<string, readonly PriceCorrection[]> = new Map();

/**
 * From now on these prices hold, by project. One list for the process: each read of whatever feature and job has to agree.
 * The first of a project's prices that fits a call counts.
 */
export function setPriceCorrections(all: ReadonlyMap<string, readonly PriceCorrection[]>): void {
  byProject = all;
}

/** The prices that people set for a project, the first that fits counts. */
export const priceCorrectionsOf = (projectId: string): readonly PriceCorrection[] =>
  byProject.get(projectId) ?? [];

export const isRepriced = (projectId: string): boolean => priceCorrectionsOf(projectId).length > 0;

const COST = /\bCost(?:Usd|Step)\b/;
const ROWS = /FROM (otel_traces|otel_logs)( PREWHERE (?:(?! WHERE ).)*)? WHERE /g;
/** Marks rows of which the cost is meant as it is stored. */
const AS_STORED = '/* as stored */';
const STEP = 'if(CostUsd > 0, toUInt32(bitShiftRight(reinterpretAsUInt64(assumeNotNull(CostUsd)), 40)), 0)';

/** The statement with the costs of its rows as people set them. */
export function withPrices(sql: string, projectId: string, params: Params): string {
  const corrections = priceCorrectionsOf(projectId);
  if (corrections.length === 0 || !COST.test(sql)) return sql;
  const cost = `ifNull(${correctedCostSql(corrections, params)}, CostUsd)`;
  return sql.replaceAll(ROWS, (_, table: string, taken = '') => {
    const rows = `(SELECT * REPLACE (${cost} AS CostUsd) FROM ${table}${taken} SETTINGS asterisk_include_materialized_columns = 1)`;
    const isStepped = table === 'otel_traces' && sql.includes('CostStep');
    return `FROM ${isStepped ? `(SELECT * REPLACE (${STEP} AS CostStep) FROM ${rows})` : rows} WHERE `;
  });
}

/** The cost as people set it, of a statement that names the columns of its table `t`; undefined where nobody did. */
export function pricedColumn(projectId: string, params: Params): string | undefined {
  const corrections = priceCorrectionsOf(projectId);
  return corrections.length === 0 ? undefined : `ifNull(${correctedCostSql(corrections, params)}, t.CostUsd)`;
}

const COST_FIGURES: ReadonlySet<string> = new Set(['Cost', 'CostUsd', 'Priced']);

/** What changes nothing when it is joined with other rows. */
function neutral({ name, type }: RollupColumn): string {
  const join = joinOf({ name, type });
  const of = /^SimpleAggregateFunction\(\w+, (.*)\)$/s.exec(type)?.[1] ?? type;
  if (join === 'sum') return `CAST(0 AS ${of})`;
  if (join === 'min') return `CAST(${of === 'Int64' ? '9223372036854775807' : 'inf'} AS ${of})`;
  if (join === 'max') return `CAST(${of === 'Int64' ? '-9223372036854775808' : '0'} AS ${of})`;
  return `CAST(${of.startsWith('Tuple') ? '([], [])' : of.startsWith('Array') ? '[]' : "''"} AS ${of})`;
}

/**
 * `scope.from` of a rollup of spans, with a row for each difference that prices of people make.
 * @param window the times of the spans that the scope's rows are made from
 */
export function pricedFrom(scope: Scope, rollup: Rollup, window: Window): string {
  const { from, params, context } = scope;
  const corrections = priceCorrectionsOf(context.projectId);
  if (corrections.length === 0) return from;
  const conditions = from.slice(from.indexOf(' WHERE ') + ' WHERE '.length);
  const names = rollup.columns.map(({ name }) => name).join(', ');
  const cost = correctedCostSql(corrections, params);
  const rows = scope.over(SPANS).during(window);
  const stored = rows.from.replace('FROM otel_traces', `FROM otel_traces ${AS_STORED}`);
  const changed = `(SELECT * REPLACE (New - ifNull(Stored, 0) AS CostUsd)
    FROM (SELECT *, ${cost} AS New, CostUsd AS Stored ${stored}) WHERE isNotNull(New) AND New != ifNull(Stored, -1))`;
  const columns = rollup.columns.map((column) =>
    joinOf(column) === undefined || COST_FIGURES.has(column.name)
      ? column.name
      : `${neutral(column)} AS ${column.name}`,
  );
  return `FROM (SELECT ${names} ${from} UNION ALL
    SELECT ${columns.join(', ')} FROM (${selectOf(rollup, 'otel_traces', changed)})) WHERE ${conditions}`;
}

/** Whether expressions over a rollup read a cost. */
export const readsCost = (sql: string): boolean => /\b(?:Cost|CostUsd|Priced)\b/.test(sql);
