import { CandelaError, fail, type RequestContext } from '@candela/kernel';
import { StoreError } from '../../client/errors.ts';
import type { Runner } from '../core/run.ts';
import { measuredOf } from './counted.ts';
import { grouped, type Plan } from './plan.ts';

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
const MAX_SUMS = 300_000;
const MAX_SKETCHES = 30_000;

/** ClickHouse's codes for too many groups and too much memory. */
const TOO_MANY = new Set([158, 241]);

export interface AtOnce {
  /** Of the largest groups, by time. */
  readonly rows: readonly RawRow[];
  /** The largest groups, the largest first. */
  readonly top: readonly RawRow[];
}

/**
 * The largest groups and their buckets from one pass over the rows: where keys of maps are read, that costs half of
 * finding the groups first. Undefined when two passes are better: nothing is read of maps, because the store has columns
 * for the keys, or there are so many groups that they cannot be held at once. @throws bad_query
 */
export async function topSeries(
  runner: Runner,
  context: RequestContext,
  plan: Plan,
  limit: number,
): Promise<AtOnce | undefined> {
  const sums = plan.measures.every((measure) => measuredOf(plan.counted, measure).from === 'figures');
  const groups = plan.groupBy.map((_, index) => `G${index}`).join(', ');
  const { scope, sql } = grouped(context, plan, { totals: true });
  // Narrow columns are read twice in less time than all groups are held at once.
  if (scope.params.attributes.length === 0 || (await runner.readsColumns(scope))) return undefined;
  let found: RawRow[];
  try {
    found = await runner.run<RawRow>(
      scope,
      `SELECT * FROM (
         SELECT *, dense_rank() OVER (ORDER BY Total DESC NULLS LAST, ${groups}) AS R, countIf(S = 1) OVER () AS N FROM (
           SELECT *, anyIf(V0, S = 1) OVER (PARTITION BY ${groups}) AS Total FROM (${sql})))
       WHERE R <= ${limit} ORDER BY S DESC, if(S = 1, R, 0), T, ${groups} LIMIT ${MAX_POINTS + limit + 1}
       SETTINGS max_rows_to_group_by = ${sums ? MAX_SUMS : MAX_SKETCHES}, group_by_overflow_mode = 'throw'`,
    );
  } catch (thrown) {
    if (isTooMany(thrown)) return undefined;
    throw thrown;
  }
  const top = found.filter((row) => row['S'] === 1);
  const rows = found.slice(top.length);
  refuseTooMany(rows.length);
  return { rows, top };
}

function isTooMany(thrown: unknown): boolean {
  if (!(thrown instanceof CandelaError) || thrown.code !== 'query_too_expensive') return false;
  return thrown.cause instanceof StoreError && TOO_MANY.has(thrown.cause.engineCode);
}
