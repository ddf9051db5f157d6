import { namesIn, ROLLUP_HEAD, type Rollup, selectAlone, selectOf } from '../../rollups/rollup.ts';
import { SPANS } from '../spans/span-fields.ts';
import type { RequestContext } from '@candela/kernel';
import { alignedAround, alignedParts, LONGEST } from './aligned.ts';
import { pricedFrom, readsCost } from './repriced.ts';
import type { Runner } from './run.ts';
import { Scope, type Window } from './scope.ts';
import type { Source } from './source.ts';

/** A rollup of spans in buckets as something to select from. It has no fields to filter by: spans are filtered. */
export const rolledSource = (rollup: Rollup): Source => ({
  signal: 'spans',
  table: rollup.name,
  time: 'Bucket',
  inSeconds: true,
  fields: {},
  mapOf: () => {
    throw new RangeError(`${rollup.name} has no attributes`);
  },
  pairs: new Map(),
});

interface Wanted {
  /** Which rows: a condition on keys of the rollup, so that little else is read. */
  readonly only?: string;
  /** The expressions that read the rows: columns that they do not name are left out. Undefined: all columns. */
  readonly reads?: string;
}

/**
 * The rows of a rollup of spans for exactly this window, as a table expression: whole buckets as they are kept, what
 * begins or ends between two of them made from the spans. Rows of one key may come several times: add them up.
 */
export function rolledRows(scope: Scope, rollup: Rollup, window: Window, wanted: Wanted = {}): string {
  const { params } = scope;
  const { only = '1', reads } = wanted;
  const all = rollup.columns
    .map(({ name }) => name)
    .filter((name) => !ROLLUP_HEAD.some((head) => head.name === name));
  const named = reads === undefined ? all : namesIn(`${reads} ${only}`, all);
  const columns = named.join(', ');
  const made = (edges: Scope) =>
    selectAlone(rollup, 'otel_traces', named, edges.and(only).from) ??
    `SELECT ${columns} FROM (${selectOf(rollup, 'otel_traces', `(SELECT * ${edges.from})`)}) WHERE ${only}`;
  const spans = scope.over(SPANS);
  const parts = alignedParts(window);
  if (parts === undefined) return `(${made(spans.during(window))})`;
  const kept = keptIn(scope, rollup, parts.middle, only, reads);
  const edges = parts.edges.map(
    (edge) => `(Timestamp >= ${params.time(edge.from)} AND Timestamp < ${params.time(edge.to)})`,
  );
  const middle = `SELECT ${columns} ${kept}`;
  if (edges.length === 0) return `(${middle})`;
  return `(${middle} UNION ALL ${made(spans.and(edges.join(' OR ')))})`;
}

/**
 * The same as what a SELECT goes on with, `FROM ...`: where the window has whole buckets only, the table itself. Each select within a
 * select takes the engine some two milliseconds more to take apart where it has as many columns as the figures of a session.
 */
export function rolledFrom(scope: Scope, rollup: Rollup, window: Window, wanted: Wanted = {}): string {
  const parts = alignedParts(window);
  return parts?.edges.length === 0
    ? keptIn(scope, rollup, parts.middle, wanted.only ?? '1', wanted.reads)
    : `FROM ${rolledRows(scope, rollup, window, wanted)}`;
}

/** Whole buckets as they are kept. @param reads undefined: all columns */
function keptIn(
  scope: Scope,
  rollup: Rollup,
  buckets: Window,
  only: string,
  reads: string | undefined,
): string {
  const kept = scope.over(rolledSource(rollup)).during(buckets).and(only);
  return reads === undefined || readsCost(reads) ? pricedFrom(kept, rollup, buckets) : kept.from;
}

/**
 * The window up to the end of its last bucket, where no span began between its own end and that: nothing has to be made
 * from spans then. What is looked at ends now as a rule, and while many spans come in its last minutes are the dearest.
 */
export async function settledWindow(
  runner: Runner,
  context: RequestContext,
  window: Window,
): Promise<Window> {
  const { from, to } = window;
  const end = alignedAround(window, LONGEST).to;
  if (end === to || alignedParts({ from, to: end }) === undefined) return window;
  const scope = Scope.of(context, SPANS).during({ from: to, to: end });
  const later = await runner.run(scope, `SELECT 1 ${scope.from} LIMIT 1`);
  return later.length === 0 ? { from, to: end } : window;
}
