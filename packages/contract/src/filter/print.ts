import type { Filter, FilterCondition, FilterScalar } from './ast.ts';
import { canonicalFilter, fieldType, requireField } from './canonical.ts';
import { KEY_SOURCES } from './keys.ts';
import { type GlobPieces, parseGlob } from './glob.ts';
import { printDuration } from './units.ts';

const BARE_VALUE = /^[\p{L}\p{N}_][\p{L}\p{N}_.\-/@+]*$/u;
const BARE_KEY = /^[\p{L}\p{N}_.\-/]+$/u;

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`;
}

/** A value as the grammar writes it: bare when it is a simple word, else quoted. */
export function printValue(text: string): string {
  const plain = BARE_VALUE.test(text) && !text.includes('..') && !/^(?:and|or|not)$/i.test(text);
  return plain ? text : quote(text);
}

/** A field's full name as the grammar writes it. */
export function printFieldName(name: string): string {
  if (name === 'duration_ms') return 'duration';
  if (name === 'ttft_ms') return 'ttft';
  const source = KEY_SOURCES.find((one) => name.startsWith(`${one}.`));
  if (source === undefined) return name;
  const key = name.slice(source.length + 1);
  return BARE_KEY.test(key) ? name : `${source}.${quote(key)}`;
}

function globText(pieces: GlobPieces): string {
  return pieces.map((piece) => (piece === '' ? '' : printValue(piece))).join('*');
}

function conditionText(condition: FilterCondition): string {
  const { op, value } = condition;
  const resolved = requireField(condition.field);
  const type = fieldType(resolved);
  const field = printFieldName(condition.field);
  const one = (item: FilterScalar) =>
    type === 'duration' && typeof item === 'number'
      ? printDuration(item)
      : typeof item === 'number'
        ? String(item)
        : printValue(String(item));
  const list = Array.isArray(value) ? (value as readonly FilterScalar[]) : [];
  const single = list.length === 0 && value !== undefined ? (value as FilterScalar) : '';
  switch (op) {
    case '=':
      return `${field}:${one(single)}`;
    case '!=':
      return `-${field}:${one(single)}`;
    case 'in':
      return `${field}:(${list.map(one).join(' or ')})`;
    case 'not_in':
      return `-${field}:(${list.map(one).join(' or ')})`;
    case 'exists':
      return `${field}:*`;
    case 'not_exists':
      return `-${field}:*`;
    case 'contains':
      return `${field}:*${printValue(String(single))}*`;
    case 'not_contains':
      return `-${field}:*${printValue(String(single))}*`;
    case 'starts_with':
      return `${field}:${printValue(String(single))}*`;
    case 'ends_with':
      return `${field}:*${printValue(String(single))}`;
    case 'matches':
      if (type !== 'text') return `${field}:${globText(parseGlob(String(single)))}`;
      return condition.field === 'text' ? quote(String(single)) : `${field}:${quote(String(single))}`;
    case 'regex':
      // Pairs of a backslash and its character stay together, so a slash on its own is never escaped already.
      return `${field}:/${String(single).replaceAll(/\\[\s\S]|\//g, (part) => (part === '/' ? '\\/' : part))}/`;
    case 'between':
      return `${field}:${list.map(one).join('..')}`;
    case '>':
    case '>=':
    case '<':
    case '<=':
      return `${field}${op}${one(single)}`;
  }
}

/** The filter as text that parses back to the same filter. @throws bad_query when the filter itself is wrong */
export function printFilter(filter: Filter): string {
  function walk(node: Filter, inside: boolean): string {
    if ('not' in node) return `not ${walk(node.not, true)}`;
    if ('and' in node || 'or' in node) {
      const text =
        'and' in node
          ? node.and.map((item) => walk(item, true)).join(' ')
          : node.or.map((item) => walk(item, true)).join(' or ');
      return inside ? `(${text})` : text;
    }
    return conditionText(node);
  }
  return walk(canonicalFilter(filter), false);
}
