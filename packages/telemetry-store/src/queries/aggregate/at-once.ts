import { CandelaError, fail, type RequestContext } from '@candela/kernel';
import { StoreError } from '../../client/errors.ts';
import { Params } from '../core/params.ts';
import type { Runner } from '../core/run.ts';
import { Scope } from '../core/scope.ts';
import { shownSql } from '../core/show.ts';
import { addUp, figuresOf, measuredOf } from './counted.ts';
import { numberedBuckets } from './numbered.ts';
import type { Plan } from './plan.ts';

/** `T` time, `G0`, `G1`, ... group values, `V0`, `V1`, ... figures, `N` number of groups. */
export type RawRow = Readonly<Record<string, string | number | null>>;

/** Buckets times groups that one answer may hold. */
export const MAX_POINTS = 100_000;

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

/** ClickHouse's codes for too many groups and too much memory. */
const TOO_MANY = new Set([158, 241]);

export interface AtOnce {
  /** Of the largest groups, by time. */
  readonly rows: readonly RawRow[];
  /** How many groups there are. */
  readonly groups: number;
}

/**
 * The largest groups and their buckets from one pass over the rows, which costs less than finding the groups first.
 * Undefined where there are so many groups that they cannot be held at once. @throws bad_query
 */
export async function topSeries(
  runner: Runner,
  context: RequestContext,
  plan: Plan,
  limit: number,
): Promise<AtOnce | undefined> {
  const statement = inBuckets(context, plan, limit);
  if (statement === undefined) return undefined;
  const { scope, sql } = statement;
  try {
    const rows = await runner.run<RawRow>(scope, sql);
    refuseTooMany(rows.length);
    return { rows, groups: Number(rows[0]?.['N'] ?? 0) };
  } catch (thrown) {
    if (isTooMany(thrown)) return undefined;
    throw thrown;
  }
}

/**
 * Each figure of a group as an array of its buckets: a row is looked up by its group alone, mostly that of the row before,
 * and counts at a place. By group and time together each row would be copied, hashed and compared.
 */
function inBuckets(
  context: RequestContext,
  plan: Plan,
  limit: number,
): { scope: Scope; sql: string } | undefined {
  const { counted, bucketSeconds } = plan;
  if (bucketSeconds === null) return undefined;
  const params = new Params();
  const scope = Scope.of(context, counted.rows, params).during(plan.window).matching(plan.filter);
  const buckets = numberedBuckets({ ...plan, bucketSeconds }, counted.rows, params);
  if (buckets === undefined) return undefined;
  const measured = plan.measures.map((measure) => measuredOf(counted, measure));
  const figures = figuresOf(measured);
  const places = (aggregate: string) => resampled(aggregate, buckets.size, buckets.number);
  const rowsOf = (name: string): string => counted.figures[name]?.rows ?? '';
  const of = (letter: string) => (name: string) => `${letter}${figures.indexOf(name)}`;
  const ranked = figuresOf(measured.slice(0, 1));
  // Sums of all time are those of the buckets. Others are worked out besides.
  const totals = ranked.filter((name) => !addUp(counted, [name]));
  const total = (name: string) => (totals.includes(name) ? of('A')(name) : `arraySum(${of('F')(name)})`);
  const groups = plan.groupBy.map((_, index) => `G${index}`).join(', ');
  const columns = [
    ...plan.groupBy.map((field, index) => `toString(${shownSql(counted.rows, field, params)}) AS G${index}`),
    `${places(counted.count.rows)} AS Held`,
    ...figures.map((name) => `${places(rowsOf(name))} AS ${of('F')(name)}`),
    ...totals.map((name) => `${rowsOf(name)} AS ${of('A')(name)}`),
  ];
  const values = measured.map((one, index) => `${one(of('B'))} AS V${index}`);
  const most = addUp(counted, figures) ? MAX_SUMS : MAX_SKETCHES;
  return {
    scope,
    sql: `SELECT ${buckets.time('Place - 1')} AS T, ${[groups, ...values].join(', ')}, N FROM (
        SELECT *, ${measured[0]?.(total) ?? 'NULL'} AS Total, count() OVER () AS N
        FROM (SELECT ${columns.join(', ')} ${scope.from} GROUP BY ${groups})
        ORDER BY Total DESC NULLS LAST, ${groups} LIMIT ${limit})
      ARRAY JOIN ${figures.map((name) => `${of('F')(name)} AS ${of('B')(name)}, `).join('')}Held AS Rows, arrayEnumerate(Held) AS Place
      WHERE Rows > 0 ORDER BY T, ${groups} LIMIT ${MAX_POINTS + 1}
      SETTINGS max_rows_to_group_by = ${Math.max(1, Math.floor(most / buckets.size))}, group_by_overflow_mode = 'throw'`,
  };
}

const AGGREGATE = /^(\w+)(?:\(([\d., ]+)\))?\((.*)\)$/s;

/** An aggregate as an array, one for each place from zero on. @param place of a row, a whole number */
function resampled(aggregate: string, size: number, place: string): string {
  const [, name, parameters, of = ''] = AGGREGATE.exec(aggregate) ?? [];
  if (name === undefined) throw new RangeError(`This is no aggregate: ${aggregate}`);
  const given = parameters === undefined ? '' : `${parameters}, `;
  return `${name}Resample(${given}0, ${size}, 1)(${of === '' ? '' : `${of}, `}${place})`;
}

function isTooMany(thrown: unknown): boolean {
  if (!(thrown instanceof CandelaError) || thrown.code !== 'query_too_expensive') return false;
  return thrown.cause instanceof StoreError && TOO_MANY.has(thrown.cause.engineCode);
}
