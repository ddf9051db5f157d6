import type { KeySource } from '@candela/contract';
import type { Params } from './params.ts';
import { readScore } from './score.ts';
import type { Source } from './source.ts';

/**
 * One key of a map column. Written over the parts of the map, because the engine reads all of a map for `mapContains`
 * and `map[key]` where a skip index is built on it: who has a key is then known from the keys alone, and the values are
 * not read of parts in which nobody has it.
 */

/** Whether the map holds the key; `name` is a bound text. */
export const hasKey = (map: string, name: string): string => `has(${map}.keys, ${name})`;

/** The value of the key as text, empty where there is none; `name` is a bound text. */
export const valueOfKey = (map: string, name: string): string =>
  `${map}.values[indexOf(${map}.keys, ${name})]`;

/** How the rows of a source are asked for one key. */
export interface KeyReading {
  /** The value of the key as text, empty where there is none. */
  readonly value: string;
  /** The same as a number, or null. */
  readonly number: string;
  /** Whether the key is there. */
  readonly has: string;
  /** The same with AND for a condition that no empty value fulfils: empty where the value alone decides it. */
  readonly hasBefore: string;
}

/** A key of a source as a statement reads it: from a column that holds it, or from the map. */
export function readKey(source: Source, from: KeySource, key: string, params: Params): KeyReading {
  if (from === 'score') {
    const { text, number } = readScore(key, params);
    return { value: text, number, has: `${text} != ''`, hasBefore: '' };
  }
  const map = source.mapOf(from, key);
  const name = params.bind(key, 'String');
  const has = hasKey(map, name);
  const own = from === 'attributes' ? source.columns?.get(key) : undefined;
  const value = own ?? params.columnOf({ table: source.table, map, key });
  const read = value ?? valueOfKey(map, name);
  const number = `toFloat64OrNull(${read})`;
  return { value: read, number, has, hasBefore: value === undefined ? `${has} AND ` : '' };
}

/** The condition that rows of a source have a key. */
export function hasKeyOf(source: Source, from: KeySource, key: string, params: Params): string {
  if (from === 'score') return `${readScore(key, params).text} != ''`;
  params.readsMaps = true;
  return hasKey(source.mapOf(from, key), params.bind(key, 'String'));
}
