/**
 * The prices that people set, and the rows of a table with the costs that follow from them. What is stored stays as it is:
 * `Scope` selects from these rows, `repriced.ts` adds the differences to rollups.
 */
import type { PriceCorrection } from '@candela/semconv';
import type { Params } from './params.ts';
import { correctedCostSql } from './price-sql.ts';

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

const STEP = 'if(CostUsd > 0, toUInt32(bitShiftRight(reinterpretAsUInt64(assumeNotNull(CostUsd)), 40)), 0)';

/** Tables whose rows have a cost, with what a statement may name besides their columns. */
const COSTED: Readonly<Record<string, string>> = {
  otel_traces: '_part, _part_offset',
  otel_logs: '_part, _part_offset',
};

/**
 * The table as something to select from, its costs as people set them; undefined where nobody set one. Columns that the
 * statement does not name are not read.
 * @param taken what goes before the rows are read, ` PREWHERE ...` or ''
 */
export function pricedRows(
  table: string,
  taken: string,
  projectId: string,
  params: Params,
): string | undefined {
  const virtual = COSTED[table];
  const cost = virtual === undefined ? undefined : correctedCost(projectId, params);
  if (virtual === undefined || cost === undefined) return undefined;
  const rows = `(SELECT * REPLACE (ifNull(${cost}, CostUsd) AS CostUsd), ${virtual} FROM ${table}${taken} SETTINGS asterisk_include_materialized_columns = 1)`;
  return table === 'otel_traces' ? `(SELECT * REPLACE (${STEP} AS CostStep) FROM ${rows})` : rows;
}

/** The cost as people set it, of a statement that names the columns of its table `t`; undefined where nobody did. */
export function pricedColumn(projectId: string, params: Params): string | undefined {
  const cost = correctedCost(projectId, params);
  return cost === undefined ? undefined : `ifNull(${cost}, t.CostUsd)`;
}

const written = new WeakMap<Params, string>();

/** The cost by the prices of people, NULL where none fits; written once for all places of a statement. */
export function correctedCost(projectId: string, params: Params): string | undefined {
  const corrections = priceCorrectionsOf(projectId);
  if (corrections.length === 0) return undefined;
  const known = written.get(params);
  if (known !== undefined) return known;
  const sql = correctedCostSql(corrections, params);
  written.set(params, sql);
  return sql;
}
