import { type Explanation, explain } from './explain.ts';
import { type PreparedGroup, prepareGroups } from './prepare.ts';
import type { Joiner, Rule } from './rule.ts';
import { type Fields, SeenFields } from './values.ts';

/** A rule made ready: parse once, ask often. */
export interface PreparedRule {
  matches(fields: Fields): boolean;
  /** The same answer with its reasons, condition by condition. */
  explain(fields: Fields): Explanation;
  /** What sets of rules are made of. */
  readonly parts: { readonly joiner: Joiner; readonly groups: readonly PreparedGroup[]; readonly test: Test };
}

/** Whether the fields fulfil something. */
export type Test = (fields: SeenFields) => boolean;

/** @throws InvalidRule */
export function prepare(rule: Rule): PreparedRule {
  const groups = prepareGroups(rule);
  const test = testOf(rule.groupOperator, groups);
  return {
    matches: (fields) => test(new SeenFields(fields)),
    explain: (fields) => explain(rule.groupOperator, groups, new SeenFields(fields)),
    parts: { joiner: rule.groupOperator, groups, test },
  };
}

/** The whole rule as one function. A rule without groups never matches. */
function testOf(joiner: Joiner, groups: readonly PreparedGroup[]): Test {
  return join(
    joiner,
    groups.map((group) => ({
      test: join(group.operator, group.conditions.map(testOfCondition)),
      cost: group.conditions.reduce((sum, { prepared }) => sum + prepared.cost, 0),
    })),
  );
}

interface Costed {
  readonly test: Test;
  readonly cost: number;
}

/** A condition on a field that is not there is false, the negative ones too. */
function testOfCondition({ condition: { field }, prepared }: PreparedGroup['conditions'][number]): Costed {
  return {
    test: (fields) => {
      const seen = fields.get(field);
      return seen !== undefined && prepared.test(seen);
    },
    cost: prepared.cost,
  };
}

/** AND or OR of the parts, the cheap ones first. Of no parts it is false either way. */
function join(joiner: Joiner, parts: readonly Costed[]): Test {
  const [first, ...others] = parts.toSorted((a, b) => a.cost - b.cost).map(({ test }) => test);
  if (first === undefined) return () => false;
  if (others.length === 0) return first;
  const tests = [first, ...others];
  if (joiner === 'AND') {
    return (fields) => {
      for (const test of tests) if (!test(fields)) return false;
      return true;
    };
  }
  return (fields) => {
    for (const test of tests) if (test(fields)) return true;
    return false;
  };
}
