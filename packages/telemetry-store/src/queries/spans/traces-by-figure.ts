import type { TraceSort } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { LAST_SECOND } from '../../rollups/rollup.ts';
import { TRACE_FIGURES } from '../../rollups/trace-figures.ts';
import { type Cursor, damagedCursor } from '../core/cursor.ts';
import { compileFilter } from '../core/filter.ts';
import { type Basis, basisOf } from '../core/basis.ts';
import { type Known, knownOf } from '../core/known.ts';
import { Params } from '../core/params.ts';
import type { Runner } from '../core/run.ts';
import { byTexts } from '../core/snapshot.ts';
import { Scope, type Window } from '../core/scope.ts';
import type { SeenNumbers } from '../core/seen-numbers.ts';
import type { Source } from '../core/source.ts';
import { isRepriced } from '../core/prices.ts';
import { pricedFrom } from '../core/repriced.ts';
import { isHurried, type SearchInput, SPREAD } from '../core/page.ts';
import { type Preview, type RawSpoken, SPOKEN, spokenPreview } from './preview.ts';
import { shareOfMatching } from './share.ts';
import { SPANS } from './span-fields.ts';
import { CHECKED_TOTALS, type CheckedTotals, type RawTotals, withoutRepeats } from './trace-totals.ts';

/** A search of traces. */
export interface TraceSearchInput extends SearchInput<TraceSort> {
  /** First words of the conversations. Default: yes. */
  readonly previews?: boolean;
}

type Input = TraceSearchInput;

/** What is remembered between lists. */
export interface Seen {
  /** Which part of the first of all matched, by list. */
  readonly shares: SeenNumbers;
}

/** The same for one list. */
export interface SeenList extends Seen {
  /** Its name, and about how long its window is. */
  readonly list: string;
}

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
  /** The part of the spans that tells which traces match; null: all. */
  readonly share: number | null;
}

const HOUR = 3_600_000_000_000n;
const LONG = 8n * HOUR;
/** Candidates asked for beyond the page, for those that turn out to have no matching span in the window. */
const SPARE = 10;
/** Rounds of candidates for one page: a part of each fits, or from the next one on nearly all do. */
const MAX_ROUNDS = 20;
/** Candidates of one round. */
const MAX_CANDIDATES = 512;
/** Where fewer of the candidates match, the spans are asked for all that do: that costs the same whoever matches. */
const LEAST_SHARE = 0.15;
/** Where fewer match, the spans are asked which do before the page is read of them. */
const MOST_MATCH = 0.9;
/** Traces that take up more of the window than this part are found by the index of ids instead of by time. */
const SHORT_PART = 8n;
/** Spans of which the messages are read along with the totals; of larger traces only those of one span are. */
const FEW_SPANS = 2_000;

/** Whole numbers, so that a cursor compares exactly. */
const FIGURES = {
  duration: 'max(EndNs) - min(FirstNs)',
  cost: 'if(sum(Priced) = 0, -1, sum(Cost))',
  tokens: 'toInt64(sum(Tokens))',
  spanCount: 'toInt64(sum(Spans))',
} as const;

/** The rollup of traces. Its fields are not compiled: conditions on it are written here. */
const TRACES: Source = {
  signal: 'spans',
  table: TRACE_FIGURES.name,
  time: 'Hour',
  inSeconds: true,
  fields: {},
  mapOf() {
    throw new RangeError('A rollup has no attributes');
  },
  pairs: new Map(),
};

/**
 * A page of traces in the order of a figure. A trace belongs to the list when a matching span of it began in the
 * window; its figures are those of its spans of all hours that the window touches.
 */
