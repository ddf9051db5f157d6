import type { TraceSort } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import { TRACE_FIGURES } from '../../rollups/trace-figures.ts';
import { StoreError } from '../../client/errors.ts';
import type { Known } from '../core/known.ts';
import type { Params } from '../core/params.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import type { Source } from '../core/source.ts';
import type { SearchInput } from './search-spans.ts';
import { SPANS } from './span-fields.ts';

/** Windows of more than eight hours. */
const LONG = 28_800_000_000_000n;
/** Rows of the rollup taken for a page that holds one trace each, as it seems: some are parts of traces of several. */
const ROWS_A_TRACE = 4;
/** Traces of several rows beyond which all are grouped: to join so many apart from the others costs more than that. */
const MOST_OF_SEVERAL_ROWS = 50_000;
/** ClickHouse's code for more of them. */
const TOO_MANY = 191;

/** Of all rows of a trace and of a single one. Whole numbers, so that a cursor compares exactly. */
export const FIGURES = {
  duration: { all: 'max(EndNs) - min(FirstNs)', row: 'EndNs - FirstNs' },
  cost: { all: 'if(sum(Priced) = 0, -1, sum(Cost))', row: 'if(Priced = 0, -1, Cost)' },
  tokens: { all: 'toInt64(sum(Tokens))', row: 'toInt64(Tokens)' },
  spanCount: { all: 'toInt64(sum(Spans))', row: 'toInt64(Spans)' },
} as const;

/** The rollup of traces. Its fields are not compiled: conditions on it are written here. */
export const TRACES: Source = {
  signal: 'spans',
  table: TRACE_FIGURES.name,
  time: 'Hour',
  fields: {},
  mapOf() {
    throw new RangeError('A rollup has no attributes');
  },
  pairs: new Map(),
};

/** Without a filter every trace belongs to the list. */
export const EVERY: Known = { sql: () => '1', row: () => '1', enough: true };

/** A trace in the order of a list. */
export interface Key {
  readonly hash: string;
  readonly figure: string;
  /** When the first and the last of its spans began. */
  readonly first: bigint;
  readonly last: bigint;
  /** 0 in a list without previews, which nobody counts them for. */
  readonly spans: number;
}

/** What is asked of the rollup. */
interface Asked {
  readonly input: Pick<SearchInput<TraceSort>, 'window' | 'filter' | 'sort'> & {
    readonly previews?: boolean;
  };
  /** The whole hours of the window. */
  readonly hours: Window;
  /** Undefined: only the spans know. */
  readonly known: Known | undefined;
  /** Figure and hash of the last one before. */
  readonly after: readonly string[] | undefined;
  readonly limit: number;
}

interface RawKey {
  readonly H: string;
  readonly K: string;
  readonly First: string;
  readonly Last: string;
  readonly Count: number;
}

/** The columns of a {@link RawKey}. */
const KEY_SQL =
  'toString(TraceHash) AS H, toString(Figure) AS K, toString(Early) AS First, toString(Late) AS Last, Count';

/** The next traces in order; of some of them the matching span may lie outside of the window. */
export async function candidates(runner: Runner, context: RequestContext, asked: Asked): Promise<Key[]> {
  const rows =
    (await candidatesByRow(runner, context, asked)) ?? (await candidatesOfAll(runner, context, asked));
  return rows.map(({ H, K, First, Last, Count }) => ({
    hash: H,
    figure: K,
    first: BigInt(First),
    last: BigInt(Last),
    spans: Count,
  }));
}

/** What the statements for candidates have in common. */
function partsOf({ input, known, after }: Asked, params: Params) {
  const { window, sort } = input;
  const descending = sort.startsWith('-');
  const direction = descending ? 'DESC' : 'ASC';
  // In a long window few traces lie in its first and last hour only, and what does is left out afterwards.
  const long = window.to - window.from > LONG;
  const touching = (first: string, last: string): string[] =>
    long
      ? []
      : [`${first} < ${params.bind(window.to, 'Int64')}`, `${last} >= ${params.bind(window.from, 'Int64')}`];
  const told = known === undefined || known === EVERY ? undefined : known;
  return {
    figure: FIGURES[sort.replace('-', '') as keyof typeof FIGURES],
    having: () => {
      const conditions = [
        ...touching('min(FirstNs)', 'max(LastNs)'),
        ...(told === undefined ? [] : [told.sql(params)]),
      ];
      return conditions.length === 0 ? '' : `HAVING ${conditions.join(' AND ')}`;
    },
    rowConditions: () => [
      ...touching('FirstNs', 'LastNs'),
      ...(told === undefined ? [] : [told.row(params)]),
    ],
    beyond: beyond(params, descending, after),
    order: (figure: string) => `ORDER BY ${figure} ${direction}, TraceHash ${direction}`,
    // Each column is unpacked for every trace of the window.
    count: (column: string) => (input.previews === false ? '0' : column),
  };
}

/** Out of the figures of all traces. */
function candidatesOfAll(runner: Runner, context: RequestContext, asked: Asked): Promise<RawKey[]> {
  const scope = Scope.of(context, TRACES).during(asked.hours);
  if (asked.known !== undefined) return joined(runner, scope, asked);
  const { input } = asked;
  const matching = scope.over(SPANS).during(input.window).matching(input.filter);
  return joined(
    runner,
    scope.and(`TraceHash GLOBAL IN (SELECT cityHash64(TraceId) ${matching.from})`),
    asked,
  );
}

