import { BadValue, type Prepared } from './operator.ts';
import { operatorOf, operatorsFor } from './operators/index.ts';
import { type Condition, DATA_TYPES, JOINERS, type Joiner, type Rule, RULE_LIMITS } from './rule.ts';

/** What is wrong with a rule, and where. */
export interface RuleTrouble {
  /** The way to the part, as in `['groups', 0, 'conditions', 2, 'value']`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** Where in the text of that part, an offset in UTF-16 units, when that is known. */
  readonly position?: number;
}

/** A rule that cannot be used was to be used. What is wrong is in `troubles`. */
export class InvalidRule extends Error {
  readonly troubles: readonly RuleTrouble[];
  constructor(troubles: readonly RuleTrouble[]) {
    super(troubles.map(({ path, message }) => `${pathText(path)}: ${message}`).join(' '));
    this.name = 'InvalidRule';
    this.troubles = troubles;
  }
}

/** `groups[0].conditions[2].value` */
export const pathText = (path: RuleTrouble['path']): string =>
  path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`),
    '',
  );

export interface PreparedCondition {
  readonly condition: Condition;
  readonly prepared: Prepared;
}

export interface PreparedGroup {
  readonly operator: Joiner;
  readonly conditions: readonly PreparedCondition[];
}

/** Everything that keeps a rule from being used; empty when nothing does. */
export function validate(rule: Rule): readonly RuleTrouble[] {
  const troubles: RuleTrouble[] = [];
  parse(rule, troubles);
  return troubles;
}

/** The groups with every value parsed. @throws InvalidRule */
export function prepareGroups(rule: Rule): readonly PreparedGroup[] {
  const troubles: RuleTrouble[] = [];
  const groups = parse(rule, troubles);
  if (troubles.length > 0) throw new InvalidRule(troubles);
  return groups;
}

function parse(rule: Rule, troubles: RuleTrouble[]): readonly PreparedGroup[] {
  joiner(rule.groupOperator, ['groupOperator'], troubles);
  const conditions = rule.groups.reduce((sum, group) => sum + group.conditions.length, 0);
  if (rule.groups.length > RULE_LIMITS.groups) {
    troubles.push({
      path: ['groups'],
      message: `A rule has ${RULE_LIMITS.groups} groups at most; these are ${rule.groups.length}.`,
    });
  }
  if (conditions > RULE_LIMITS.conditions) {
    troubles.push({
      path: ['groups'],
      message: `A rule has ${RULE_LIMITS.conditions} conditions at most; these are ${conditions}.`,
    });
  }
  // Not parsed any further: a rule beyond the bounds costs nothing more than to say so.
  if (troubles.length > 0) return [];
  return rule.groups.map((group, index) => {
    const path = ['groups', index];
    joiner(group.operator, [...path, 'operator'], troubles);
    if (group.conditions.length === 0) {
      troubles.push({ path: [...path, 'conditions'], message: 'A group needs a condition.' });
    }
    return {
      operator: group.operator,
      conditions: group.conditions.flatMap((condition, place) => {
        const prepared = prepareCondition(condition, [...path, 'conditions', place], troubles);
        return prepared === undefined ? [] : [{ condition, prepared }];
      }),
    };
  });
}

function joiner(value: string, path: RuleTrouble['path'], troubles: RuleTrouble[]): void {
  if (!(JOINERS as readonly string[]).includes(value)) {
    troubles.push({ path, message: 'This is AND or OR.' });
  }
}

function prepareCondition(
  { field, operator: id, value, dataType }: Condition,
  path: RuleTrouble['path'],
  troubles: RuleTrouble[],
): Prepared | undefined {
  const before = troubles.length;
  const trouble = (part: string, message: string, position?: number) => {
    troubles.push({ path: [...path, part], message, ...(position === undefined ? {} : { position }) });
  };
  if (field.trim() === '') trouble('field', 'Name the field.');
  if (field.length > RULE_LIMITS.fieldLength) {
    trouble('field', `The name of a field has ${RULE_LIMITS.fieldLength} characters at most.`);
  }
  if (value.length > RULE_LIMITS.valueLength) {
    trouble('value', `A value has ${RULE_LIMITS.valueLength} characters at most; this has ${value.length}.`);
  }
  const operator = operatorOf(id);
  if (!(DATA_TYPES as readonly string[]).includes(dataType)) {
    trouble('dataType', 'This is string, number or boolean.');
  } else if (operator === undefined) {
    trouble('operator', `There is no operator "${id.slice(0, 50)}".`);
  }
  const comparison = operator?.types[dataType];
  if (operator !== undefined && comparison === undefined && troubles.length === before) {
    const names = operatorsFor(dataType).map((one) => one.id);
    trouble('operator', `A ${dataType} takes ${names.join(', ')}, not ${operator.id}.`);
  }
  if (comparison === undefined || troubles.length > before) return undefined;
  try {
    return comparison.prepare(value);
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    trouble('value', error.message, error.position);
    return undefined;
  }
}
