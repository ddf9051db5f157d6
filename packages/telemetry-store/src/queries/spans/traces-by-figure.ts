import type { FilterCondition, TraceSort } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { LAST_SECOND } from '../../rollups/rollup.ts';
import type { Cursor } from '../core/cursor.ts';
import { compileFilter } from '../core/filter.ts';
import { FAILED, type Known, knownOf, LISTED } from '../core/known.ts';
import type { Params } from '../core/params.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import type { SearchInput } from './search-spans.ts';
import { type Preview, type RawSpoken, SPOKEN, spokenPreview } from './preview.ts';
import { SPANS } from './span-fields.ts';
import { candidates, EVERY, FIGURES, type Key, TRACES } from './trace-candidates.ts';
import { CHECKED_TOTALS, type CheckedTotals, type RawTotals, withoutRepeats } from './trace-totals.ts';

/** A search of traces. */
export interface TraceSearchInput extends SearchInput<TraceSort> {
  /** First words of the conversations. Default: yes. */
  readonly previews?: boolean;
}

type Input = TraceSearchInput;

/** A trace of a list sorted by a figure. */
export interface TraceOfFigure {
  /** Sort value, and the hash that decides between equal ones; both as text. */
  readonly key: { readonly figure: string; readonly hash: string };
  readonly totals: RawTotals;
  /** Where it was read along with the totals. */
  readonly preview: Preview | undefined;
}

export interface TracesOfFigure {
  readonly page: readonly TraceOfFigure[];
  /** There is at least one more. */
  readonly more: boolean;
}

const HOUR = 3_600_000_000_000n;
/** Candidates asked for beyond the page, for those that turn out to have no matching span in the window. */
const SPARE = 10;
/** Rounds of candidates for one page: half of each fit, or from the next one on nearly all do. */
const MAX_ROUNDS = 20;
/** Traces that take up more of the window than this part are found by the index of ids instead of by time. */
const SHORT_PART = 8n;
/** Spans of which the messages are read along with the totals; of larger traces only those of one span are. */
const FEW_SPANS = 2_000;

/**
 * A page of traces in the order of a figure. A trace belongs to the list when a matching span of it began in the
 * window; its figures are those of its spans of all hours that the window touches.
 */
export async function tracesByFigure(
  runner: Runner,
  context: RequestContext,
  input: Input,
  cursor: Cursor | undefined,
): Promise<TracesOfFigure> {
  const hours = wholeHours(input.window);
  let known = knownOfList(input);
  const page: TraceOfFigure[] = [];
  let after = cursor?.after;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const limit = input.limit + 1 - page.length + SPARE;
    const keys = await candidates(runner, context, { input, hours, known, after, limit });
    const left = keys
      .filter((key) => touches(key, input.window))
      .map((key) => ({ ...key, certain: isCertain(key, known, input.window) }));
    let fitting = 0;
    while (left.length > 0) {
      const missing = input.limit - page.length;
      // Of the one after the page it is enough to know that it belongs to the list.
      if (missing === 0 && left[0]?.certain === true) return { page, more: true };
      const chunk = left.splice(0, Math.max(1, known?.enough === false ? missing + 1 : missing));
      const found = await withTotals(runner, context, input, chunk);
      page.push(...found.slice(0, missing));
      if (found.length > missing) return { page, more: true };
      fitting += found.length;
    }
    const last = keys.at(-1);
    if (last === undefined || keys.length < limit) break;
    after = [last.figure, last.hash];
    // Too many were no match: from here on the spans are asked which traces they belong to.
    if (fitting < keys.length / 2) known = undefined;
  }
  return { page, more: false };
}

/** A matching span of it began in the window: the spans said so, or all of its spans that might be it did. */
const isCertain = (key: Key, known: Known | undefined, window: Window): boolean =>
  known === undefined || (known.enough && within(key, window));

/** All spans of the trace began in the window, so the matching one did. */
const within = ({ first, last }: Key, { from, to }: Window): boolean => first >= from && last < to;

/** Some of its spans may have begun in the window; of the others it is known that none did. */
const touches = ({ first, last }: Key, { from, to }: Window): boolean => first < to && last >= from;

/** The last hour of the rollup, which also holds what is later than a `DateTime` can say. */
const LAST_HOUR = BigInt(LAST_SECOND) * 1_000_000_000n;

