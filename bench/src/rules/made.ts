import type { Condition, FieldValue, Rule } from '@candela/rules';
import type { BenchRandom } from '../lib/random.ts';

export const RULES = 1_000;
export const CONDITIONS = 5;
export const FIELDS = 40;

export const WORDS = [
  'gpt-4o',
  'gpt-4o-mini',
  'claude',
  'free',
  'pro',
  'eu-west-1',
  'chat',
  'refund',
  'de',
  'en',
];
const EXPRESSIONS = [
  '^gpt-[0-9]',
  '(?i)REFUND|cancel',
  '\\bclaude\\b',
  '^[a-z]{2}-[a-z]+-\\d$',
  'mini$',
  '[0-9]+\\.[0-9]+',
];
export const fieldName = (n: number): string => `field.${n}`;

/** Values as applications send them: a third of the fields are numbers. */
export function fieldsOf(
  random: BenchRandom,
  names: readonly string[],
  length: number,
): Map<string, FieldValue> {
  return new Map(
    names.map((name, n): [string, FieldValue] => {
      if (n % 3 === 0) return [name, random.below(1_000) / 10];
      const word = random.pick(WORDS);
      return [name, length === 0 ? word : `${'lorem ipsum '.repeat(length / 12)}${word}`];
    }),
  );
}

function conditionOf(random: BenchRandom, field: string, numeric: boolean): Condition {
  if (numeric) {
    const bound = random.below(1_000) / 10;
    return random.below(3) === 0
      ? { field, operator: 'between', value: `${bound},${bound + 20}`, dataType: 'number' }
      : { field, operator: random.pick(['gt', 'lte']), value: String(bound), dataType: 'number' };
  }
  const operator = random.pick(['equals', 'not_equals', 'contains', 'starts_with', 'in', 'regex'] as const);
  const value =
    operator === 'regex'
      ? random.pick(EXPRESSIONS)
      : operator === 'in'
        ? `${random.pick(WORDS)}, ${random.pick(WORDS)}, other`
        : random.pick(WORDS);
  return { field, operator, value, dataType: 'string' };
}

/** Rules of five conditions each. `OR` asks all of them whenever none holds; `operators`: what they consist of. */
export function rulesOf(
  random: BenchRandom,
  joiner: 'AND' | 'OR',
  only?: (field: string) => Condition,
): Rule[] {
  return Array.from({ length: RULES }, () => ({
    groupOperator: 'AND',
    groups: [
      {
        operator: joiner,
        conditions: Array.from({ length: CONDITIONS }, () => {
          const n = random.below(FIELDS);
          return only?.(fieldName(n)) ?? conditionOf(random, fieldName(n), n % 3 === 0);
        }),
      },
    ],
  }));
}
