/**
 * Prices that people set, over rollups: a statement that reads the cost of one adds the difference, made from the rows that a
 * price changes.
 */
import { joinOf, type Rollup, type RollupColumn, selectOf } from '../../rollups/rollup.ts';
import { SPANS } from '../spans/span-fields.ts';
import { correctedCost } from './prices.ts';
import type { Scope, Window } from './scope.ts';

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
  const { from, where, params, context } = scope;
  const cost = correctedCost(context.projectId, params);
  if (cost === undefined) return from;
  const names = rollup.columns.map(({ name }) => name).join(', ');
  const stored = scope.over(SPANS).during(window).asStored.from;
  const changed = `(SELECT * REPLACE (New - ifNull(Stored, 0) AS CostUsd)
    FROM (SELECT *, ${cost} AS New, CostUsd AS Stored ${stored}) WHERE isNotNull(New) AND New != ifNull(Stored, -1))`;
  const columns = rollup.columns.map((column) =>
    joinOf(column) === undefined || COST_FIGURES.has(column.name)
      ? column.name
      : `${neutral(column)} AS ${column.name}`,
  );
  return `FROM (SELECT ${names} ${from} UNION ALL
    SELECT ${columns.join(', ')} FROM (${selectOf(rollup, 'otel_traces', changed)})) WHERE ${where}`;
}

/** Whether expressions over a rollup read a cost. */
export const readsCost = (sql: string): boolean => /\b(?:Cost|CostUsd|Priced)\b/.test(sql);
