import { describe, expect, it } from 'vitest';
import {
  type Condition,
  InvalidRule,
  OPERATOR_IDS,
  OPERATORS,
  operatorsFor,
  pathText,
  prepare,
  type Rule,
  RULE_LIMITS,
  ruleSet,
  validate,
} from './index.ts';
import { RULE_CASES } from './testing/cases.ts';

const condition = (changes: Partial<Condition> = {}): Condition => ({
  field: 'model',
  operator: 'equals',
  value: 'x',
  dataType: 'string',
  ...changes,
});
const ruleOf = (...conditions: Condition[]): Rule => ({
  groupOperator: 'AND',
  groups: [{ operator: 'AND', conditions }],
});
const said = (rule: Rule) =>
  validate(rule).map(({ path, message, position }) => `${pathText(path)} ${position ?? '-'} ${message}`);

describe('operators', () => {
  it('are each in the registry, with the types of the specification', () => {
    expect(OPERATORS.map(({ id }) => id)).toEqual(OPERATOR_IDS);
    expect(operatorsFor('string').map(({ id }) => id)).toEqual(OPERATOR_IDS.slice(0, 9));
    expect(operatorsFor('number').map(({ id }) => id)).toEqual([
      'equals',
      'not_equals',
      'gt',
      'gte',
      'lt',
      'lte',
      'between',
    ]);
    expect(operatorsFor('boolean').map(({ id }) => id)).toEqual(['equals']);
  });

  it('the shared table is as large as it must be, and speaks of every operator', () => {
    expect(RULE_CASES.length).toBeGreaterThan(400);
    const used = RULE_CASES.flatMap(({ rule }) => rule.groups.flatMap((group) => group.conditions));
    expect(new Set(used.map(({ operator }) => operator))).toEqual(new Set(OPERATOR_IDS));
  });

  it.each(RULE_CASES)('$name', ({ rule, fields, expected }) => {
    expect(validate(rule)).toEqual([]);
    const prepared = prepare(rule);
    expect(prepared.matches(fields)).toBe(expected);
    expect(prepared.explain(fields).result).toBe(expected);
    expect(ruleSet([{ id: 'it', rule: prepared }]).matching(fields)).toEqual(expected ? ['it'] : []);
  });
});

describe('validation', () => {
  it('takes a rule without groups, refuses a group without conditions', () => {
    expect(validate({ groupOperator: 'OR', groups: [] })).toEqual([]);
    expect(said({ groupOperator: 'OR', groups: [{ operator: 'AND', conditions: [] }] })).toEqual([
      'groups[0].conditions - A group needs a condition.',
    ]);
  });

  it.each<[changes: Partial<Condition>, sentence: string]>([
    [{ field: ' ' }, 'field - Name the field.'],
    [{ field: 'f'.repeat(201) }, 'field - The name of a field has 200 characters at most.'],
    [{ operator: 'like' as never }, 'operator - There is no operator "like".'],
    [{ operator: 'constructor' as never }, 'operator - There is no operator "constructor".'],
    [{ dataType: 'date' as never }, 'dataType - This is string, number or boolean.'],
    [
      { operator: 'gt', value: '1' },
      'operator - A string takes equals, not_equals, contains, not_contains, starts_with, ends_with, regex, in, not_in, not gt.',
    ],
    [{ operator: 'regex', dataType: 'boolean' }, 'operator - A boolean takes equals, not regex.'],
    [{ operator: 'contains', value: '' }, 'value - Give a text to look for.'],
    [{ operator: 'in', value: ' , ,' }, 'value - Give the values, with commas between them.'],
    [
      { operator: 'in', value: Array.from({ length: 501 }, (_, index) => index).join() },
      'value - A list takes 500 values; these are 501.',
    ],
    [{ dataType: 'number', value: '' }, 'value - Give a number, like 0.5 or 1e6.'],
    [{ dataType: 'number', value: 'ten' }, 'value - "ten" is no number; write one like 0.5 or 1e6.'],
    [{ dataType: 'number', value: '1e999' }, 'value - "1e999" is no number; write one like 0.5 or 1e6.'],
    [
      { dataType: 'number', operator: 'between', value: '1' },
      'value - Give two numbers with a comma between them: 0.5,1.',
    ],
    [
      { dataType: 'number', operator: 'between', value: '3,1' },
      'value - The bounds are the wrong way round: 3 is more than 1.',
    ],
    [{ dataType: 'boolean', value: 'yes' }, 'value - Give true or false.'],
    [{ value: 'v'.repeat(10_001) }, 'value - A value has 10000 characters at most; this has 10001.'],
    [
      { operator: 'regex', value: 'ok(a' },
      'value - Not a regular expression of RE2: missing closing ): ok(a',
    ],
    [
      { operator: 'regex', value: 'ab**' },
      'value 2 Not a regular expression of RE2: invalid nested repetition operator: **',
    ],
    [
      { operator: 'regex', value: 'ab(?=c)' },
      'value 2 Not a regular expression of RE2: invalid or unsupported Perl syntax: (?=',
    ],
    [
      { operator: 'regex', value: '(a)\\1' },
      'value 3 Not a regular expression of RE2: invalid escape sequence: \\1',
    ],
    [
      { operator: 'regex', value: '\\pL{1000}' },
      'value - The regular expression is too large: repeat less, or write it shorter.',
    ],
    [
      { operator: 'regex', value: 'r'.repeat(1_001) },
      'value - A regular expression takes 1000 characters; this has 1001.',
    ],
    [{ operator: 'regex', value: 'a\0' }, 'value 1 A regular expression cannot hold the character NUL.'],
  ])('%o', (changes, sentence) => {
    expect(said(ruleOf(condition(), condition(changes)))).toEqual([`groups[0].conditions[1].${sentence}`]);
    expect(() => prepare(ruleOf(condition(changes)))).toThrow(InvalidRule);
  });

  it('bounds groups and conditions', () => {
    const group = { operator: 'OR', conditions: [condition()] } as const;
    const many = (count: number): Rule => ({ groupOperator: 'OR', groups: Array(count).fill(group) });
    expect(validate(many(RULE_LIMITS.groups))).toEqual([]);
    expect(said(many(21))).toEqual(['groups - A rule has 20 groups at most; these are 21.']);
    expect(said(ruleOf(...Array<Condition>(101).fill(condition())))).toEqual([
      'groups - A rule has 100 conditions at most; these are 101.',
    ]);
  });

  it('takes a long expression that repeats nothing', () => {
    const words = Array.from({ length: 140 }, (_, n) => `w${1_000 + n}`).join('|');
    expect(words.length).toBeGreaterThan(700);
    expect(validate(ruleOf(condition({ operator: 'regex', value: words })))).toEqual([]);
  });

  it('says that a joiner is none', () => {
    expect(said({ groupOperator: 'XOR' as never, groups: [] })).toEqual([
      'groupOperator - This is AND or OR.',
    ]);
  });
});