function wholeHours({ from, to }: Window): Window {
  const first = (from / HOUR) * HOUR;
  return { from: first < LAST_HOUR ? first : LAST_HOUR, to: ((to + HOUR - 1n) / HOUR) * HOUR };
}

/** Undefined for a filter of which the rollup knows nothing. */
function knownOfList({ filter, sort }: Input): Known | undefined {
  if (filter === undefined) return EVERY;
  return knownOf(filter, (condition) => {
    // In other orders many of those that are long enough would turn out to consist of shorter spans.
    if (condition.field === 'duration_ms') return sort === '-duration' ? longEnough(condition) : undefined;
    return FAILED(condition) ?? LISTED(condition);
  });
}

/** A trace takes at least as long as each of its spans. */
function longEnough({ op, value }: FilterCondition): Known | undefined {
  if (op !== '>' && op !== '>=' && op !== '=' && op !== 'between') return undefined;
  const least = Number(Array.isArray(value) ? value[0] : value) * 1e6;
  if (!Number.isFinite(least)) return undefined;
  const atLeast = (duration: string) => (params: Params) => `${duration} >= ${params.bind(least, 'Float64')}`;
  return { sql: atLeast(FIGURES.duration.all), row: atLeast(FIGURES.duration.row), enough: false };
}

interface Candidate extends Key {
  /** A matching span of it began in the window. */
  readonly certain: boolean;
}

/** The candidates with their figures, without those that have no matching span in the window. */
async function withTotals(
  runner: Runner,
  context: RequestContext,
  input: Input,
  keys: readonly Candidate[],
): Promise<TraceOfFigure[]> {
  if (keys.length === 0) return [];
  const scope = spansOf(context, input.window, keys);
  const few = input.previews !== false && keys.reduce((sum, { spans }) => sum + spans, 0) <= FEW_SPANS;
  const columns = [`toString(cityHash64(TraceId)) AS Hash, ${CHECKED_TOTALS}`];
  if (few) columns.push(SPOKEN);
  if (keys.some(({ certain }) => !certain)) columns.push(`countIf(${matches(scope, input)}) AS Matching`);
  const found = await runner.run<CheckedTotals & RawSpoken & { Hash: string; Matching?: number }>(
    scope,
    `SELECT ${columns.join(', ')} ${scope.from} GROUP BY TraceId`,
  );
  const rows = await withoutRepeats(runner, scope, found);
  const byHash = new Map(rows.map((raw) => [raw.Hash, raw]));
  return keys.flatMap((key) => {
    const totals = byHash.get(key.hash);
    if (totals === undefined || totals.Matching === 0) return [];
    return [{ key, totals, preview: few ? spokenPreview(totals) : undefined }];
  });
}

function matches({ params }: Scope, { window, filter }: Input): string {
  const inWindow = `Timestamp >= ${params.time(window.from)} AND Timestamp < ${params.time(window.to)}`;
  return filter === undefined ? inWindow : `${inWindow} AND ${compileFilter(SPANS, filter, params)}`;
}

/** The spans of these traces. Where each one lies in time leads to its granules, and then its hash is enough. */
function spansOf(context: RequestContext, window: Window, keys: readonly Key[]): Scope {
  const hours = wholeHours(window);
  const open = Scope.of(context, SPANS).during({
    from: keys.map(({ first }) => first).reduce((a, b) => (a < b ? a : b)),
    to: keys.map(({ last }) => last).reduce((a, b) => (a > b ? a : b)) + 1n,
  });
  const { params } = open;
  // One by one: beyond 2^53 they are no numbers of JSON, and a list of texts would be turned into numbers row by row.
  const hashes = keys.map(({ hash }) => params.bind(hash, 'UInt64')).join(', ');
  const length = keys.reduce((sum, { first, last }) => sum + last - first, 0n);
  if (length <= (window.to - window.from) / SHORT_PART) {
    const near = open.indexed(keys.map(({ first, last }) => ({ from: first, to: last + 1n })));
    return near.and(`cityHash64(TraceId) IN (${hashes})`);
  }
  const named = open.over(TRACES).during(hours).and(`TraceHash IN (${hashes})`);
  return open.and(`TraceId GLOBAL IN (SELECT TraceId ${named.from})`);
}
