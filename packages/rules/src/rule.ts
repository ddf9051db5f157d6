/**
 * What a rule is. It belongs to nobody here: name, status, priority and what it is linked to are the server's, this is
 * the part that decides.
 */
export interface Rule {
  /** How the groups are joined. */
  readonly groupOperator: Joiner;
  /** Without any, the rule never matches. */
  readonly groups: readonly ConditionGroup[];
}

export interface ConditionGroup {
  /** How the conditions are joined. */
  readonly operator: Joiner;
  readonly conditions: readonly Condition[];
}

export interface Condition {
  readonly field: string;
  readonly operator: OperatorId;
  /** As a person typed it; each operator reads its own: a list has commas, `between` has two numbers. */
  readonly value: string;
  readonly dataType: DataType;
}

export const JOINERS = ['AND', 'OR'] as const;
export type Joiner = (typeof JOINERS)[number];

export const DATA_TYPES = ['string', 'number', 'boolean'] as const;
export type DataType = (typeof DATA_TYPES)[number];

export const OPERATOR_IDS = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'regex',
  'in',
  'not_in',
  'gt',
  'gte',
  'lt',
  'lte',
  'between',
] as const;
export type OperatorId = (typeof OPERATOR_IDS)[number];

/** Bounds of one rule, so that no rule costs more than a request may. Lengths are UTF-16 units. */
export const RULE_LIMITS = {
  groups: 20,
  /** In all groups together. */
  conditions: 100,
  fieldLength: 200,
  valueLength: 10_000,
  listItems: 500,
  regexLength: 1_000,
} as const;
