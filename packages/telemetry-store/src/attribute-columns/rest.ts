import { createHash } from 'node:crypto';
import type { ChangeKind, SeenKey } from './decide.ts';
import { type AttributeKey, mapsOf, mayHaveColumn, prefixOf } from './names.ts';

/**
 * A second, narrow copy beside a wide map: all of its keys but those that take most room and those that have a column. It
 * answers the first question about any other key, also about one that is sent from tomorrow on.
 */
export interface RestOfMap {
  readonly table: string;
  readonly map: string;
  /** Keys that it does not hold. */
  readonly leftOut: readonly string[];
}

/** A rest that a table has: two columns, see {@link columnsOf}. */
export interface RestColumn extends RestOfMap {
  /** What their names begin with. */
  readonly column: string;
}

/**
 * Its keys and its values, each an array: the engine drops these without touching a part. To drop a map it writes parts anew
 * (25 s for ten million spans) and finds nothing by their skip indexes any more, not even a trace by its id.
 */
export const columnsOf = ({ column }: Pick<RestColumn, 'column'>) =>
  ({ keys: `${column}_keys`, values: `${column}_values` }) as const;

/** What is known of one. */
export interface RestFacts extends RestColumn {
  /** The last change of it and seconds since; undefined when there was none for long. */
  readonly last: { readonly kind: ChangeKind; readonly seconds: number } | undefined;
}

/** How it is written down, beside keys: no map has its name. */
export const notedAs = ({ table, column }: RestColumn): AttributeKey => ({ table, map: column, key: '' });

/** What a look at a map saw. */
export interface SeenMap extends Pick<AttributeKey, 'table' | 'map'> {
  /** Bytes of all entries of a row, on average; also of keys that are not told of. */
  readonly bytes: number;
  readonly keys: readonly SeenKey[];
}

export interface RestBounds {
  /** Bytes a row that a map takes at least: narrower ones are read fast enough. */
  readonly restOf: number;
  /** What a rest may cost a row: bytes, those of values that never came before several times. */
  readonly restBytes: number;
  /** Keys that may be left out. */
  readonly restLeftOut: number;
  /** One that takes so many times more than it may is of no use any more. */
  readonly restGrown: number;
  /** Seconds that one stays at least. */
  readonly coolSeconds: number;
}

const PREFIX = 'Rest_';
/** Bytes of an entry besides those of its value: the length of that, and the place of the key among all. */
const ENTRY_BYTES = 3;
/** Keys with a column take no room twice from so many bytes a row on. */
const WORTH_LEAVING = 0.05;

/** Bytes of values that never came before count so many times more: nothing makes them smaller where they are stored. */
const NEVER_SEEN = 4;

/** Of a row, with the key or without. */
const aRow = ({ rows, sampled }: SeenKey, bytes: number): number =>
  sampled === 0 ? 0 : (rows / sampled) * bytes;

/** What a key costs a row: bytes that are read, and those that are stored. */
const costOf = (key: SeenKey): number => aRow(key, key.mean + ENTRY_BYTES) + neverSeen(key);

const neverSeen = (key: SeenKey): number =>
  key.rows === 0 ? 0 : aRow(key, key.mean) * Math.min(1, key.many / key.rows) * NEVER_SEEN;

/** Bytes of a row's entries, of all keys together. @param values bytes of values */
export const entryBytes = (entries: number, values: number): number => values + entries * ENTRY_BYTES;

/** What a row costs of all that is not left out, keys that are not told of as well. */
function costOfRest({ bytes, keys }: SeenMap, leftOut: ReadonlySet<string>): number {
  const all = keys.reduce((sum, key) => sum + neverSeen(key), bytes);
  const left = keys.filter(({ key }) => leftOut.has(key)).reduce((sum, key) => sum + costOf(key), 0);
  return Math.max(0, all - left);
}

/**
 * The keys that the rest of a map leaves out, sorted: those with a column, and of the others those that cost most, until
 * it is narrow. Undefined when the map is narrow itself, or very many keys make it wide.
 * @param hasColumn whether reads take a key from a column
 */
function leftOutOf(
  seen: SeenMap,
  hasColumn: (key: SeenKey) => boolean,
  bounds: RestBounds,
): readonly string[] | undefined {
  if (seen.bytes < bounds.restOf) return undefined;
  const wide = seen.keys
    .filter(mayHaveColumn)
    .sort((a, b) => costOf(b) - costOf(a) || (a.key < b.key ? -1 : 1));
  const leftOut = wide.filter((key) => hasColumn(key) && costOf(key) >= WORTH_LEAVING);
  const others = wide.filter((key) => !hasColumn(key));
  const names = () => new Set(leftOut.slice(0, bounds.restLeftOut).map(({ key }) => key));
  for (const key of others) {
    if (costOfRest(seen, names()) <= bounds.restBytes) break;
    // Before those with a column, of which there may be too many.
    leftOut.unshift(key);
  }
  const found = names();
  return found.size > 0 && costOfRest(seen, found) <= bounds.restBytes ? [...found].sort() : undefined;
}

