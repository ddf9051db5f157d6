import { ROLLUP_BUCKET_SECONDS } from '../../rollups/rollup.ts';
import { Params } from '../core/params.ts';
import type { ReadContext } from '../core/snapshot.ts';
import type { Runner } from '../core/run.ts';
import { Scope } from '../core/scope.ts';
import { shownSql } from '../core/show.ts';
import { countsField } from './counted.ts';
import type { Values } from './numbered.ts';
import type { Plan } from './plan.ts';

/** Values of a field, and characters of them all, that a statement is given to number groups by. */
const MAX_VALUES = 500;
const MAX_CHARACTERS = 64_000;

/** Of a shorter time there is too little to read for another statement to be worth it. */
const SHORT = 15n * 60n * 1_000_000_000n;

const BUCKET = BigInt(ROLLUP_BUCKET_SECONDS) * 1_000_000_000n;

/**
 * The values that rows of a plan have in each field it groups by, as the rollup knows them: perhaps more, and without
 * those that came this moment. Undefined where that is no use: one column of few values is grouped by its dictionary as
 * it is, and many values, or those of a short time, are not worth listing.
 */
export async function listedValues(
  runner: Runner,
  context: ReadContext,
  { counted, groupBy, window, aligned }: Plan,
): Promise<Values | undefined> {
  const known = groupBy.every((field) => countsField(counted, field));
  const isShort = window.to - window.from < SHORT;
  if (aligned !== undefined || groupBy.length < 2 || !known || isShort) return undefined;
  const params = new Params(context);
  const scope = Scope.of(context, counted.counts, params).during({
    from: (window.from / BUCKET) * BUCKET,
    to: ((window.to + BUCKET - 1n) / BUCKET) * BUCKET,
  });
  const parts = groupBy.map(
    (field, index) =>
      `SELECT ${index} AS F, toString(V) AS Value FROM (
         SELECT DISTINCT ${shownSql(counted.counts, field, params)} AS V ${scope.from} LIMIT ${MAX_VALUES + 1})`,
  );
  const found = await runner.run<{ F: number; Value: string }>(scope, parts.join(' UNION ALL '));
  const values = groupBy.map((_, index) => found.filter(({ F }) => F === index).map(({ Value }) => Value));
  const characters = found.reduce((sum, { Value }) => sum + Value.length, 0);
  const isFit = values.every(({ length }) => length > 0 && length <= MAX_VALUES);
  return isFit && characters <= MAX_CHARACTERS ? values : undefined;
}