describe('explanations', () => {
  const rule: Rule = {
    groupOperator: 'AND',
    groups: [
      {
        operator: 'OR',
        conditions: [
          condition({ operator: 'starts_with', value: 'gpt' }),
          condition({ field: 'tokens', operator: 'gt', value: '10', dataType: 'number' }),
        ],
      },
      { operator: 'AND', conditions: [condition({ field: 'tier', operator: 'not_equals', value: 'free' })] },
    ],
  };

  it('say of every condition what was seen and why', () => {
    const { result, why, groups } = prepare(rule).explain(
      new Map<string, string | number>([
        ['model', 'claude'],
        ['tokens', 'many'],
      ]),
    );
    expect({ result, why }).toEqual({
      result: false,
      why: 'It does not match: 0 of 2 groups hold, and all of them must.',
    });
    expect(
      groups.flatMap((group) =>
        group.conditions.map(({ seen, result: holds, why: said }) => [seen, holds, said]),
      ),
    ).toEqual([
      ['claude', false, '"claude" does not start with "gpt".'],
      ['many', false, '"many" is no number, and no condition on numbers holds for it.'],
      [null, false, 'There is no field "tier", and no condition on an absent field holds.'],
    ]);
  });

  it('say what held', () => {
    const { why, groups } = prepare(rule).explain(
      new Map<string, string | number>([
        ['model', 'gpt-4o'],
        ['tokens', 11],
        ['tier', 'pro'],
      ]),
    );
    expect(why).toBe('It matches: 2 of 2 groups hold, and all of them must.');
    expect(groups.flatMap((group) => group.conditions.map(({ why: said }) => said))).toEqual([
      '"gpt-4o" starts with "gpt".',
      '"11" is more than "10".',
      '"pro" is not "free".',
    ]);
    expect(prepare({ groupOperator: 'AND', groups: [] }).explain(new Map()).why).toBe(
      'It has no conditions, and such a rule never matches.',
    );
  });

  it('show long values cut', () => {
    const [group] = prepare(ruleOf(condition({ operator: 'contains', value: 'y' }))).explain(
      new Map([['model', 'x'.repeat(5_000)]]),
    ).groups;
    expect(group?.conditions[0]?.why.length).toBeLessThan(300);
    expect(group?.conditions[0]?.seen?.length).toBe(5_000);
  });
});

describe('sets of rules', () => {
  it('keep the order they were made with, and do not need every field', () => {
    const both: Rule = { groupOperator: 'OR', groups: ruleOf(condition({ field: 'a' })).groups };
    const rules: readonly { id: string; rule: Rule }[] = [
      { id: 'z', rule: ruleOf(condition({ field: 'b' })) },
      { id: 'needs both', rule: ruleOf(condition({ field: 'a' }), condition({ field: 'c' })) },
      { id: 'a', rule: both },
      { id: 'never', rule: { groupOperator: 'AND', groups: [] } },
      {
        id: 'either',
        rule: {
          groupOperator: 'AND',
          groups: [{ operator: 'OR', conditions: [condition({ field: 'a' }), condition({ field: 'b' })] }],
        },
      },
    ];
    const set = ruleSet(rules.map(({ id, rule }) => ({ id, rule: prepare(rule) })));
    expect(set.size).toBe(5);
    expect(
      set.matching(
        new Map([
          ['a', 'x'],
          ['b', 'x'],
        ]),
      ),
    ).toEqual(['z', 'a', 'either']);
    expect(set.matching(new Map([['b', 'x']]))).toEqual(['z', 'either']);
    expect(set.matching(new Map([['__proto__', 'x']]))).toEqual([]);
  });

  it('take a prepared rule again, and index it anew beside others', () => {
    const both = prepare(ruleOf(condition({ field: 'a' }), condition({ field: 'b' })));
    const seen = new Map([
      ['a', 'x'],
      ['b', 'x'],
    ]);
    const common = prepare(ruleOf(condition({ field: 'a', value: 'never' })));
    for (const others of [[], [common], [common, common]]) {
      const set = ruleSet([{ id: 'both', rule: both }, ...others.map((rule) => ({ id: 'other', rule }))]);
      expect(set.matching(seen)).toEqual(['both']);
    }
  });

  it('ask a slow expression of a hostile text in linear time', () => {
    const slow = ruleOf(condition({ operator: 'regex', value: '(a+)+$' }));
    const set = ruleSet([{ id: 'slow', rule: prepare(slow) }]);
    expect(set.matching(new Map([['model', `${'a'.repeat(1_000_000)}!`]]))).toEqual([]);
  });
});