/** The first traces of these rows. */
function joined(runner: Runner, scope: Scope, asked: Asked, settings = ''): Promise<RawKey[]> {
  const { figure, having, beyond, order, count } = partsOf(asked, scope.params);
  return runner.run<RawKey>(
    scope,
    `SELECT ${KEY_SQL} FROM (
       SELECT TraceHash, ${figure.all} AS Figure, min(FirstNs) AS Early, max(LastNs) AS Late, ${count('sum(Spans)')} AS Count
       ${scope.from} GROUP BY TraceHash ${having()}
     ) ${beyond} ${order('Figure')} LIMIT ${asked.limit} ${settings}`,
  );
}

/**
 * Where most traces have one row, their first are found by sorting rows, and at the same time what has several rows is
 * joined. Which these are is told by sorting all hashes, a third of what grouping them costs. Undefined where many have
 * several, or too many of the first rows are parts of something.
 */
async function candidatesByRow(
  runner: Runner,
  context: RequestContext,
  asked: Asked,
): Promise<RawKey[] | undefined> {
  if (asked.known === undefined) return undefined;
  const { limit } = asked;
  const enough = limit * ROWS_A_TRACE;
  const [rows, wholes] = await Promise.all([
    rowsInOrder(runner, context, asked, enough),
    tracesOfSeveralRows(runner, context, asked),
  ]);
  if (wholes === undefined) return undefined;
  const isJoined = new Set(wholes.map(({ H }) => H));
  // Of several parts of one trace the first stands, as of one that got another row between the two statements.
  const alone = [...new Map(rows.toReversed().map((row) => [row.H, row])).values()].filter(
    ({ H }) => !isJoined.has(H),
  );
  const descending = asked.input.sort.startsWith('-');
  const order = (a: RawKey, b: RawKey): number => (descending ? compareKeys(b, a) : compareKeys(a, b));
  const found = [...wholes, ...alone].toSorted(order).slice(0, limit);
  const [worst, last] = [found.at(-1), rows.at(-1)];
  // What stands behind the last of the rows was not seen.
  const unseen = rows.length === enough && last !== undefined;
  if (unseen && (found.length < limit || worst === undefined || order(worst, last) > 0)) return undefined;
  // A part has less than the whole: from the top down, as many wholes come before it as are asked for. Not so from the
  // bottom up, and after a page on which the whole stood.
  if (descending && asked.after === undefined) return found;
  const taken = found.filter(({ H }) => !isJoined.has(H));
  return (await haveParts(runner, context, asked, taken)) ? undefined : found;
}

function compareKeys(a: RawKey, b: RawKey): number {
  const [x, y] = a.K === b.K ? [BigInt(a.H), BigInt(b.H)] : [BigInt(a.K), BigInt(b.K)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** The first rows of the rollup, as if each was a trace. */
function rowsInOrder(
  runner: Runner,
  context: RequestContext,
  asked: Asked,
  limit: number,
): Promise<RawKey[]> {
  const open = Scope.of(context, TRACES).during(asked.hours);
  const { figure, rowConditions, beyond, order, count } = partsOf(asked, open.params);
  const scope = open.andAll(rowConditions());
  return runner.run<RawKey>(
    scope,
    `SELECT ${KEY_SQL} FROM (
       SELECT TraceHash, ${figure.row} AS Figure, FirstNs AS Early, LastNs AS Late, ${count('Spans')} AS Count ${scope.from}
     ) ${beyond} ${order('Figure')} LIMIT ${limit}`,
  );
}

/** The first traces of those that have several rows; undefined where there are too many. */
async function tracesOfSeveralRows(
  runner: Runner,
  context: RequestContext,
  asked: Asked,
): Promise<RawKey[] | undefined> {
  const scope = Scope.of(context, TRACES).during(asked.hours);
  // Two levels: the lists are sorted by each core.
  const several = `SELECT arrayJoin(arrayFilter((h, d) -> d = 0, arrayPopFront(Hashes), arrayPopFront(arrayDifference(Hashes))))
    FROM (SELECT arraySort(groupArray(TraceHash)) AS Hashes ${scope.from} GROUP BY toUInt32(TraceHash % 256)
    SETTINGS group_by_two_level_threshold = 1, group_by_two_level_threshold_bytes = 1)`;
  const limit = `SETTINGS max_rows_in_set = ${MOST_OF_SEVERAL_ROWS}, set_overflow_mode = 'throw'`;
  try {
    return await joined(runner, scope.and(`TraceHash GLOBAL IN (${several})`), asked, limit);
  } catch (thrown) {
    if (thrown instanceof StoreError && thrown.engineCode === TOO_MANY) return undefined;
    throw thrown;
  }
}

/** Whether one of them has other rows. */
async function haveParts(
  runner: Runner,
  context: RequestContext,
  { hours }: Asked,
  keys: readonly RawKey[],
): Promise<boolean> {
  if (keys.length === 0) return false;
  const scope = Scope.of(context, TRACES).during(hours);
  const hashes = keys.map(({ H }) => scope.params.bind(H, 'UInt64')).join(', ');
  const found = await runner.run(
    scope,
    `SELECT TraceHash ${scope.and(`TraceHash IN (${hashes})`).from} GROUP BY TraceHash HAVING count() > 1 LIMIT 1`,
  );
  return found.length > 0;
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