/** Whether what is sent has changed so much that a rest is narrow no more. */
const hasOutgrown = (seen: SeenMap, rest: RestOfMap, bounds: RestBounds): boolean =>
  costOfRest(seen, new Set(rest.leftOut)) > bounds.restBytes * bounds.restGrown;

/** Rests to add and to drop. */
export interface RestChanges {
  readonly added: readonly RestColumn[];
  readonly dropped: readonly RestColumn[];
}

/**
 * What a look at maps means for their rests. One that outgrew its bound goes when it is a day old, and so do all but one
 * of several that two processes made at once; the next look makes another.
 */
export function changedRests(
  facts: readonly RestFacts[],
  seen: readonly SeenMap[],
  hasColumn: (key: SeenKey) => boolean,
  bounds: RestBounds,
): RestChanges {
  const changes = seen.map((of): RestChanges => {
    const [first, ...more] = facts
      .filter(({ table, map }) => table === of.table && map === of.map)
      .sort((a, b) => (a.column < b.column ? -1 : 1));
    if (first === undefined) return { added: newRest(of, hasColumn, bounds), dropped: [] };
    const isOld = first.last === undefined || first.last.seconds >= bounds.coolSeconds;
    return { added: [], dropped: isOld && hasOutgrown(of, first, bounds) ? [first, ...more] : more };
  });
  return {
    added: changes.flatMap(({ added }) => added),
    dropped: changes.flatMap(({ dropped }) => dropped),
  };
}

function newRest(seen: SeenMap, hasColumn: (key: SeenKey) => boolean, bounds: RestBounds): RestColumn[] {
  const { table, map } = seen;
  const leftOut = leftOutOf(seen, hasColumn, bounds);
  const column = leftOut === undefined ? undefined : restName({ table, map, leftOut });
  return leftOut === undefined || column === undefined ? [] : [{ table, map, leftOut, column }];
}

/**
 * The name of the column of a rest. It tells which keys are left out, so that who knows of an older rest never reads a
 * newer one by it: that name is gone then. Undefined for maps without columns.
 */
export function restName({ table, map, leftOut }: RestOfMap): string | undefined {
  const prefix = prefixOf({ table, map });
  if (prefix === undefined || leftOut.length === 0) return undefined;
  const hash = createHash('sha256').update(JSON.stringify(leftOut.toSorted())).digest('hex');
  return `${PREFIX}${prefix}${hash.slice(0, 16)}`;
}

/** What the columns of a rest are made of. @param keys what is left out, as it stands in a statement */
export const restSql = (map: string, keys: readonly string[]) =>
  ({
    keys: `arrayFilter(k -> (k NOT IN (${keys.join(', ')})), mapKeys(${map}))`,
    values: `arrayFilter((v, k) -> (k NOT IN (${keys.join(', ')})), mapValues(${map}), mapKeys(${map}))`,
  }) as const;

const TEXT = /'((?:[^'\\]|\\[^])*)'/g;

/** The rest whose keys a column of a table holds; undefined for all other columns. @param expression as the engine tells it */
export function restOfColumn(table: string, name: string, expression: string): RestColumn | undefined {
  const column = name.replace(/_keys$/, '');
  if (!name.startsWith(PREFIX) || column === name) return undefined;
  const leftOut: string[] = [];
  const shape = expression.replaceAll(TEXT, (_, text: string) => {
    leftOut.push(unescaped(text));
    return '?';
  });
  for (const map of mapsOf(table)) {
    // What stands there is what the name says, so that nothing is read that was made of something else or not understood.
    const rest = { table, map, leftOut: leftOut.sort() };
    const made = restSql(
      map,
      leftOut.map(() => '?'),
    );
    if (shape === made.keys && restName(rest) === column) return { ...rest, column };
  }
  return undefined;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
  ['0', '\0'],
  ['a', '\x07'],
  ['v', '\v'],
  ['e', '\x1B'],
]);

/** What a text literal of the engine says. */
const unescaped = (text: string): string =>
  text.replaceAll(/\\(?:x([0-9a-fA-F]{2})|([^]))/g, (_, byte?: string, letter?: string) =>
    byte === undefined
      ? (ESCAPES.get(letter ?? '') ?? letter ?? '')
      : String.fromCharCode(parseInt(byte, 16)),
  );
