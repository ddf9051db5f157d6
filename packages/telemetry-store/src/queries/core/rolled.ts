import { ROLLUP_HEAD, type Rollup, selectOf } from '../../rollups/rollup.ts';
import { SPANS } from '../spans/span-fields.ts';
import { alignedParts } from './aligned.ts';
import type { Scope, Window } from './scope.ts';
import type { Source } from './source.ts';

/** A rollup of spans in buckets as something to select from. It has no fields to filter by: spans are filtered. */
export const rolledSource = (rollup: Rollup): Source => ({
  signal: 'spans',
  table: rollup.name,
  time: 'Bucket',
  fields: {},
  mapOf: () => {
    throw new RangeError(`${rollup.name} has no attributes`);
  },
  pairs: new Map(),
});

/**
 * The rows of a rollup of spans for exactly this window, as a table expression: whole buckets as they are kept, what
 * begins or ends between two of them made from the spans. Rows of one key may come several times: add them up.
 * @param only which rows: a condition on keys of the rollup, so that little else is read
 */
export function rolledRows(scope: Scope, rollup: Rollup, window: Window, only = '1'): string {
  const { params } = scope;
  const columns = rollup.columns
    .map(({ name }) => name)
    .filter((name) => !ROLLUP_HEAD.some((head) => head.name === name))
    .join(', ');
  const made = (edges: Scope) =>
    `SELECT ${columns} FROM (${selectOf(rollup, 'otel_traces', `(SELECT * ${edges.from})`)}) WHERE ${only}`;
  const spans = scope.over(SPANS);
  const parts = alignedParts(window);
  if (parts === undefined) return `(${made(spans.during(window))})`;
  const seconds = (nanos: bigint) => `toDateTime(${params.bind(nanos / 1_000_000_000n, 'UInt32')})`;
  const kept = scope
    .over(rolledSource(rollup))
    .and(`Bucket >= ${seconds(parts.middle.from)} AND Bucket < ${seconds(parts.middle.to)}`)
    .and(only);
  const edges = parts.edges.map(
    (edge) => `(Timestamp >= ${params.time(edge.from)} AND Timestamp < ${params.time(edge.to)})`,
  );
  const middle = `SELECT ${columns} ${kept.from}`;
  if (edges.length === 0) return `(${middle})`;
  return `(${middle} UNION ALL ${made(spans.and(edges.join(' OR ')))})`;
}
