import { fail } from '@candela/kernel';
import { FILTER_LIMITS, type Filter, type FilterCondition, type FilterOp, type FilterScalar } from './ast.ts';
import { type FieldType, orList, type ResolvedField, resolveField, suggestFields } from './fields.ts';
import { hasSource, type KeySource } from './keys.ts';
import type { RecordKind } from './records.ts';
import { type GlobPieces, parseGlob, printGlob } from './glob.ts';
import { canonicalRegex, checkRegex } from './regex.ts';
import { parseBytes, parseDuration, parseNumber } from './units.ts';
import { FilterSize, starredWords } from './words.ts';

const EQUALITY: readonly FilterOp[] = ['=', '!=', 'in', 'not_in'];
const PRESENCE: readonly FilterOp[] = ['exists', 'not_exists'];
const PATTERN: readonly FilterOp[] = [
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'matches',
  'regex',
];
const COMPARISON: readonly FilterOp[] = ['>', '>=', '<', '<='];
const ORDER: readonly FilterOp[] = [...COMPARISON, 'between'];

const OPS: Record<FieldType | 'key', readonly FilterOp[]> = {
  string: [...EQUALITY, ...PRESENCE, ...PATTERN],
  text: [...PRESENCE, 'matches', 'contains', 'not_contains', 'regex'],
  enum: EQUALITY,
  number: [...EQUALITY, ...PRESENCE, ...ORDER],
  duration: [...EQUALITY, ...PRESENCE, ...ORDER],
  bytes: [...EQUALITY, ...PRESENCE, ...ORDER],
  boolean: ['=', '!='],
  key: [...EQUALITY, ...PRESENCE, ...PATTERN, ...ORDER],
};

/** Characters of an operator that there is not, in what is said of it. */
const MOST_OF_OP = 40;

function bad(detail: string): Error {
  return fail('bad_query', { detail });
}

/** The type a field counts as when its operators and values are checked. */
export function fieldType(field: ResolvedField): FieldType | 'key' {
  return field.kind === 'key' ? 'key' : field.definition.type;
}

/** What a field can be compared with. */
function operatorsOf(field: ResolvedField): readonly FilterOp[] {
  const allowed = OPS[fieldType(field)];
  return field.kind === 'named' && field.definition.ordered === true ? [...allowed, ...COMPARISON] : allowed;
}

/** What is wrong with a name of that length, if anything. */
export const fieldTooLong = (name: string): string | undefined =>
  name.length > FILTER_LIMITS.fieldLength
    ? `The name of a field has at most ${FILTER_LIMITS.fieldLength} characters, the key of an attribute with its "attributes." among them.`
    : undefined;

/** The field of that name. @throws bad_query with a suggestion */
export function requireField(name: string, signal?: RecordKind): ResolvedField {
  const tooLong = fieldTooLong(name);
  if (tooLong !== undefined) throw bad(tooLong);
  const field = resolveField(name);
  if (field?.kind === 'key' && field.key === '') throw bad(`Behind "${name}" a key is missing.`);
  if (field === undefined) {
    const near = suggestFields(name, signal).map((one) => `"${one.slice(0, 80)}"`);
    const hint = near.length === 0 ? '' : ` Did you mean ${orList(near)}?`;
    throw bad(`There is no field "${name.slice(0, 80)}".${hint}`);
  }
  if (field.kind === 'named' && signal !== undefined && !field.definition.signals.includes(signal)) {
    throw bad(`The field "${field.name}" does not exist on ${signal}.`);
  }
  if (field.kind === 'key' && signal !== undefined && !hasSource(field.source, signal)) {
    throw bad(withoutSource(field.source, signal).join(' '));
  }
  return field;
}

/** Why records of a kind have no field of that source, and what to do instead. */
export const withoutSource = (source: KeySource, records: RecordKind): [string, string] =>
  source === 'score'
    ? [`Only spans have scores, not ${records}.`, 'Search the spans for them.']
    : [`Exceptions are not searched by "${source}".`, 'Search the spans or logs for it.'];

/** What `canonicalField` gives back, e.g. `duration_ms` for `duration`. */
export function canonicalFieldName(field: ResolvedField): string {
  return field.kind === 'key' ? `${field.source}.${field.key}` : field.name;
}

/** The name that a person writes: `duration`, not `duration_ms`. */
function shownFieldName(field: ResolvedField): string {
  const name = canonicalFieldName(field);
  return name === 'duration_ms' ? 'duration' : name === 'ttft_ms' ? 'ttft' : name;
}

/** Whether values of the field are numbers. */
export const isNumeric = (type: FieldType | 'key'): boolean =>
  type === 'number' || type === 'duration' || type === 'bytes';

/** A number as it is written for a type of field, its unit turned into the field's. */
export function readNumber(type: FieldType | 'key', text: string): number | undefined {
  if (type === 'duration') return parseDuration(text);
  if (type === 'bytes') return parseBytes(text);
  return type === 'key' ? (parseNumber(text) ?? parseBytes(text)) : parseNumber(text);
}

const EXAMPLES: Partial<Record<FieldType | 'key', string>> = {
  duration: 'a duration such as 150ms, 2s or 1.5h',
  bytes: 'a size such as 512, 10kB or 2MiB',
};

function asNumber(value: FilterScalar | undefined, field: ResolvedField): number {
  const type = fieldType(field);
  const number = typeof value === 'string' ? readNumber(type, value.trim()) : value;
  // Plus zero: -0 prints as 0.
  if (typeof number === 'number' && Number.isFinite(number)) return number + 0;
  const given = JSON.stringify(value)?.slice(0, 80);
  throw bad(
    `"${shownFieldName(field)}" is compared with ${EXAMPLES[type] ?? 'a number'}, not with ${given}.`,
  );
}