export async function tracesByFigure(
  runner: Runner,
  context: RequestContext,
  asked: Input,
  cursor: Cursor | undefined,
  seen?: SeenList,
): Promise<TracesOfFigure> {
  const basis = await basisOf(runner, context, SPANS, { ...asked, hurried: isHurried(asked) });
  const input = { ...asked, limit: basis.limit };
  const hours = wholeHours(input.window);
  let { known, share } = basis.share === null ? await expected(runner, context, input, seen) : ASKED_SPANS;
  const page: TraceOfFigure[] = [];
  let after = cursor?.after;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const wanted = Math.ceil((input.limit + 1 - page.length) / share) + SPARE;
    const limit = Math.min(wanted, MAX_CANDIDATES);
    const keys = await candidates(runner, context, {
      input,
      hours,
      known,
      after,
      limit,
      basis,
    });
    const near = keys
      .filter((key) => touches(key, input.window))
      .map((key) => ({ ...key, certain: isCertain(key, known, input.window) }));
    const left = share < MOST_MATCH ? await matchingOf(runner, context, input, near) : near;
    let fitting = 0;
    while (left.length > 0) {
      const missing = input.limit - page.length;
      // Of the one after the page it is enough to know that it belongs to the list.
      if (missing === 0 && left[0]?.certain === true) return { page, more: true, share: basis.share };
      const chunk = left.splice(0, Math.max(1, known?.enough === false ? missing + 1 : missing));
      const found = await withTotals(runner, context, input, chunk);
      page.push(...found.slice(0, missing));
      if (found.length > missing) return { page, more: true, share: basis.share };
      fitting += found.length;
    }
    const last = keys.at(-1);
    if (last === undefined || keys.length < limit) break;
    after = [last.figure, last.hash];
    if (known === undefined) continue;
    share = fitting / keys.length;
    if (round === 0 && cursor === undefined) seen?.shares.set(seen.list, share);
    // Too many were no match: from here on the spans are asked which traces they belong to.
    if (share < LEAST_SHARE) ({ known, share } = ASKED_SPANS);
  }
  return { page, more: false, share: basis.share };
}

interface Expected {
  /** What the rollup knows of the filter; undefined where the spans are asked for all traces that match. */
  readonly known: Known | undefined;
  /** Which part of the candidates is expected to match. */
  readonly share: number;
}

/** Without a filter every trace belongs to the list. */
const EVERY: Known = { sql: () => '1', enough: true };
/** Any trace may belong to it. */
const ANY: Known = { sql: () => '1', enough: false };
const ASKED_SPANS: Expected = { known: undefined, share: 1 };

/**
 * Of a filter that only the spans know a sample of them says whether to try the first of all traces, unless that was tried
 * lately.
 */
