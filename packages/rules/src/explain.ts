import { operatorOf } from './operators/index.ts';
import type { PreparedCondition, PreparedGroup } from './prepare.ts';
import type { Condition, Joiner } from './rule.ts';
import type { SeenFields } from './values.ts';

/** Why a rule matched the fields, or did not. */
export interface Explanation {
  readonly result: boolean;
  readonly groupOperator: Joiner;
  readonly groups: readonly GroupExplanation[];
  /** One sentence. */
  readonly why: string;
}

export interface GroupExplanation {
  readonly result: boolean;
  readonly operator: Joiner;
  readonly conditions: readonly ConditionExplanation[];
}

export interface ConditionExplanation {
  readonly condition: Condition;
  readonly result: boolean;
  /** The value that was there, as text; null when the field was absent. */
  readonly seen: string | null;
  /** One sentence. */
  readonly why: string;
}

/** Of long values, this much is shown. */
const SHOWN = 200;
const shown = (text: string): string =>
  JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()}…` : text);

export function explain(
  groupOperator: Joiner,
  prepared: readonly PreparedGroup[],
  fields: SeenFields,
): Explanation {
  const groups = prepared.map((group): GroupExplanation => {
    const conditions = group.conditions.map((condition) => explainCondition(condition, fields));
    return { operator: group.operator, conditions, result: joined(group.operator, conditions) };
  });
  const result = joined(groupOperator, groups);
  return { result, groupOperator, groups, why: sentence(groupOperator, groups, result) };
}

function joined(joiner: Joiner, parts: readonly { readonly result: boolean }[]): boolean {
  if (parts.length === 0) return false;
  return joiner === 'AND' ? parts.every(({ result }) => result) : parts.some(({ result }) => result);
}

function explainCondition(
  { condition, prepared }: PreparedCondition,
  fields: SeenFields,
): ConditionExplanation {
  const seen = fields.get(condition.field);
  if (seen === undefined) {
    const why = `There is no field ${shown(condition.field)}, and no condition on an absent field holds.`;
    return { condition, result: false, seen: null, why };
  }
  const result = prepared.test(seen);
  const operator = operatorOf(condition.operator);
  const says = (result ? operator?.label : operator?.negation) ?? condition.operator;
  const why =
    prepared.numeric && seen.number === undefined
      ? `${shown(seen.text)} is no number, and no condition on numbers holds for it.`
      : `${shown(seen.text)} ${says} ${shown(condition.value)}.`;
  return { condition, result, seen: seen.text, why };
}

function sentence(joiner: Joiner, groups: readonly GroupExplanation[], result: boolean): string {
  if (groups.length === 0) return 'It has no conditions, and such a rule never matches.';
  const numbers = groups.flatMap((group, index) => (group.result ? [index + 1] : []));
  const fulfilled = `${numbers.length} of ${groups.length} ${groups.length === 1 ? 'group' : 'groups'}`;
  const needed = groups.length === 1 ? 'it' : joiner === 'AND' ? 'all of them' : 'one of them';
  return `${result ? 'It matches' : 'It does not match'}: ${fulfilled} hold${numbers.length === 1 ? 's' : ''}, and ${needed} must.`;
}