function regex(field: string, value: FilterScalar): FilterCondition {
  const pattern = canonicalRegex(String(value));
  if (pattern.length > FILTER_LIMITS.regexLength) {
    throw bad(`A regular expression may have ${FILTER_LIMITS.regexLength} characters.`);
  }
  const trouble = checkRegex(pattern);
  if (trouble !== undefined) {
    throw bad(`The regular expression is wrong at its character ${trouble.position + 1}: ${trouble.message}`);
  }
  return { field, op: 'regex', value: pattern };
}

/** One value in the type the field compares with. */
function coerce(value: FilterScalar | undefined, field: ResolvedField, op: FilterOp): FilterScalar {
  const name = shownFieldName(field);
  if (value === undefined) throw bad(`The condition on "${name}" needs a value.`);
  const type = fieldType(field);
  if (isNumeric(type) || (type !== 'enum' && ORDER.includes(op))) return asNumber(value, field);
  if (type === 'boolean') {
    if (value === true || value === 'true') return true;
    if (value === false || value === 'false') return false;
    throw bad(`"${name}" is true or false.`);
  }
  const text = String(value);
  if (type === 'enum' && field.kind === 'named') {
    const known = field.definition.values?.find((one) => one === text.toLowerCase());
    if (known === undefined) throw bad(`"${name}" is one of ${field.definition.values?.join(', ')}.`);
    return known;
  }
  return text;
}

/** `matches` with a plain shape becomes the operator of that shape, so that one meaning has one form. */
export function globCondition(field: string, pieces: GlobPieces): FilterCondition {
  const [first = '', second = '', third = ''] = pieces;
  if (pieces.length === 1) return { field, op: '=', value: first };
  if (pieces.length === 2) {
    if (first === '' && second === '') return { field, op: 'exists' };
    if (second === '') return { field, op: 'starts_with', value: first };
    if (first === '') return { field, op: 'ends_with', value: second };
  }
  if (pieces.length === 3 && first === '' && third === '') return { field, op: 'contains', value: second };
  return { field, op: 'matches', value: printGlob(pieces) };
}

function canonicalCondition(condition: FilterCondition, signal: RecordKind | undefined): Filter {
  const resolved = requireField(condition.field, signal);
  const field = canonicalFieldName(resolved);
  const { op, value } = condition;
  const shown = shownFieldName(resolved);
  const allowed = operatorsOf(resolved);
  if (!allowed.includes(op)) {
    throw bad(`"${shown}" cannot be used with "${op.slice(0, MOST_OF_OP)}". It takes ${allowed.join(', ')}.`);
  }
  if (op === 'exists' || op === 'not_exists') return { field, op };
  const list = Array.isArray(value) ? (value as readonly FilterScalar[]) : undefined;
  if (op === 'in' || op === 'not_in') {
    const items = list ?? (value === undefined ? [] : [value as FilterScalar]);
    if (items.length === 0) throw bad(`"${op}" on "${shown}" needs a list of values.`);
    if (items.length > FILTER_LIMITS.listLength) {
      throw bad(`"${op}" on "${shown}" takes at most ${FILTER_LIMITS.listLength} values.`);
    }
    return { field, op, value: items.map((item) => coerce(item, resolved, op)) };
  }
  if (op === 'between') {
    if (list?.length !== 2) throw bad(`"between" on "${shown}" needs two values.`);
    const [low, high] = list.map((item) => asNumber(item, resolved)) as [number, number];
    // It would hold for nothing, and whoever wrote it would take that for an answer.
    if (low > high)
      throw bad(`The range of "${shown}" is the wrong way round: the smaller value comes first.`);
    return { field, op, value: [low, high] };
  }
  if (list !== undefined) throw bad(`"${op}" on "${shown}" takes one value, not a list.`);
  const single = coerce(value as FilterScalar | undefined, resolved, op);
  const byWords = fieldType(resolved) === 'text' && op !== 'regex';
  const empty = byWords ? String(single).trim() === '' : single === '';
  if (empty && byWords && op === 'matches') {
    throw bad(
      `There is nothing to search for in "${shown}". What has none of it is found by -${shown}:*, in a filter object by "not_exists".`,
    );
  }
  if (empty && PATTERN.includes(op)) throw bad(`"${op}" on "${shown}" needs a value that is not empty.`);
  if (op === 'regex') return regex(field, single);
  if (op === 'matches' && fieldType(resolved) !== 'text') {
    return globCondition(field, parseGlob(String(single)));
  }
  if (op === 'matches' && String(single).includes('*')) return starredWords(field, String(single));
  return { field, op, value: single };
}

/**
 * Checks a filter against the fields of a signal and gives its one form: full field names, values in the type of
 * the field, groups of one unwrapped. @throws bad_query saying what is wrong
 */
export function canonicalFilter(filter: Filter, signal?: RecordKind): Filter {
  const size = new FilterSize(bad);
  function count(node: Filter): Filter {
    if ('and' in node) node.and.forEach(count);
    else if ('field' in node) {
      size.add(node, node.op === 'matches' && fieldType(requireField(node.field)) === 'text');
    }
    return node;
  }
  function walk(node: Filter, depth: number): Filter {
    if (depth > FILTER_LIMITS.depth) throw bad(`The filter is nested deeper than ${FILTER_LIMITS.depth}.`);
    if ('and' in node || 'or' in node) {
      const items = ('and' in node ? node.and : node.or).map((item) => walk(item, depth + 1));
      const [only] = items;
      if (items.length === 1 && only !== undefined) return only;
      return 'and' in node ? { and: items } : { or: items };
    }
    if ('not' in node) return { not: walk(node.not, depth + 1) };
    return count(canonicalCondition(node, signal));
  }
  return walk(filter, 1);
}
