export const FILTER_OPS = [
  '=',
  '!=',
  'in',
  'not_in',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'matches',
  'regex',
  'exists',
  'not_exists',
  '>',
  '>=',
  '<',
  '<=',
  'between',
] as const;
export type FilterOp = (typeof FILTER_OPS)[number];

export type FilterScalar = string | number | boolean;
export type FilterValue = FilterScalar | readonly FilterScalar[];

export interface FilterCondition {
  readonly field: string;
  readonly op: FilterOp;
  /** A list for `in`, `not_in`; two values for `between`; nothing for `exists`, `not_exists`; else one. */
  readonly value?: FilterValue | undefined;
}

/**
 * A filter over one row (span, log record, ...). `matches` means: on text fields (`text`, `prompt`, `completion`,
 * `body`) that all words occur, of words with a `*` their pieces, inside of words too; elsewhere a pattern in which `*`
 * stands for anything and `\` takes the next character literally. `regex` is a regular expression (RE2) that some part of the text matches; case counts unless it
 * begins with `(?i)`.
 */
export type Filter =
  | FilterCondition
  | { readonly and: readonly Filter[] }
  | { readonly or: readonly Filter[] }
  | { readonly not: Filter };

/** Bounds that keep a filter small enough to compile and to run. */
export const FILTER_LIMITS = {
  depth: 16,
  conditions: 100,
  listLength: 200,
  /** Characters of one value, and of a search text. */
  textLength: 4_096,
  /** Characters of a field's name, the key of an attribute with it. */
  fieldLength: 300,
  /** UTF-8 bytes of all values together: the engine takes them spelled in several ways, and for each part of a statement. */
  valueBytes: 65_536,
  /** Words that are looked for in texts, of all conditions together. */
  words: 100,
  regexLength: 500,
} as const;
