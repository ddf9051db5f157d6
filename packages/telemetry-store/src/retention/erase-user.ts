import type { TelemetryStore } from '../client/types.ts';
import { ROLLUPS } from '../rollups/index.ts';
import { insertInto, type Rollup, selectOf } from '../rollups/rollup.ts';
import { TABLES } from '../schema/tables.ts';
import { deletionsOf, rowsOf } from './deletions.ts';

export interface EraseInput {
  readonly projectId: string;
  /** Undefined: every environment. */
  readonly environment: string | undefined;
  readonly userId: string;
  /** Counts only. */
  readonly dryRun: boolean;
  /** Name of the cluster that the tables are on; undefined: one server. */
  readonly cluster?: string | undefined;
  readonly abort?: AbortSignal;
}

export interface ErasedTable {
  readonly table: string;
  readonly before: number;
  readonly after: number;
}

export interface Erased {
  readonly tables: readonly ErasedTable[];
  readonly traces: number;
  readonly sessions: number;
  /** Traces of which other spans stay: what is summed up of them is made again, without this user. */
  readonly sharedTraces: number;
}

/** Ids of one statement; each is rewritten into every part that holds one of them. */
const IDS_AT_ONCE = 5_000;
/** Traces or sessions of one user: more are held in memory by nobody. */
export const MOST_ERASED_IDS = 500_000;
const TIMEOUT_MS = 120_000;
/** Attributes that name a person on points of metrics; spans and logs have a column for it. */
const METRIC_USER_KEYS = ['user.id', 'enduser.id'];

interface Erasable {
  readonly name: string;
  readonly has: ReadonlySet<string>;
}

/** Tables that may hold something of a person. Those of counts alone name nobody. */
const erasable = (): Erasable[] =>
  [...TABLES, ...ROLLUPS]
    .map(({ name, columns }) => ({ name, has: new Set(columns.map((column) => column.name)) }))
    .filter(({ has }) => ['UserId', 'TraceId', 'Attributes'].some((column) => has.has(column)));

type Reads = Pick<TelemetryStore, 'select'>;
type Store = Pick<TelemetryStore, 'select' | 'command'>;

/**
 * Deletes what a project holds of a user: rows that name them, and rows of their traces and sessions that name nobody. Ids are
 * found by the rows that name the user: these go last, so that a run that was cut off finds them again. Returns what each
 * table held before and holds after. @throws RangeError for more than {@link MOST_ERASED_IDS} traces or sessions
 */
export async function eraseUser(store: Store, input: EraseInput): Promise<Erased> {
  const traces = await idsOf(store, input, 'TraceId');
  const sessions = await idsOf(store, input, 'SessionId');
  const touched = await touchedOf(store, input, traces);
  const staying = new Set(await stayingOf(store, input, touched));
  const gone = touched.filter((id) => !staying.has(id));
  const all = erasable().map((table) => ({
    table: table.name,
    named: namedIn(table),
    nameless: namelessIn(table, table.has.has('UserId') ? traces : gone, sessions),
  }));
  const tables: { table: string; before: number; after: number }[] = [];
  for (const { table, named, nameless } of all) {
    const before = await countOf(store, input, table, [...named, ...nameless]);
    tables.push({ table, before, after: before });
  }
  const held = new Set(tables.filter(({ before }) => before > 0).map(({ table }) => table));
  if (!input.dryRun) {
    const there = all.filter(({ table }) => held.has(table));
    const spans = there.filter(({ table }) => table === 'otel_traces');
    for (const { table, nameless } of there) {
      if (table !== 'otel_traces') await deleteFrom(store, input, table, nameless);
    }
    for (const rollup of ROLLUPS) {
      if (sumsTraces(rollup)) await sumAgain(store, input, rollup, [...staying]);
    }
    for (const { table, nameless } of spans) await deleteFrom(store, input, table, nameless);
    for (const { table, named } of there) await deleteFrom(store, input, table, named);
    for (const [index, { table, named, nameless }] of all.entries()) {
      const counted = tables[index];
      if (counted !== undefined && held.has(table)) {
        counted.after = await countOf(store, input, table, [...named, ...nameless]);
      }
    }
  }
  return {
    tables: tables.filter(({ table }) => held.has(table)),
    traces: traces.length,
    sessions: sessions.length,
    sharedTraces: staying.size,
  };
}

