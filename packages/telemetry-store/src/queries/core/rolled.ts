import { type Rollup, LAST_SECOND, ROLLUP_BUCKET_SECONDS, ROLLUP_HEAD } from '../../rollups/rollup.ts';
import { SPANS } from '../spans/span-fields.ts';
import type { Scope, Window } from './scope.ts';
import type { Source } from './source.ts';

const SECOND = 1_000_000_000n;
const WIDTH = BigInt(ROLLUP_BUCKET_SECONDS);

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

/** The whole buckets of a window, as seconds; undefined when it holds none. Buckets end where their time does. */
export function wholeBuckets(window: Window): { readonly from: number; readonly to: number } | undefined {
  const up = (nanos: bigint) =>
    ((nanos / SECOND + (nanos % SECOND === 0n ? 0n : 1n) + WIDTH - 1n) / WIDTH) * WIDTH;
  const down = (nanos: bigint) => (nanos / SECOND / WIDTH) * WIDTH;
  const last = BigInt(LAST_SECOND);
  const from = up(window.from);
  const to = down(window.to) < last ? down(window.to) : last;
  return from < to ? { from: Number(from), to: Number(to) } : undefined;
}

/**
 * The rows of a rollup of spans for exactly this window, as a table expression: whole buckets as they are kept, what
 * begins or ends between two of them made from the spans. Rows of one key may come several times: add them up.
 */
export function rolledRows(scope: Scope, rollup: Rollup, window: Window): string {
  const { params } = scope;
  const columns = rollup.columns
    .map(({ name }) => name)
    .filter((name) => !ROLLUP_HEAD.some((head) => head.name === name))
    .join(', ');
  const select = rollup.sources['otel_traces'];
  if (select === undefined) throw new RangeError(`${rollup.name} is not made from spans`);
  const made = (edges: Scope) => `SELECT ${columns} FROM (${select(`(SELECT * ${edges.from})`)})`;
  const spans = scope.over(SPANS);
  const whole = wholeBuckets(window);
  if (whole === undefined) return `(${made(spans.during(window))})`;
  const kept = scope
    .over(rolledSource(rollup))
    .and(
      `Bucket >= toDateTime(${params.bind(whole.from, 'UInt32')}) AND Bucket < toDateTime(${params.bind(whole.to, 'UInt32')})`,
    );
  const between = (from: bigint, to: bigint) =>
    `(Timestamp >= ${params.time(from)} AND Timestamp < ${params.time(to)})`;
  const edges = [
    [window.from, BigInt(whole.from) * SECOND],
    [BigInt(whole.to) * SECOND, window.to],
  ].flatMap(([from = 0n, to = 0n]) => (from < to ? [between(from, to)] : []));
  const middle = `SELECT ${columns} ${kept.from}`;
  if (edges.length === 0) return `(${middle})`;
  return `(${middle} UNION ALL ${made(spans.and(edges.join(' OR ')))})`;
}
