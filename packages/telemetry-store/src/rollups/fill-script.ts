import type { ScriptStep } from '../engine-host/protocol.ts';
import { quote } from '../engine-host/sql-text.ts';
import { COMMON_STAGES, rollupsOf } from './index.ts';
import { insertedRows, insertInto, type Rollup, type RollupSource, type Stage, sourceOf } from './rollup.ts';

/** The token of an insert into a rollup: each table knows its own. */
export const rollupToken = (token: string, table: string, rollup: string): string =>
  `${token}:${table}:${rollup}`;

/**
 * All rollups of one insert in one session of the engine: its rows are decoded once, into a temporary table of the
 * narrow columns, and rollups of rows that hardly ever come are passed over when none came. What is left out or done
 * follows from the rows alone, so that a repeat does the same; each rollup has its own token.
 */
export function fillScript(table: string, token: string): ScriptStep[] {
  const rollups = rollupsOf(table).map((rollup) => ({ rollup, source: sourceOf(rollup, table) }));
  if (rollups.length === 0) return [];
  const rows = insertedRows(table);
  const common = COMMON_STAGES.get(table);
  const conditions = [...new Set(rollups.flatMap(({ source }) => source.when ?? []))];
  const steps: ScriptStep[] = [];
  const staged = new Set<Stage>();
  const make = (stage: Stage, when: number | undefined): void => {
    if (staged.has(stage)) return;
    staged.add(stage);
    if (stage.from !== undefined) make(stage.from, when);
    const sql = `CREATE TEMPORARY TABLE ${stage.name} ENGINE = Memory AS ${stage.select(stage.from?.name ?? rows)}`;
    steps.push(when === undefined ? { sql } : { sql, when });
  };
  if (common !== undefined) make(common, undefined);
  if (common !== undefined && conditions.length > 0) {
    const asked = conditions.map((condition) => `max(${condition})`).join(', ');
    steps.push({ sql: `SELECT ${asked} FROM ${common.name}`, asks: true });
  }
  for (const { rollup, source } of rollups) {
    const at = source.when === undefined ? -1 : conditions.indexOf(source.when);
    const when = at === -1 ? undefined : at;
    if (source.stage !== undefined) make(source.stage, when);
    const sql = insertOf(rollup, source, rollupToken(token, table, rollup.name), rows);
    steps.push(when === undefined ? { sql } : { sql, when });
  }
  return steps;
}

function insertOf(rollup: Rollup, { stage, select }: RollupSource, token: string, rows: string): string {
  return `${insertInto(rollup)} SETTINGS insert_deduplication_token = ${quote(token)} ${select(stage?.name ?? rows)}`;
}
