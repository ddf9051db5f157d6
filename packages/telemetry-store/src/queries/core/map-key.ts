import type { KeySource } from '@candela/contract';
import type { Params } from './params.ts';
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
  /** Whether the key is there. */
  readonly has: string;
  /** The same with AND for a condition that no empty value fulfils: empty where the value alone decides it. */
  readonly hasBefore: string;
}

/** A key of a source as a statement reads it: from a column that holds it, or from the map. */
export function readKey(source: Source, from: KeySource, key: string, params: Params): KeyReading {
  const map = source.mapOf(from, key);
  const name = params.bind(key, 'String');
  const has = hasKey(map, name);
  const own = from === 'attributes' ? source.columns?.get(key) : undefined;
  const value = own ?? params.columnOf({ table: source.table, map, key });
  return value === undefined
    ? { value: valueOfKey(map, name), has, hasBefore: `${has} AND ` }
    : { value, has, hasBefore: '' };
}

/** The condition that rows of a source have a key. */
export function hasKeyOf(source: Source, from: KeySource, key: string, params: Params): string {
  params.readsMaps = true;
  return hasKey(source.mapOf(from, key), params.bind(key, 'String'));
}