/** A span, or with no span a trace as a whole. */
export interface SpanOfTrace {
  readonly traceId: string;
  readonly spanId: string;
}

/** Ids of the traces that {@link eraseUser} takes spans of. @throws RangeError as it does */
export async function tracesOfUser(store: Reads, input: EraseInput): Promise<string[]> {
  return touchedOf(store, input, await idsOf(store, input, 'TraceId'));
}

/** Those of these spans and traces that {@link eraseUser} leaves; to be asked before it. */
export async function stayingSpans<One extends SpanOfTrace>(
  store: Reads,
  input: EraseInput,
  spans: readonly One[],
): Promise<One[]> {
  const staying: One[] = [];
  for (const some of inLots(spans)) {
    const rows = await store.select<{ T: string; S: string }>(
      `SELECT DISTINCT TraceId AS T, if(SpanId IN {spans:Array(String)}, SpanId, '') AS S FROM otel_traces
       WHERE ${ofTenant(input)} AND TraceId IN {ids:Array(String)} AND ${stays(input)}`,
      {
        ...tenantOf(input),
        ids: [...new Set(some.map(({ traceId }) => traceId))],
        spans: [...new Set(some.map(({ spanId }) => spanId))],
      },
      { timeoutMs: TIMEOUT_MS },
    );
    const traces = new Set(rows.map(({ T }) => T));
    const found = new Set(rows.map(({ T, S }) => `${T}/${S}`));
    for (const one of some) {
      const { traceId, spanId } = one;
      if (spanId === '' ? traces.has(traceId) : found.has(`${traceId}/${spanId}`)) staying.push(one);
    }
  }
  return staying;
}

