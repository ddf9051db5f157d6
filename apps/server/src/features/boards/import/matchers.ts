import type { Filter } from '@candela/contract';

/** Says why a target of another product cannot be said as a query of ours. */
export class Unsaid extends Error {
  override readonly name = 'Unsaid';
}

/** A condition on a label, as PromQL and LogQL write it. */
export interface Matcher {
  readonly label: string;
  readonly op: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

/** What labels are called here, and which variables stand for values of which fields. */
export interface Labels {
  field(label: string): string;
  /** The variable of a dashboard is one of values of this field. */
  uses(variable: string, field: string): void;
}

const VARIABLE = /^(?:\$([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)(?::\w+)?\}|\[\[([A-Za-z_]\w*)\]\])$/;
const PLAIN = /^[\p{L}\p{N} ./:@_-]+$/u;

/** The name of the variable that a text is whole; undefined: it is none. */
function variableIn(text: string): string | undefined {
  const [, plain, braced, bracketed] = VARIABLE.exec(text.trim()) ?? [];
  return plain ?? braced ?? bracketed;
}

/**
 * Conditions of matchers. What a variable stands for is no condition here: the variable narrows by itself.
 * @throws Unsaid when a variable is a part of a value
 */
export function conditionsOf(matchers: readonly Matcher[], labels: Labels): Filter[] {
  return matchers.flatMap(({ label, op, value }): Filter[] => {
    const field = labels.field(label);
    const variable = variableIn(value);
    if (variable !== undefined) {
      if (op.startsWith('!')) throw new Unsaid(`a variable says which ${label} is left out`);
      labels.uses(variable, field);
      return [];
    }
    if (value.includes('$')) throw new Unsaid(`a variable is a part of the value of ${label}`);
    if (op === '=') return [value === '' ? { field, op: 'not_exists' } : { field, op, value }];
    if (op === '!=') return [value === '' ? { field, op: 'exists' } : { field, op, value }];
    const is = regexOf(field, value);
    if (is === undefined) return op === '!~' ? [{ field, op: 'not_exists' }] : [];
    return [op === '!~' ? { not: is } : is];
  });
}

/** A regular expression that matches whole values; undefined: it matches all. */
function regexOf(field: string, value: string): Filter | undefined {
  if (value === '.*') return undefined;
  if (value === '.+') return { field, op: 'exists' };
  const parts = value.split('|');
  if (parts.every((part) => PLAIN.test(part) && !part.includes('.')))
    return { field, op: 'in', value: parts };
  return { field, op: 'regex', value: `^(?:${value})$` };
}

/** All must hold; none: no filter. */
export function allOf(filters: readonly Filter[]): { filter?: Filter } {
  const [only] = filters;
  if (only === undefined) return {};
  return { filter: filters.length === 1 ? only : { and: filters } };
}

/** The text within quotes, its escapes read. */
export function unquoted(text: string): string {
  if (text.startsWith('`')) return text.slice(1, -1);
  return text
    .slice(1, -1)
    .replaceAll(/\\(.)/gs, (_all, character: string) =>
      character === 'n' ? '\n' : character === 't' ? '\t' : character,
    );
}
