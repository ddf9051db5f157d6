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
  /** The same for a condition that no empty value fulfils: empty text where the value alone decides it. */
  readonly hasBefore: () => string;
}

/**
 * A key of a source as a statement reads it: from the column that it has in every store, or from the map. What is read
 * from the map is told to `params`, so that a store that has a column for it, or a narrower map with it, reads that instead.
 */
export function readKey(source: Source, from: KeySource, key: string, params: Params): KeyReading {
  const map = source.mapOf(from, key);
  const name = params.bind(key, 'String');
  const has = hasKey(map, name);
  const own = from === 'attributes' ? source.columns?.get(key) : undefined;
  if (own !== undefined) return { value: own, has, hasBefore: () => '' };
  const value = valueOfKey(map, name);
  const read = { table: source.table, map, key, value, has, without: [] as string[] };
  params.attributes.push(read);
  return {
    value,
    has,
    hasBefore: () => {
      // Bound once more, so that these words occur nowhere else in the statement.
      const words = `${hasKey(map, params.bind(key, 'String'))} AND `;
      read.without.push(words);
      return words;
    },
  };
}

/** The condition that rows of a source have a key, which is told to `params` as well. */
export function hasKeyOf(source: Source, from: KeySource, key: string, params: Params): string {
  const map = source.mapOf(from, key);
  const has = hasKey(map, params.bind(key, 'String'));
  params.attributes.push({ table: source.table, map, key, has, without: [] });
  return has;
}
