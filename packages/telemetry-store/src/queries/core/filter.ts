import {
  canonicalFilter,
  type Filter,
  type FilterCondition,
  type FilterScalar,
  type KeySource,
  parseGlob,
  requireField,
  scaled,
  wordsOf,
} from '@candela/contract';
import { itemSql } from '../../schema/expressions.ts';
import { fold, foldedSql } from './fold.ts';
import { hasKeyOf, readKey } from './map-key.ts';
import type { Params } from './params.ts';
import type { Field, Source } from './source.ts';

/**
 * The condition on rows of that source that a filter means, always in parentheses and never null, so that `NOT` is
 * its exact opposite. @throws bad_query
 */
export function compileFilter(source: Source, filter: Filter, params: Params): string {
  return compile(source, canonicalFilter(filter, source.signal), params);
}

function compile(source: Source, filter: Filter, params: Params): string {
  const all = (filters: readonly Filter[], word: string) =>
    `(${filters.map((item) => compile(source, item, params)).join(` ${word} `)})`;
  if ('and' in filter) return all(wordsTogether(source, filter.and), 'AND');
  if ('or' in filter) return all(filter.or, 'OR');
  if ('not' in filter) return `(NOT ${compile(source, filter.not, params)})`;
  return `(${condition(source, filter, params)})`;
}

/** The same filters, those that look for words of one field as one: an index is then asked once for all of them. */
function wordsTogether(source: Source, filters: readonly Filter[]): readonly Filter[] {
  const [others, words]: [Filter[], Map<Field, FilterCondition>] = [[], new Map()];
  for (const filter of filters) {
    const field = 'field' in filter && filter.op === 'matches' ? source.fields[filter.field] : undefined;
    if (
      !('field' in filter) ||
      field?.kind !== 'words' ||
      !field.together ||
      wordsOf(String(filter.value)).length === 0
    ) {
      others.push(filter);
      continue;
    }
    const before = words.get(field);
    words.set(field, {
      ...filter,
      value: before === undefined ? filter.value : `${String(before.value)} ${String(filter.value)}`,
    });
  }
  return [...others, ...words.values()];
}

/** Whether it looks into long texts, messages, bodies, if only by an index of their words. */
export const readsTexts = (source: Source, filter: Filter | undefined): boolean =>
  filter !== undefined && looksIntoTexts(source, canonicalFilter(filter, source.signal));

function looksIntoTexts(source: Source, filter: Filter): boolean {
  if ('and' in filter) return filter.and.some((part) => looksIntoTexts(source, part));
  if ('or' in filter) return filter.or.some((part) => looksIntoTexts(source, part));
  if ('not' in filter) return looksIntoTexts(source, filter.not);
  return filter.op !== 'exists' && source.fields[filter.field]?.kind === 'words';
}

function condition(source: Source, filter: FilterCondition, params: Params): string {
  switch (filter.op) {
    case '!=':
      return `NOT ${positive(source, { ...filter, op: '=' }, params)}`;
    case 'not_in':
      return `NOT ${positive(source, { ...filter, op: 'in' }, params)}`;
    case 'not_contains':
      return `NOT ${positive(source, { ...filter, op: 'contains' }, params)}`;
    case 'not_exists':
      return `NOT ${positive(source, { ...filter, op: 'exists' }, params)}`;
    default:
      return positive(source, filter, params);
  }
}

function positive(source: Source, filter: FilterCondition, params: Params): string {
  const resolved = requireField(filter.field, source.signal);
  if (resolved.kind === 'key') {
    return `(${keyCondition(source, resolved.source, resolved.key, filter, params)})`;
  }
  return `(${fieldCondition(fieldOf(source, resolved.name), filter, params)})`;
}

/** How a named field is read from that source. The contract says which fields a signal has. */
export function fieldOf(source: Source, name: string): Field {
  const field = source.fields[name];
  if (field === undefined) throw new RangeError(`${source.signal} has no reading of the field ${name}`);
  return field;
}

