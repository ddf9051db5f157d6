import { CandelaError, fail } from '@candela/kernel';
import { StoreError } from '../../client/errors.ts';
import { Params } from '../core/params.ts';
import type { ReadContext } from '../core/snapshot.ts';
import type { Runner } from '../core/run.ts';
import { Scope } from '../core/scope.ts';
import { shownSql } from '../core/show.ts';
import { addUp, figuresOf, measuredOf } from './counted.ts';
import { numberedBuckets } from './numbered.ts';
import type { Plan } from './plan.ts';

/** `T` time, `G0`, `G1`, ... group values, `V0`, `V1`, ... figures, `N` number of groups, `Rank` of a group by its size. */
export type RawRow = Readonly<Record<string, string | number | null>>;

/** Buckets times groups that one answer may hold. */
export const MAX_POINTS = 100_000;

/** Bytes that one answer may hold, as a setting of its statement: each of its rows has the values of its group. */
export const ANSWER_BOUND = `max_result_bytes = ${32 << 20}, result_overflow_mode = 'throw'`;

/** @throws bad_query */
export function refuseTooMany(points: number): void {
  if (points <= MAX_POINTS) return;
  throw fail('bad_query', {
    detail: `That makes more than ${MAX_POINTS} points, which is the most one answer may hold. Take wider buckets or fewer groups.`,
  });
}

/**
 * Buckets times groups that are held at once, all groups and not only the largest: figures that add up are small, a
 * quantile or a number of different values is not.
 */
const MAX_SUMS = 2_000_000;
const MAX_SKETCHES = 100_000;

/**
 * So many times more groups than are shown: beyond that what is held of all of them costs more than finding the largest
 * first, unless it is small.
 */
const MAX_SKETCHED = 4;

/** Of counts, which can be held as places of rows, so many: arrays of more are in no cache, and each row waits for them. */
const MAX_COUNTS = 500_000;

/** Rows whose places are held, a byte or two each, and groups of them. */
const MAX_PLACED_ROWS = 100_000_000;
const MAX_PLACED_GROUPS = 500_000;

/** ClickHouse's codes for too many groups and too much memory. */
const TOO_MANY = new Set([158, 241]);

export interface AtOnce {
  /** Of the largest groups, by time. */
  readonly rows: readonly RawRow[];
  /** How many groups there are. */
  readonly groups: number;
}

export interface Wanted {
  /** Groups that are shown. */
  readonly limit: number;
  /** About how many there are: what cannot hold so many is not tried, it would be given up after the first rows. */
  readonly expected: number | undefined;
}

/**
 * The largest groups and their buckets from one pass over the rows, which costs less than finding the groups first.
 * Undefined where there are so many groups that they cannot be held at once. @throws bad_query
 */
export async function topSeries(
  runner: Runner,
  context: ReadContext,
  plan: Plan,
  { limit, expected = 0 }: Wanted,
): Promise<AtOnce | undefined> {
  for (const holding of [ARRAYS, PLACES]) {
    const statement = inBuckets(context, plan, limit, holding);
    if (statement === undefined || expected > statement.maxGroups) continue;
    const { scope, sql, maxRows } = statement;
    try {
      const rows = await runner.run<RawRow>(scope, sql, { maxRows });
      refuseTooMany(rows.length);
      return { rows, groups: Number(rows[0]?.['N'] ?? 0) };
    } catch (thrown) {
      if (!isTooMany(thrown)) throw thrown;
    }
  }
  return undefined;
}

/** How a figure of a group is held, so that its buckets come out in the end, and what may be held. */
interface Holding {
  /** The figure of all buckets. @param place of a row, a whole number */
  held(aggregate: string, size: number, place: string): string;
  /** Its sum over all buckets, of figures that add up. */
  sum(held: string): string;
  /** The figures of the buckets as an array. */
  buckets(held: string, size: number): string;
  /** Groups that may be held, and rows that they may be of. Undefined where figures cannot be held so. */
  bounds(asked: Asked): { readonly maxGroups: number; readonly maxRows: number | undefined } | undefined;
}

interface Asked {
  /** Aggregates. */
  readonly figures: readonly string[];
  /** They are sums. */
  readonly areSums: boolean;
  /** How many buckets there are, and groups that are shown. */
  readonly size: number;
  readonly limit: number;
}

/**
 * Each figure of a group as an array of its buckets: a row is looked up by its group alone, mostly that of the row before,
 * and counts at a place. By group and time together each row would be copied, hashed and compared.
 */
const ARRAYS: Holding = {
  held: resampled,
  sum: (held) => `arraySum(${held})`,
  buckets: (held) => held,
  bounds({ figures, areSums, size, limit }) {
    const most = !areSums ? MAX_SKETCHES : areCounts(figures) ? MAX_COUNTS : MAX_SUMS;
    const maxGroups = Math.floor(most / size);
    return { maxGroups: areSums ? maxGroups : Math.min(maxGroups, limit * MAX_SKETCHED), maxRows: undefined };
  },
};

/**
 * Counts of many groups as the places of their rows, one after the other: few bytes a group that lie together, where
 * arrays are mostly zeros. Only those of the largest groups are counted.
 */
