import type { RuleDefinition } from '../../api/rules.ts';

type Condition = RuleDefinition['groups'][number]['conditions'][number];

const SIGNS: Readonly<Partial<Record<Condition['operator'], string>>> = {
  equals: '=',
  not_equals: '≠',
  gt: '>',
  gte: '≥',
  lt: '<',
  lte: '≤',
  regex: 'matches',
};

const LONGEST_VALUE = 60;

/** A condition on one line: `model starts with gpt-4`. */
function conditionWords({ field, operator, value }: Condition): string {
  const shown = value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE)}…` : value;
  return `${field} ${SIGNS[operator] ?? operator.replaceAll('_', ' ')} ${shown === '' ? '""' : shown}`;
}

/** All conditions on one line, groups in parentheses where there are several. */
export function ruleWords({ groupOperator, groups }: RuleDefinition): string {
  if (groups.length === 0) return '';
  const parts = groups.map(({ operator, conditions }) => {
    const text = conditions.map(conditionWords).join(` ${operator.toLowerCase()} `);
    return groups.length > 1 && conditions.length > 1 ? `(${text})` : text;
  });
  return parts.join(` ${groupOperator.toLowerCase()} `);
}
