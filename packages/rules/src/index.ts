export { type CompiledRule, compile, numberSql, type Resolve } from './compile.ts';
export { type PreparedRule, prepare } from './evaluator.ts';
export type { ConditionExplanation, Explanation, GroupExplanation } from './explain.ts';
export type { Bind, BindType, FieldSql, Operator } from './operator.ts';
export { OPERATORS, operatorOf, operatorsFor } from './operators/index.ts';
export { InvalidRule, pathText, type RuleTrouble, validate } from './prepare.ts';
export {
  type Condition,
  type ConditionGroup,
  DATA_TYPES,
  type DataType,
  type Joiner,
  JOINERS,
  OPERATOR_IDS,
  type OperatorId,
  type Rule,
  RULE_LIMITS,
} from './rule.ts';
export { type RuleSet, ruleSet } from './rule-set.ts';
export { type Fields, type FieldValue, textOf } from './values.ts';