function fieldCondition(field: Field, filter: FilterCondition, params: Params): string {
  switch (field.kind) {
    case 'text':
      return textCondition(field.show, filter, params);
    case 'enum': {
      const names = scalars(filter).map((value) => field.stored.get(String(value)) ?? '');
      return `${field.sql} IN ${params.bind(names, 'Array(String)')}`;
    }
    case 'level': {
      const places = scalars(filter).map((value) => field.levels.indexOf(String(value)));
      const [first = 0] = places;
      if (filter.op === 'in') return `${field.sql} IN ${params.bind(places, 'Array(UInt8)')}`;
      return `${field.sql} ${filter.op} ${params.bind(first, 'UInt8')}`;
    }
    case 'id':
      return textCondition(field.sql, filter.op === 'regex' ? filter : lowerCased(filter), params);
    case 'boolean':
      return filter.value === true ? field.sql : `NOT (${field.sql})`;
    case 'number':
      if (filter.op === 'exists') return field.exists;
      return field.zeroIfNone === true && holdsFor(0, filter)
        ? `(${field.exists} AND ${numberCondition(field.sql, field.scale, filter, params)})`
        : numberCondition(field.sql, field.scale, filter, params);
    case 'words':
      if (filter.op === 'exists') return field.exists;
      if (filter.op === 'regex') {
        params.readsTexts = true;
        return field.matches(String(filter.value), params);
      }
      return filter.op === 'contains'
        ? field.contains(String(filter.value), params)
        : field.words(String(filter.value), params);
  }
}

function textCondition(sql: string, filter: FilterCondition, params: Params): string {
  const bound = () => params.bind(String(filter.value), 'String');
  // Patterns ignore case, equality does not.
  const part = fold(String(filter.value));
  const pattern = () => params.bind(part, 'String');
  const folded = foldedSql(sql, part);
  switch (filter.op) {
    case '=':
      return `${sql} = ${bound()}`;
    case 'in':
      return `${sql} IN ${params.bind(scalars(filter).map(String), 'Array(String)')}`;
    case 'exists':
      return `${sql} != ''`;
    case 'contains':
      return `position(${folded}, ${pattern()}) > 0`;
    case 'starts_with':
      return `startsWith(${folded}, ${pattern()})`;
    case 'ends_with':
      return `endsWith(${folded}, ${pattern()})`;
    case 'regex':
      return `match(${sql}, ${bound()})`;
    case 'matches':
      return `${folded} LIKE ${params.bind(likePattern(part), 'String')}`;
    default:
      throw new RangeError(`No text condition for ${filter.op}`);
  }
}

/** `a*b` as a LIKE pattern that takes everything but the stars literally. */
function likePattern(glob: string): string {
  return parseGlob(glob)
    .map((piece) => piece.replaceAll(/[\\%_]/g, (character) => `\\${character}`))
    .join('%');
}

function numberCondition(sql: string, scale: number, filter: FilterCondition, params: Params): string {
  const bound = (value: FilterScalar | undefined) => params.bind(scaled(Number(value), scale), 'Float64');
  const [first, second] = scalars(filter);
  switch (filter.op) {
    case '=':
    case '>':
    case '>=':
    case '<':
    case '<=':
      return `ifNull(${sql} ${filter.op} ${bound(first)}, 0)`;
    case 'between':
      return `ifNull(${sql} >= ${bound(first)} AND ${sql} <= ${bound(second)}, 0)`;
    case 'in':
      return `ifNull(has(${params.bind(
        scalars(filter).map((value) => scaled(Number(value), scale)),
        'Array(Float64)',
      )}, toFloat64(${sql})), 0)`;
    default:
      throw new RangeError(`No number condition for ${filter.op}`);
  }
}

/** Whether a number fulfils a condition on numbers. */
function holdsFor(value: number, filter: FilterCondition): boolean {
  const [first = NaN, second = NaN] = scalars(filter).map(Number);
  switch (filter.op) {
    case '>':
      return value > first;
    case '>=':
      return value >= first;
    case '<':
      return value < first;
    case '<=':
      return value <= first;
    case 'between':
      return value >= first && value <= second;
    default:
      return scalars(filter).some((one) => Number(one) === value);
  }
}

