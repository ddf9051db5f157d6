import { describe, expect, it } from 'vitest';
import type { RuleDefinition } from '../../api/rules.ts';
import { ruleWords } from './rule-words.ts';

type Condition = RuleDefinition['groups'][number]['conditions'][number];
const is = (field: string, operator: Condition['operator'], value: string): Condition => ({
  field,
  operator,
  value,
  dataType: 'string',
});

describe('a rule on one line', () => {
  it('has signs for what has them, words for the rest, and groups in parentheses', () => {
    expect(
      ruleWords({
        groupOperator: 'OR',
        groups: [
          { operator: 'AND', conditions: [is('model', 'starts_with', 'gpt-4'), is('cost', 'gte', '1')] },
          { operator: 'AND', conditions: [is('tier', 'equals', '')] },
        ],
      }),
    ).toBe('(model starts with gpt-4 and cost ≥ 1) or tier = ""');
  });

  it('of one group needs none; long values are cut; without conditions there is nothing to say', () => {
    const long = ruleWords({
      groupOperator: 'AND',
      groups: [{ operator: 'OR', conditions: [is('a', 'in', 'x'.repeat(500)), is('b', 'not_in', 'y')] }],
    });
    expect(long).toMatch(/^a in x{60}… or b not in y$/);
    expect(ruleWords({ groupOperator: 'AND', groups: [] })).toBe('');
  });
});