async function expected(
  runner: Runner,
  context: RequestContext,
  { filter, window }: Input,
  seen: SeenList | undefined,
): Promise<Expected> {
  if (filter === undefined) return { known: EVERY, share: 1 };
  const known = knownOf(filter, isRepriced(context.projectId));
  if (known?.enough === true) return { known, share: 1 };
  let share = seen?.shares.get(seen.list);
  if (share === undefined) {
    share =
      known === undefined ? await shareOfMatching(runner, context, { window, filter, of: 'TraceHash' }) : 1;
    seen?.shares.set(seen.list, share);
  }
  return share < LEAST_SHARE ? ASKED_SPANS : { known: known ?? ANY, share };
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

interface Key {
  readonly hash: string;
  readonly figure: string;
  /** When the first and the last of its spans began. */
  readonly first: bigint;
  readonly last: bigint;
  /** 0 in a list without previews, which nobody counts them for. */
  readonly spans: number;
}

interface Candidate extends Key {
  /** A matching span of it began in the window. */
  readonly certain: boolean;
}

interface Asked {
  readonly input: Input;
  readonly hours: Window;
  readonly known: Known | undefined;
  readonly after: readonly string[] | undefined;
  readonly limit: number;
}

/** The next traces in order; of some of them the matching span may lie outside of the window. */
async function candidates(
  runner: Runner,
  context: RequestContext,
  asked: Asked & { readonly basis: Basis },
): Promise<Key[]> {
  const { input, hours, known, basis } = asked;
  let scope = Scope.of(context, TRACES).during(hours);
  if (known === undefined) {
    const matching = Scope.of(context, SPANS, scope.params).during(basis.window).matching(input.filter);
    scope = scope.and(`TraceHash GLOBAL IN (SELECT TraceHash ${matching.from})`);
  }
  return keysOf(runner, scope, `(${traces(scope, asked)}) ${next(asked, scope.params)} ${basis.settings}`);
}

/** The traces of a scope of the rollup that may belong to the list. */
function traces(scope: Scope, { input: { sort, window, previews }, hours, known }: Asked): string {
  const { params } = scope;
  const having = [
    // In a long window few traces lie in its first and last hour only, and what does is left out afterwards.
    ...(window.to - window.from > LONG
      ? []
      : [
          `min(FirstNs) < ${params.bind(window.to, 'Int64')}`,
          `max(LastNs) >= ${params.bind(window.from, 'Int64')}`,
        ]),
    ...(known === undefined || known === EVERY || known === ANY ? [] : [known.sql(params)]),
  ];
  const figure = FIGURES[sort.replace('-', '') as keyof typeof FIGURES];
  // Each column is unpacked for every trace of the window.
  const count = previews === false ? '0' : 'sum(Spans)';
  const from = sort.endsWith('cost') ? pricedFrom(scope, TRACE_FIGURES, hours) : scope.from;
  return `SELECT TraceHash, ${figure} AS Figure, min(FirstNs) AS Early, max(LastNs) AS Late, ${count} AS Count
    ${from} GROUP BY TraceHash ${having.length === 0 ? '' : `HAVING ${having.join(' AND ')}`}`;
}

/** The next of them after the cursor. */
function next({ input, after, limit }: Asked, params: Params): string {
  const descending = input.sort.startsWith('-');
  const direction = descending ? 'DESC' : 'ASC';
  return `${beyond(params, descending, after)} ORDER BY Figure ${direction}, TraceHash ${direction} LIMIT ${limit}`;
}

async function keysOf(runner: Runner, scope: Scope, from: string): Promise<Key[]> {
  const rows = await runner.run<{ H: string; K: string; First: string; Last: string; Count: number }>(
    scope,
    `SELECT toString(TraceHash) AS H, toString(Figure) AS K, toString(Early) AS First, toString(Late) AS Last, Count FROM ${from}`,
  );
  return rows.map(({ H, K, First, Last, Count }) => ({
    hash: H,
    figure: K,
    first: BigInt(First),
    last: BigInt(Last),
    spans: Count,
  }));
}

/** The rows after a cursor. */
function beyond(params: Params, descending: boolean, after: readonly string[] | undefined): string {
  if (after === undefined) return '';
  const [figure = '', hash = ''] = after;
  if (!/^-?\d{1,19}$/.test(figure) || !/^\d{1,20}$/.test(hash)) {
    throw damagedCursor();
  }
  const bound = `${params.bind(figure, 'Int64')}, ${params.bind(hash, 'UInt64')}`;
  return `WHERE (Figure, TraceHash) ${descending ? '<' : '>'} (${bound})`;
}

/** The candidates with their figures, without those that have no matching span in the window. */
async function withTotals(
  runner: Runner,
  context: RequestContext,
  input: Input,
  keys: readonly Candidate[],
): Promise<TraceOfFigure[]> {
  if (keys.length === 0) return [];
  const scope = spansOf(byTexts(context), input.window, keys);
  const few = input.previews !== false && keys.reduce((sum, { spans }) => sum + spans, 0) <= FEW_SPANS;
  const columns = [`toString(cityHash64(TraceId)) AS Hash, ${CHECKED_TOTALS}`];
  if (few) columns.push(SPOKEN);
  if (keys.some(({ certain }) => !certain)) columns.push(`countIf(${matches(scope, input)}) AS Matching`);
  const found = await runner.run<CheckedTotals & RawSpoken & { Hash: string; Matching?: number }>(
    scope,
    `SELECT ${columns.join(', ')} ${scope.from} GROUP BY TraceId ${SPREAD}`,
  );
  const rows = await withoutRepeats(runner, scope, found);
  const byHash = new Map(rows.map((raw) => [raw.Hash, raw]));
  return keys.flatMap((key) => {
    const totals = byHash.get(key.hash);
    if (totals === undefined || totals.Matching === 0) return [];
    return [{ key, totals, preview: few ? spokenPreview(totals) : undefined }];
  });
}

/** Those of them that have a matching span in the window. */
async function matchingOf(
  runner: Runner,
  context: RequestContext,
  input: Input,
  keys: readonly Candidate[],
): Promise<Candidate[]> {
  const open = keys.filter(({ certain }) => !certain);
  if (open.length === 0) return [...keys];
  const scope = spansOf(context, input.window, open);
  const matching = scope.and(matches(scope, input));
  const found = await runner.run<{ Hash: string }>(
    matching,
    `SELECT DISTINCT toString(TraceHash) AS Hash ${matching.from} ${SPREAD}`,
  );
  const hashes = new Set(found.map(({ Hash }) => Hash));
  return keys.flatMap((key) => (key.certain || hashes.has(key.hash) ? [{ ...key, certain: true }] : []));
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
  const hashes = params.hashes(keys.map(({ hash }) => hash));
  const length = keys.reduce((sum, { first, last }) => sum + last - first, 0n);
  if (length <= (window.to - window.from) / SHORT_PART) {
    const near = open.indexed(keys.map(({ first, last }) => ({ from: first, to: last + 1n })));
    return near.and(`TraceHash IN ${hashes}`);
  }
  const named = open.over(TRACES).during(hours).and(`TraceHash IN ${hashes}`);
  return open.and(`TraceId GLOBAL IN (SELECT TraceId ${named.from})`);
}
