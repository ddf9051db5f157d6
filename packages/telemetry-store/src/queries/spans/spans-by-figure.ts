import type { SpanSort } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { basisOf } from '../core/basis.ts';
import { type Cursor, damagedCursor, nanos } from '../core/cursor.ts';
import { readsTexts } from '../core/filter.ts';
import { isHurried, type SearchInput, SPREAD } from '../core/page.ts';
import type { Runner } from '../core/run.ts';
import { Scope } from '../core/scope.ts';
import { type RawSpan, SPAN_COLUMNS } from './span-row.ts';
import { SPANS } from './span-fields.ts';
import {
  byPlaceAndIds,
  inOrder,
  matching,
  type Order,
  orderOf,
  sortedBy,
  strictlyAfter,
  upTo,
} from './span-order.ts';
import { type FoundSpans, type SpanKey, withRow } from './span-place.ts';

/** A figure as the page and the engine know it, a time, and whose the row is. */
const PLACE_BYTES = 32;

/**
 * Sorted by a figure, every matching row has to be looked at, but only at its figure and time. The times of the page
 * then lead to its few rows; of rows with the same figure at the same time the ids decide among these.
 */
export async function spansByFigure(
  runner: Runner,
  context: RequestContext,
  input: SearchInput<SpanSort>,
  cursor: Cursor | undefined,
): Promise<FoundSpans> {
  const order = orderOf(input.sort);
  const basis = await basisOf(runner, context, SPANS, { ...input, hurried: isHurried(input) });
  if (basis.share !== null) {
    const scope = Scope.of(context, SPANS).during(basis.window).matching(input.filter);
    return {
      found: await rowsByFigure(runner, scope, order, basis.limit, basis.settings),
      share: basis.share,
    };
  }
  const all = Scope.of(context, SPANS).during(input.window).matching(input.filter);
  if (cursor === undefined && readsTexts(SPANS, input.filter)) {
    const found = await rowsAlong(runner, all, order, input.limit + 1);
    if (found !== undefined) return { found };
  }
  const beyond = cursor === undefined ? all : all.and(strictlyAfter(all, order, cursor));
  const places = await runner.run<Place>(
    beyond,
    `SELECT toString(${order.sql}) AS K, toString(toUnixTimestamp64Nano(Timestamp)) AS Ns ${beyond.from}
     ORDER BY ${sortedBy([...order.by, 'Timestamp'], order)} LIMIT ${input.limit + 1}`,
    // With a filter nearly every granule has a figure beyond those of the page, of some row that does not match.
    input.filter === undefined ? { rowBytes: PLACE_BYTES } : {},
  );
  const times = places.map(({ Ns }) => BigInt(Ns));
  // Rows at the very place of the cursor of which not all were shown.
  if (cursor !== undefined) times.push(nanos(cursor.after[1], damagedCursor));
  if (times.length === 0) return { found: [] };
  const end = places.length > input.limit ? places.at(-1) : undefined;
  const near = matching(context, input, order, cursor).at(times);
  const scope = end === undefined ? near : near.and(upTo(near, order, end));
  return { found: await rowsByFigure(runner, scope, order, input.limit + 1) };
}

type Place = Pick<SpanKey, 'K' | 'Ns'>;

/**
 * The first rows in the order of a figure, read along with their places: where words are looked for, to find a few rows again costs
 * more than to read them late. Undefined where the last of them has the figure and the time of another one, so that the
 * ids of these decide, which are not read of every row that matches.
 */
async function rowsAlong(
  runner: Runner,
  scope: Scope,
  order: Order,
  limit: number,
): Promise<SpanKey[] | undefined> {
  const raws = await runner.run<RawSpan & { readonly K: string }>(
    scope,
    `SELECT toString(${order.sql}) AS K, ${SPAN_COLUMNS} ${scope.from}
     ORDER BY ${sortedBy([...order.by, 'Timestamp'], order)} LIMIT ${limit + 1} SETTINGS ${READ_LATE}`,
  );
  const found = raws.map((raw) => withRow(raw, raw.K)).sort(byPlaceAndIds(order));
  const [last, next] = found.slice(limit - 1);
  if (last !== undefined && next !== undefined && last.K === next.K && last.Ns === next.Ns) return undefined;
  return found.slice(0, limit);
}

/** Columns that only the rows of the page need are read of these alone. */
const READ_LATE =
  'query_plan_optimize_lazy_materialization = 1, query_plan_max_limit_for_lazy_materialization = 1000';

async function rowsByFigure(
  runner: Runner,
  scope: Scope,
  order: Order,
  limit: number,
  settings = SPREAD,
): Promise<SpanKey[]> {
  const raws = await runner.run<RawSpan & { readonly K: string }>(
    scope,
    `SELECT toString(${order.sql}) AS K, ${SPAN_COLUMNS} ${scope.from}
     ORDER BY ${inOrder(order)} LIMIT ${limit} ${settings}`,
  );
  return raws.map((raw) => withRow(raw, raw.K));
}
