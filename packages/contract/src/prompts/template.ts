import { fail } from '@candela/kernel';

/** Bounds of what is put into a template and of what comes out. */
export const TEMPLATE_LIMITS = {
  /** Characters of a variable's name. */
  name: 100,
  /** Variables of one call. */
  variables: 1_000,
  /** Characters of one value as text. */
  value: 131_072,
  /** Characters of the rendered text. */
  rendered: 1_048_576,
  /** Names that are listed as missing or unused. */
  listed: 1_000,
} as const;

export interface Rendered {
  readonly text: string;
  /** Names that the template holds, each once, in the order they appear. */
  readonly variables: readonly string[];
  /** Those of them without a value: they stay in the text as written. */
  readonly missing: readonly string[];
  /** Given names that the template does not hold. */
  readonly unused: readonly string[];
}

/** A placeholder: two braces around a name of letters, digits, `_`, `.` and `-`, with spaces or tabs between. */
const PLACEHOLDER = /[ \t]{0,20}([\p{L}\p{N}_][\p{L}\p{N}_.-]{0,99})[ \t]{0,20}\}\}/uy;

interface Piece {
  /** Where it begins and ends in the template, braces included. */
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** Placeholders in order. Linear: a pair of braces is looked at once, and looking is bounded. */
function* placeholders(template: string): Generator<Piece> {
  let at = template.indexOf('{{');
  while (at !== -1) {
    PLACEHOLDER.lastIndex = at + 2;
    const name = PLACEHOLDER.exec(template)?.[1];
    const end = PLACEHOLDER.lastIndex;
    if (name !== undefined) yield { start: at, end, name };
    // Of "{{{name}}" the last two braces open.
    at = template.indexOf('{{', name === undefined ? at + 1 : end);
  }
}

/** Names of the variables of a template, each once, in the order they appear. */
export function variablesOf(template: string): string[] {
  const names = new Set<string>();
  for (const { name } of placeholders(template)) names.add(name);
  return [...names];
}

/** Where placeholders stand, for an editor that marks them. */
export function placeholdersOf(template: string): readonly Piece[] {
  return [...placeholders(template)];
}

/**
 * A value as the text that stands for it: scalars as they are written, objects and lists as JSON. Undefined for null
 * and for nothing: such a variable counts as not given.
 */
function textOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'object') return JSON.stringify(value);
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? String(value)
    : undefined;
}

/**
 * Puts values into a template in one pass: what a value holds is never expanded again, and no character of it means
 * anything. The one renderer of Candela. @throws refused, naming the bound, when there is too much of something
 */
export function renderTemplate(template: string, given: Readonly<Record<string, unknown>>): Rendered {
  const entries = Object.entries(given);
  if (entries.length > TEMPLATE_LIMITS.variables) {
    throw fail('refused', {
      detail: `More than ${TEMPLATE_LIMITS.variables} variables were sent. Send those that the prompt uses.`,
    });
  }
  const values = new Map<string, string>();
  for (const [name, value] of entries) {
    const text = textOf(value);
    if (text === undefined) continue;
    if (text.length > TEMPLATE_LIMITS.value) {
      throw fail('refused', {
        detail: `The value of "${name.slice(0, TEMPLATE_LIMITS.name)}" is longer than ${TEMPLATE_LIMITS.value} characters.`,
      });
    }
    values.set(name, text);
  }
  const seen = new Set<string>();
  const missing = new Set<string>();
  const parts: string[] = [];
  let length = 0;
  let done = 0;
  const add = (text: string) => {
    length += text.length;
    if (length > TEMPLATE_LIMITS.rendered) {
      throw fail('refused', {
        detail: `The compiled prompt would be longer than ${TEMPLATE_LIMITS.rendered} characters. Send shorter values.`,
      });
    }
    parts.push(text);
  };
  for (const { start, end, name } of placeholders(template)) {
    seen.add(name);
    const value = values.get(name);
    if (value === undefined) {
      missing.add(name);
      continue;
    }
    add(template.slice(done, start));
    add(value);
    done = end;
  }
  add(template.slice(done));
  return {
    text: parts.join(''),
    variables: [...seen].slice(0, TEMPLATE_LIMITS.listed),
    missing: [...missing].slice(0, TEMPLATE_LIMITS.listed),
    unused: entries.map(([name]) => name).filter((name) => !seen.has(name)),
  };
}