const PLACES: Holding = {
  held(aggregate, size, place) {
    const { name, of } = partsOf(aggregate);
    const small = `CAST(${place}, '${placeType(size)}')`;
    return name === 'count' ? `groupArray(${small})` : `groupArrayIf(${small}, ${of})`;
  },
  sum: (held) => `length(${held})`,
  buckets: (held, size) => `arrayReduce('countResample(0, ${size}, 1)', ${held})`,
  bounds: ({ figures, size }) =>
    areCounts(figures) && size <= 2 ** 16
      ? { maxGroups: MAX_PLACED_GROUPS, maxRows: MAX_PLACED_ROWS }
      : undefined,
};

const placeType = (size: number): string => (size <= 2 ** 8 ? 'UInt8' : 'UInt16');

const areCounts = (aggregates: readonly string[]): boolean =>
  aggregates.every((aggregate) => ['count', 'countIf'].includes(partsOf(aggregate).name));

function inBuckets(
  context: ReadContext,
  plan: Plan,
  limit: number,
  holding: Holding,
): { scope: Scope; sql: string; maxGroups: number; maxRows: number | undefined } | undefined {
  const { counted, bucketSeconds } = plan;
  if (bucketSeconds === null) return undefined;
  const params = new Params(context);
  const scope = Scope.of(context, counted.rows, params)
    .during(plan.window)
    .matching(plan.filter)
    .sampled(plan.sample);
  const buckets = numberedBuckets({ ...plan, bucketSeconds }, counted.rows, params);
  if (buckets === undefined) return undefined;
  const { size } = buckets;
  const measured = plan.measures.map((measure) => measuredOf(counted, measure));
  const figures = figuresOf(measured);
  const rowsOf = (name: string): string => counted.figures[name]?.rows ?? '';
  const areSums = addUp(counted, figures);
  const bounds = holding.bounds({ figures: figures.map(rowsOf), areSums, size, limit });
  if (bounds === undefined) return undefined;
  const held = (aggregate: string) => holding.held(aggregate, size, buckets.number);
  const of = (letter: string) => (name: string) => `${letter}${figures.indexOf(name)}`;
  const ranked = figuresOf(measured.slice(0, 1));
  // Sums of all time are those of the buckets. Others are worked out besides.
  const totals = ranked.filter((name) => !addUp(counted, [name]));
  const total = (name: string) => (totals.includes(name) ? of('A')(name) : holding.sum(of('F')(name)));
  const groups = plan.groupBy.map((_, index) => `G${index}`).join(', ');
  // Where rows are counted anyway they are not counted once more to tell buckets without any.
  const own = figures.find((name) => rowsOf(name) === counted.count.rows);
  const columns = [
    ...plan.groupBy.map((field, index) => `toString(${shownSql(counted.rows, field, params)}) AS G${index}`),
    ...(own === undefined ? [`${held(counted.count.rows)} AS Held`] : []),
    ...figures.map((name) => `${held(rowsOf(name))} AS ${of('F')(name)}`),
    ...totals.map((name) => `${rowsOf(name)} AS ${of('A')(name)}`),
  ];
  const values = measured.map((one, index) => `${one(of('B'))} AS V${index}`);
  const joined = [
    ...figures.map((name) => `${holding.buckets(of('F')(name), size)} AS ${of('B')(name)}`),
    ...(own === undefined ? [`${holding.buckets('Held', size)} AS Rows`] : []),
    `range(1, ${size + 1}) AS Place`,
  ];
  const maxGroups = Math.max(1, bounds.maxGroups);
  const order = `Total DESC NULLS LAST, ${groups}`;
  return {
    scope,
    maxGroups,
    maxRows: bounds.maxRows,
    sql: `SELECT ${buckets.time('Place - 1')} AS T, ${[groups, ...values].join(', ')}, N, Rank FROM (
        SELECT *, row_number() OVER (ORDER BY ${order}) AS Rank FROM (
          SELECT *, ${measured[0]?.(total) ?? 'NULL'} AS Total, count() OVER () AS N
          FROM (SELECT ${columns.join(', ')} ${scope.from} GROUP BY ${groups})
          ORDER BY ${order} LIMIT ${limit}))
      ARRAY JOIN ${joined.join(', ')}
      WHERE ${own === undefined ? 'Rows' : of('B')(own)} > 0 ORDER BY T, ${groups} LIMIT ${MAX_POINTS + 1}
      SETTINGS max_rows_to_group_by = ${maxGroups}, group_by_overflow_mode = 'throw', ${ANSWER_BOUND}`,
  };
}

const AGGREGATE = /^(\w+)(?:\(([\d., ]+)\))?\((.*)\)$/s;

/** The name of an aggregate, its parameters and what it is of. */
function partsOf(aggregate: string): { name: string; parameters: string | undefined; of: string } {
  const [, name, parameters, of = ''] = AGGREGATE.exec(aggregate) ?? [];
  if (name === undefined) throw new RangeError(`This is no aggregate: ${aggregate}`);
  return { name, parameters, of };
}

/** An aggregate as an array, one for each place from zero on. @param place of a row, a whole number */
function resampled(aggregate: string, size: number, place: string): string {
  const { name, parameters, of } = partsOf(aggregate);
  const given = parameters === undefined ? '' : `${parameters}, `;
  return `${name}Resample(${given}0, ${size}, 1)(${of === '' ? '' : `${of}, `}${place})`;
}

function isTooMany(thrown: unknown): boolean {
  if (!(thrown instanceof CandelaError) || thrown.code !== 'query_too_expensive') return false;
  return thrown.cause instanceof StoreError && TOO_MANY.has(thrown.cause.engineCode);
}