interface Condition {
  readonly sql: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const ofTenant = ({ environment }: EraseInput): string =>
  `ProjectId = {project:String}${environment === undefined ? '' : ' AND Environment = {environment:String}'}`;
const tenantOf = ({ projectId, environment, userId }: EraseInput): Record<string, unknown> => ({
  project: projectId,
  user: userId,
  ...(environment === undefined ? {} : { environment }),
});

/** Rows of a table that name the user. */
function namedIn({ has }: Erasable): Condition[] {
  const conditions: Condition[] = [];
  if (has.has('UserId')) conditions.push({ sql: 'UserId = {user:String}', params: {} });
  if (has.has('Attributes')) {
    const sql = METRIC_USER_KEYS.map((key) => `Attributes['${key}'] = {user:String}`).join(' OR ');
    conditions.push({ sql, params: {} });
  }
  return conditions;
}

/** Rows of these traces and sessions that name nobody. */
function namelessIn({ has }: Erasable, traces: readonly string[], sessions: readonly string[]): Condition[] {
  const conditions: Condition[] = [];
  const nobody = has.has('UserId') ? "UserId = '' AND " : '';
  for (const [column, ids] of [
    ['TraceId', traces],
    ['SessionId', sessions],
  ] as const) {
    if (!has.has(column)) continue;
    for (const some of inLots(ids)) {
      conditions.push({ sql: `${nobody}${column} IN {ids:Array(String)}`, params: { ids: some } });
    }
  }
  return conditions;
}

function* inLots<One>(all: readonly One[]): Generator<readonly One[]> {
  for (let from = 0; from < all.length; from += IDS_AT_ONCE) yield all.slice(from, from + IDS_AT_ONCE);
}

async function deleteFrom(
  store: Store,
  input: EraseInput,
  table: string,
  conditions: readonly Condition[],
): Promise<void> {
  for (const { sql, params } of conditions) {
    input.abort?.throwIfAborted();
    await store.command(
      `ALTER TABLE ${rowsOf(table, input.cluster)} DELETE WHERE ${ofTenant(input)} AND (${sql}) SETTINGS mutations_sync = 0`,
      { ...tenantOf(input), ...params },
    );
    await deletionsOf(store, table, input.abort, input.cluster);
  }
}

async function countOf(
  store: Reads,
  input: EraseInput,
  table: string,
  conditions: readonly Condition[],
): Promise<number> {
  let count = 0;
  for (const { sql, params } of conditions) {
    const [row] = await store.select<{ N: number | string }>(
      `SELECT count() AS N FROM ${table} WHERE ${ofTenant(input)} AND (${sql})`,
      { ...tenantOf(input), ...params },
      { timeoutMs: TIMEOUT_MS },
    );
    count += Number(row?.N ?? 0);
  }
  return count;
}

/** Ids of a column in the records that name the user, for a SELECT to look in. */
const namedIds = (input: EraseInput, column: 'TraceId' | 'SessionId'): string =>
  ['otel_traces', 'otel_logs']
    .map(
      (table) =>
        `SELECT ${column} FROM ${table} WHERE ${ofTenant(input)} AND UserId = {user:String} AND ${column} != ''`,
    )
    .join(' UNION ALL ');

/** The user's traces, and those of spans in their sessions that name nobody. */
async function touchedOf(store: Reads, input: EraseInput, traces: readonly string[]): Promise<string[]> {
  const rows = await store.select<{ Id: string }>(
    `SELECT DISTINCT TraceId AS Id FROM otel_traces
     WHERE ${ofTenant(input)} AND UserId = '' AND SessionId != '' AND SessionId GLOBAL IN (${namedIds(input, 'SessionId')})
     LIMIT ${MOST_ERASED_IDS + 1}`,
    tenantOf(input),
    { timeoutMs: TIMEOUT_MS },
  );
  return bounded(new Set([...traces, ...rows.map(({ Id }) => Id)]));
}

/** A span that the deletion leaves. */
const stays = (input: EraseInput): string =>
  `(UserId NOT IN ('', {user:String}) OR (UserId = '' AND TraceId GLOBAL NOT IN (${namedIds(input, 'TraceId')})
     AND SessionId GLOBAL NOT IN (${namedIds(input, 'SessionId')})))`;

/** Those of the traces of which spans stay. */
async function stayingOf(store: Reads, input: EraseInput, traces: readonly string[]): Promise<string[]> {
  const staying: string[] = [];
  for (const ids of inLots(traces)) {
    const rows = await store.select<{ Id: string }>(
      `SELECT DISTINCT TraceId AS Id FROM otel_traces
       WHERE ${ofTenant(input)} AND TraceId IN {ids:Array(String)} AND ${stays(input)}`,
      { ...tenantOf(input), ids },
      { timeoutMs: TIMEOUT_MS },
    );
    staying.push(...rows.map(({ Id }) => Id));
  }
  return staying;
}

/** A rollup whose rows are sums over all users of a trace. */
const sumsTraces = ({ columns, sources }: Rollup): boolean =>
  Object.hasOwn(sources, 'otel_traces') &&
  columns.some(({ name }) => name === 'TraceId') &&
  !columns.some(({ name }) => name === 'UserId');

/** Takes the sums of traces away and makes them of the spans that stay. */
async function sumAgain(
  store: Store,
  input: EraseInput,
  rollup: Rollup,
  traces: readonly string[],
): Promise<void> {
  const those = `TraceId IN {ids:Array(String)}`;
  for (const ids of inLots(traces)) {
    await deleteFrom(store, input, rollup.name, [{ sql: those, params: { ids } }]);
    const staying = `(SELECT * FROM otel_traces WHERE ${ofTenant(input)} AND ${those} AND ${stays(input)})`;
    // The same rows may have been there before: not a repeat that the engine may pass over.
    await store.command(
      `${insertInto(rollup)} SETTINGS insert_deduplicate = 0 ${selectOf(rollup, 'otel_traces', staying)}`,
      { ...tenantOf(input), ids },
      { timeoutMs: TIMEOUT_MS },
    );
  }
}

async function idsOf(store: Reads, input: EraseInput, column: 'TraceId' | 'SessionId'): Promise<string[]> {
  const found = new Set<string>();
  for (const { name, has } of erasable()) {
    if (!has.has('UserId') || !has.has(column)) continue;
    const rows = await store.select<{ Id: string }>(
      `SELECT DISTINCT ${column} AS Id FROM ${name}
       WHERE ${ofTenant(input)} AND UserId = {user:String} AND ${column} != '' LIMIT ${MOST_ERASED_IDS + 1}`,
      tenantOf(input),
      { timeoutMs: TIMEOUT_MS },
    );
    for (const { Id } of rows) found.add(Id);
    bounded(found);
  }
  return bounded(found);
}

function bounded(ids: ReadonlySet<string>): string[] {
  if (ids.size <= MOST_ERASED_IDS) return [...ids].sort();
  throw new RangeError(`The user has more than ${MOST_ERASED_IDS} traces or sessions.`);
}
