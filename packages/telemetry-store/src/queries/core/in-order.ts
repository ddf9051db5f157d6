/**
 * Points of series as arrays, one row a series, in the order of their time: neighbours are compared and buckets added
 * up within arrays, which costs a fraction of sorting rows or of grouping them by their time.
 */

/** Much comes in many blocks instead of one: the arrays of one are worked on at a time, by each core. */
export const IN_BLOCKS =
  'SETTINGS group_by_two_level_threshold = 500, group_by_two_level_threshold_bytes = 10000000';

/**
 * A row for each `key` of `rows`: `keys`, and for each column, the first being the time `T`, the sorted array of that
 * name with an `s`. Points of one time are sorted by the other columns; of equal ones there is one.
 * @param columns names of columns of `rows`
 * @param more further aggregates, with commas before
 */
export function inOrder(rows: string, keys: string, columns: readonly string[], more = ''): string {
  const [time = ''] = columns;
  const raw = columns.map((name) => `groupArray(${name}) AS ${name}0`).join(', ');
  const zipped = `arrayZip(${columns.map((name) => `${name}0`).join(', ')})`;
  const sorted = columns.map((name, index) => `tupleElement(InTurn, ${index + 1}) AS ${name}s`);
  // Hardly any series has two points of one time: only theirs are compared by all columns. A select for each step, since
  // the engine takes an expression apart once more for every place where its name stands.
  return `(
  SELECT *, if(Tied, arrayDistinct(arraySort(if(Tied, InTime, []))), InTime) AS InTurn, ${sorted.join(', ')}
  FROM (
    SELECT *, has(arrayPopFront(arrayDifference(tupleElement(InTime, 1))), 0) AS Tied
    FROM (
      SELECT *, arraySort((v, t) -> t, ${zipped}, ${time}0) AS InTime
      FROM (SELECT ${keys}${more}, ${raw} FROM ${rows} GROUP BY ${keys} ${IN_BLOCKS})
    )
  )
)`;
}

/** An array with what stands before each element, `first` before the first. */
export const before = (array: string, first: string): string =>
  `arrayPopBack(arrayPushFront(${array}, ${first}))`;

/** An array with what stands after each element, `last` after the last. */
export const after = (array: string, last: string): string =>
  `arrayPopFront(arrayPushBack(${array}, ${last}))`;

/** Those elements of an array for which `kept`, an array as long, is not 0. */
export const those = (array: string, kept: string): string => `arrayFilter((v, k) -> k, ${array}, ${kept})`;

/** `what` (of an array `a`) for each run of elements that lie in one bucket; `buckets` is as long as `array`. */
export const eachBucket = (what: string, array: string, buckets: string): string =>
  `arrayMap(a -> ${what}, arraySplit((v, d) -> d != 0, ${array}, arrayDifference(${buckets})))`;
