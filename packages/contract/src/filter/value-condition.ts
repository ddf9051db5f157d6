import type { Filter, FilterOp } from './ast.ts';
import { canonicalFieldName, fieldType, globCondition, isNumeric, readNumber } from './canonical.ts';
import type { FieldType, ResolvedField } from './fields.ts';
import type { GlobPieces } from './glob.ts';
import { canonicalRegex, checkRegex } from './regex.ts';
import type { Value } from './scanner.ts';
import { Trouble } from './trouble.ts';
import { literalWords, piecesOccur } from './words.ts';

/** What a field, a sign and a value as written mean together. */
export function valueCondition(field: ResolvedField, op: FilterOp | ':', value: Value): Filter {
  const name = canonicalFieldName(field);
  const type = fieldType(field);
  const literal = value.pieces.join('*');
  const numeric = isNumeric(type);
  if (value.regex !== undefined) return regexCondition(name, op, value.regex);
  if (op === ':' && value.pieces.length === 2 && literal === '*') return { field: name, op: 'exists' };
  if (op === ':' && (numeric || type === 'key') && value.bare) {
    const range = rangeOf(type, literal);
    if (range !== undefined) return { field: name, ...range };
  }
  if (numeric || (type !== 'enum' && op !== ':' && op !== '=' && op !== '!=')) {
    const number = readNumber(type, literal);
    // Left as text when it is none: the check that follows says so with the field's name.
    return { field: name, op: op === ':' ? '=' : op, value: number ?? literal };
  }
  if (type === 'text') {
    const found = textCondition(name, value.pieces);
    return op === '!=' ? negate(found) : found;
  }
  if (type === 'enum' && op !== ':' && op !== '=' && op !== '!=') return { field: name, op, value: literal };
  const condition = globCondition(name, value.pieces);
  if (op !== '!=') return condition;
  return condition.op === '=' ? { ...condition, op: '!=' } : { not: condition };
}

/** `1s..2s`, and open at one end: `1s..`, `..2s`. */
function rangeOf(
  type: FieldType | 'key',
  literal: string,
): { op: FilterOp; value: number | [number, number] } | undefined {
  const at = literal.indexOf('..');
  if (at < 0) return undefined;
  const [from, to] = [literal.slice(0, at), literal.slice(at + 2)];
  const low = from === '' ? undefined : readNumber(type, from);
  const high = to === '' ? undefined : readNumber(type, to);
  if (low !== undefined && high !== undefined) return { op: 'between', value: [low, high] };
  if (low !== undefined && to === '') return { op: '>=', value: low };
  if (high !== undefined && from === '') return { op: '<=', value: high };
  return undefined;
}

function regexCondition(
  field: string,
  op: FilterOp | ':',
  regex: { readonly pattern: string; readonly position: number },
): Filter {
  const pattern = canonicalRegex(regex.pattern);
  const trouble = checkRegex(regex.pattern);
  if (trouble !== undefined) {
    throw new Trouble(
      trouble.message,
      regex.position + trouble.position,
      1,
      'A value that begins and ends with "/" is a regular expression; in quotes it is text.',
    );
  }
  const condition: Filter = { field, op: 'regex', value: pattern };
  if (op === '!=') return { not: condition };
  // Any other operator says by itself that it takes no pattern.
  return op === ':' || op === '=' ? condition : { field, op, value: `/${pattern}/` };
}

/** Words of a text field; with stars as of a free word: its pieces occur somewhere, also inside of words. */
function textCondition(name: string, pieces: GlobPieces): Filter {
  const [literal = ''] = pieces;
  if (pieces.length === 1) return literalWords(name, literal);
  return piecesOccur(name, pieces) ?? { field: name, op: 'exists' };
}

const NEGATED: ReadonlyMap<FilterOp, FilterOp> = new Map([
  ['=', '!='],
  ['in', 'not_in'],
  ['contains', 'not_contains'],
  ['exists', 'not_exists'],
]);

/** `-x`: the opposite operator where there is one, else `not`. */
export function negate(filter: Filter): Filter {
  if (!('field' in filter)) return { not: filter };
  const op = NEGATED.get(filter.op);
  return op === undefined ? { not: filter } : { ...filter, op };
}
