import { canonicalFilter, type Filter, type TraceSort } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import { TRACE_FIGURES } from '../../rollups/trace-figures.ts';
import type { Cursor } from '../core/cursor.ts';
import { compileFilter } from '../core/filter.ts';
import { Params } from '../core/params.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import type { Source } from '../core/source.ts';
import type { SearchInput } from './search-spans.ts';
import { SPANS } from './span-fields.ts';
import { type RawTotals, TRACE_TOTALS } from './trace-rows.ts';

type Input = SearchInput<TraceSort>;

/** A trace of a list sorted by a figure. */
export interface TraceOfFigure {
  /** Sort value, and the hash that decides between equal ones; both as text. */
  readonly key: { readonly figure: string; readonly hash: string };
  readonly totals: RawTotals;
}

const HOUR = 3_600_000_000_000n;
const LONG = 8n * HOUR;
/** Candidates asked for beyond the page, for those that turn out to have no matching span in the window. */
const SPARE = 10;
/** Rounds of candidates for one page. */
const MAX_ROUNDS = 20;

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
  input: Input,
  cursor: Cursor | undefined,
): Promise<TraceOfFigure[]> {
  const wanted = input.limit + 1;
  const hours = wholeHours(input.window);
  const known = input.filter === undefined ? '1' : knownCondition(input.filter);
  const found: TraceOfFigure[] = [];
  let after = cursor?.after;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const limit = wanted - found.length + SPARE;
    const keys = await candidates(runner, context, { input, hours, known, after, limit });
    found.push(...(await withTotals(runner, context, input, hours, keys)));
    const last = keys.at(-1);
    if (found.length >= wanted || last === undefined || keys.length < limit) break;
    after = [last.figure, last.hash];
  }
  return found.slice(0, wanted);
}

function wholeHours({ from, to }: Window): Window {
  return { from: (from / HOUR) * HOUR, to: ((to + HOUR - 1n) / HOUR) * HOUR };
}

/** How the rollup tells by itself which traces have a matching span, as a condition on a trace's rows. */
type Known = '1' | ((params: Params) => string) | undefined;

const LISTS: Readonly<Record<string, string>> = {
  service: 'Services',
  model: 'Models',
  operation: 'Operations',
  agent: 'Agents',
};

/** One condition that the rollup keeps the values of; undefined for every other filter. */
function knownCondition(filter: Filter): Known {
  const canonical = canonicalFilter(filter, 'spans');
  const one = 'and' in canonical && canonical.and.length === 1 ? canonical.and[0] : canonical;
  if (one === undefined || !('field' in one)) return undefined;
  const { field, op, value } = one;
  if (op !== '=' || typeof value !== 'string' || value === '') return undefined;
  if (field === 'status') return value === 'error' ? () => 'sum(Errors) > 0' : undefined;
  const list = Object.hasOwn(LISTS, field) ? LISTS[field] : undefined;
  if (list === undefined) return undefined;
  return (params) => `max(has(${list}, ${params.bind(value, 'String')})) = 1`;
}

interface Key {
  readonly hash: string;
  readonly figure: string;
}

/** The next traces in order; of some of them the matching span may lie outside of the window. */
async function candidates(
  runner: Runner,
  context: RequestContext,
  asked: {
    input: Input;
    hours: Window;
    known: Known;
    after: readonly string[] | undefined;
    limit: number;
  },
): Promise<Key[]> {
  const { input, hours, known, after } = asked;
  const { window } = input;
  const descending = input.sort.startsWith('-');
  const direction = descending ? 'DESC' : 'ASC';
  const params = new Params();
  let scope = Scope.of(context, TRACES, params).during(hours);
  if (known === undefined) {
    const matching = Scope.of(context, SPANS, params).during(window).matching(input.filter);
    scope = scope.and(`TraceHash GLOBAL IN (SELECT cityHash64(TraceId) ${matching.from})`);
  }
  const having = [
    // In a long window few traces lie in its first and last hour only, and what does is seen later anyway.
    ...(window.to - window.from > LONG
      ? []
      : [
          `min(FirstNs) < ${params.bind(window.to, 'Int64')}`,
          `max(LastNs) >= ${params.bind(window.from, 'Int64')}`,
        ]),
    ...(typeof known === 'function' ? [known(params)] : []),
  ];
  const figure = FIGURES[input.sort.replace('-', '') as keyof typeof FIGURES];
  const rows = await runner.run<{ H: string; K: string }>(
    scope,
    `SELECT toString(TraceHash) AS H, toString(Figure) AS K FROM (
       SELECT TraceHash, ${figure} AS Figure ${scope.from} GROUP BY TraceHash ${having.length === 0 ? '' : `HAVING ${having.join(' AND ')}`}
     ) ${beyond(params, descending, after)}
     ORDER BY Figure ${direction}, TraceHash ${direction} LIMIT ${asked.limit}`,
  );
  return rows.map(({ H, K }) => ({ hash: H, figure: K }));
}

/** The rows after a cursor. */
function beyond(params: Params, descending: boolean, after: readonly string[] | undefined): string {
  if (after === undefined) return '';
  const [figure = '', hash = ''] = after;
  if (!/^-?\d{1,19}$/.test(figure) || !/^\d{1,20}$/.test(hash)) {
    throw fail('bad_query', { detail: 'The cursor is damaged.' });
  }
  const bound = `${params.bind(figure, 'Int64')}, ${params.bind(hash, 'UInt64')}`;
  return `WHERE (Figure, TraceHash) ${descending ? '<' : '>'} (${bound})`;
}

/** The candidates with their figures, without those that have no matching span in the window. */
async function withTotals(
  runner: Runner,
  context: RequestContext,
  input: Input,
  hours: Window,
  keys: readonly Key[],
): Promise<TraceOfFigure[]> {
  if (keys.length === 0) return [];
  const rollup = Scope.of(context, TRACES).during(hours);
  const hashes = rollup.params.bind(
    keys.map((key) => BigInt(key.hash)),
    'Array(UInt64)',
  );
  const named = rollup.and(`TraceHash IN ${hashes}`);
  const ids = await runner.run<{ H: string; TraceId: string }>(
    named,
    `SELECT DISTINCT toString(TraceHash) AS H, TraceId ${named.from}`,
  );
  const spans = Scope.of(context, SPANS).during(hours);
  const { params } = spans;
  const wanted = params.bind(
    ids.map(({ TraceId }) => TraceId),
    'Array(String)',
  );
  const inWindow = `Timestamp >= ${params.time(input.window.from)} AND Timestamp < ${params.time(input.window.to)}`;
  const matches =
    input.filter === undefined ? inWindow : `${inWindow} AND ${compileFilter(SPANS, input.filter, params)}`;
  const scope = spans.and(`TraceId IN ${wanted}`);
  const totals = await runner.run<RawTotals & { Matching: number }>(
    scope,
    `SELECT ${TRACE_TOTALS}, countIf(${matches}) AS Matching ${scope.from} GROUP BY TraceId`,
  );
  const byId = new Map(totals.map((raw) => [raw.TraceId, raw]));
  const byHash = new Map(ids.map(({ H, TraceId }) => [H, TraceId]));
  return keys.flatMap((key) => {
    const raw = byId.get(byHash.get(key.hash) ?? '');
    return raw === undefined || raw.Matching === 0 ? [] : [{ key, totals: raw }];
  });
}
