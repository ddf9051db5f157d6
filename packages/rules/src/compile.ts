import type { Bind, FieldSql } from './operator.ts';
import { type PreparedCondition, prepareGroups } from './prepare.ts';
import type { Joiner, Rule } from './rule.ts';
import { NUMBER_PATTERN } from './values.ts';

/** How a field is read from the rows; undefined for one that no row has. */
export type Resolve = (field: string) => FieldSql | undefined;

/** A rule as conditions in the dialect of ClickHouse, each in parentheses and never null. */
export interface CompiledRule {
  /** The whole rule: what `matches` of the evaluator says of the same fields. */
  readonly sql: string;
  /** Each condition on its own, by group. */
  readonly conditions: readonly (readonly string[])[];
}

const NUMBER_SQL = NUMBER_PATTERN.replaceAll('\\', '\\\\');

/**
 * The number that a text is, as an expression: what the evaluator takes and no more. The engine by itself also reads
 * `inf` and `nan`, and 1e400 as infinite.
 */
export const numberSql = (text: string): string =>
  `if(match(${text}, '${NUMBER_SQL}') AND isFinite(toFloat64OrNull(${text})), toFloat64OrNull(${text}), NULL)`;

/** Every value is bound: no text of the rule gets into the SQL. @throws InvalidRule */
export function compile(rule: Rule, resolve: Resolve, bind: Bind): CompiledRule {
  const groups = prepareGroups(rule).map((group) => ({
    operator: group.operator,
    conditions: group.conditions.map((condition) => compileCondition(condition, resolve, bind)),
  }));
  return {
    sql: join(
      rule.groupOperator,
      groups.map((group) => join(group.operator, group.conditions)),
    ),
    conditions: groups.map((group) => group.conditions),
  };
}

function compileCondition({ condition, prepared }: PreparedCondition, resolve: Resolve, bind: Bind): string {
  const field = resolve(condition.field);
  return field === undefined ? '(0)' : `(${field.present} AND ${prepared.sql(field, bind)})`;
}

const join = (joiner: Joiner, parts: readonly string[]): string =>
  parts.length === 0 ? '(0)' : `(${parts.join(` ${joiner} `)})`;