const ORDERED = new Set(['>', '>=', '<', '<=', 'between']);

function keyCondition(
  source: Source,
  from: KeySource,
  key: string,
  filter: FilterCondition,
  params: Params,
): string {
  if (filter.op === 'exists') return hasKeyOf(source, from, key, params);
  const told = toldByItems(source, from, key, filter, params);
  if (told !== undefined) return told;
  const { value, number, has, hasBefore } = readKey(source, from, key, params);
  if (ORDERED.has(filter.op)) {
    // The engine takes `inf` and `Infinity` for numbers.
    return `${numberCondition(number, 1, filter, params)} AND isFinite(ifNull(${number}, 0))`;
  }
  const pairs = from === 'score' ? undefined : source.pairs.get(source.mapOf(from, key));
  const exact = `${textCondition(value, filter, params)}${pairHint(pairs, key, filter, params)}`;
  // An absent key reads as the empty text: it must not pass for a key that is there and empty.
  return refusesEmpty(filter) ? `${hasBefore}${exact}` : `${has} AND ${exact}`;
}

/** Items that one condition asks the index for: of more, the map is read. */
const MOST_ITEMS = 16;

/** That a key has one of some values, as the index of items tells it alone; undefined where it does not. */
function toldByItems(
  source: Source,
  from: KeySource,
  key: string,
  filter: FilterCondition,
  params: Params,
): string | undefined {
  const { items, table } = source;
  if (items === undefined || from === 'score') return undefined;
  if ((filter.op !== '=' && filter.op !== 'in') || !params.indexesItems(table)) return undefined;
  // What has a column of its own from the start is read from that as fast, and common values of it sooner.
  if (from === 'attributes' && source.columns?.has(key) === true) return undefined;
  const map = source.mapOf(from, key);
  const isResource = map === items.resources;
  const values = scalars(filter);
  if ((map !== items.records && !isResource) || values.length === 0 || values.length > MOST_ITEMS)
    return undefined;
  params.usesTextIndex = true;
  const name = params.bind(key, 'String');
  const [first = '', ...others] = values.map((value) =>
    itemSql(name, params.bind(String(value), 'String'), isResource),
  );
  return others.length === 0
    ? `has(${items.sql}, ${first})`
    : `hasAny(${items.sql}, [${[first, ...others].join(', ')}])`;
}

/** The empty text does not fulfil it, so that what does is there. */
function refusesEmpty(filter: FilterCondition): boolean {
  return (filter.op === '=' || filter.op === 'in') && scalars(filter).every((value) => value !== '');
}

/**
 * Bytes of keys in the hint of one condition. The limits of a filter count its values and not the key that goes with each
 * here: a hundred long lists of a long key would be more than a statement takes.
 */
const MOST_HINT_KEYS = 4_096;

/**
 * Lets the skip index over `key=value` pass by the parts that cannot match; it never decides a row, and a long list of a
 * long key does without.
 */
function pairHint(pairs: string | undefined, key: string, filter: FilterCondition, params: Params): string {
  if (pairs === undefined || (filter.op !== '=' && filter.op !== 'in')) return '';
  const values = scalars(filter);
  if (values.length > 1 && Buffer.byteLength(key) * values.length > MOST_HINT_KEYS) return '';
  const wanted = values.map((value) => `${key}=${value}`);
  return wanted.length === 1
    ? ` AND indexHint(has(${pairs}, ${params.bind(wanted[0] ?? '', 'String')}))`
    : ` AND indexHint(hasAny(${pairs}, ${params.bind(wanted, 'Array(String)')}))`;
}

function scalars(filter: FilterCondition): readonly FilterScalar[] {
  if (Array.isArray(filter.value)) return filter.value as readonly FilterScalar[];
  return filter.value === undefined ? [] : [filter.value as FilterScalar];
}

function lowerCased(filter: FilterCondition): FilterCondition {
  if (filter.value === undefined) return filter;
  const values = scalars(filter).map((value) => String(value).toLowerCase());
  return { ...filter, value: Array.isArray(filter.value) ? values : (values[0] ?? '') };
}
