import type { KeySource } from '@candela/contract';
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

/** The column that holds the value of the key besides the map, if there is one. */
export const columnOfKey = (source: Source, from: KeySource, key: string): string | undefined =>
  from === 'attributes' ? source.columns?.get(key) : undefined;
