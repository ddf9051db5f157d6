import { askerOf, fail, type RequestContext, type Signal } from '@candela/kernel';
import { floorOf, visibleTo } from '../queries/core/floor.ts';
import { Params } from '../queries/core/params.ts';
import type { QueryLimits } from '../queries/core/run.ts';
import type { Window } from '../queries/core/scope.ts';
import { type ReadStore, type ReadStores, storeOf, tablesOf } from '../queries/core/stores.ts';
import { type GatedSql, gateSql } from './gate.ts';
import { prelude, rowFilters, SQL_TABLES, sqlColumns } from './prelude.ts';
import { explainFailure } from './refusal.ts';
import { Turnstile } from './turnstile.ts';

/** Bounds of a statement that somebody writes. */
export const SQL_LIMITS = {
  /** Rows of an answer, and of one that is downloaded. */
  rows: 1_000,
  downloadRows: 10_000,
  bytes: 4 << 20,
  timeoutMs: 10_000,
  threads: 2,
} as const;

export interface SqlInput {
  readonly query: string;
  readonly window: Window;
  /** Rows at most. */
  readonly limit: number;
}

export interface SqlAnswer {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
  /** There are more rows than these. */
  readonly truncated: boolean;
  readonly stats: { readonly rowsRead: number; readonly bytesRead: number; readonly elapsedMs: number };
  /** The statement as it was run, without the prelude. */
  readonly canonical: string;
}

/** Statements of people over traces and metrics. */
export interface SqlQueries {
  /** Whether it may be run. @throws sql_refused, store_unavailable */
  check(context: RequestContext, query: string, signal?: AbortSignal): Promise<GatedSql>;
  /** @throws sql_refused, query_too_expensive, overloaded, store_unavailable */
  execute(context: RequestContext, input: SqlInput, signal?: AbortSignal): Promise<SqlAnswer>;
}

export function createSqlQueries(stores: ReadStores, limits: QueryLimits): SqlQueries {
  const turnstile = new Turnstile();
  const gateStore = async (context: RequestContext) => tablesOf(await storeOf(stores, context, 'traces'));
  return {
    check: async (context, query, signal) => gateSql(await gateStore(context), query, signal),
    execute: async (context, input, signal) => {
      const gated = await gateSql(await gateStore(context), input.query, signal);
      return turnstile.pass(askerOf(context), signal, () =>
        run(stores, limits, context, input, gated, signal),
      );
    },
  };
}

async function run(
  stores: ReadStores,
  limits: QueryLimits,
  context: RequestContext,
  { window, limit }: SqlInput,
  { canonical, tables }: GatedSql,
  signal: AbortSignal | undefined,
): Promise<SqlAnswer> {
  const { store: asked, signals } = await storeFor(stores, context, tables);
  const store = tablesOf(asked);
  const params = new Params();
  const database = await store.database();
  const visible = await visibleTo({ ...context, window }, () => storeOf(stores, context, 'traces'));
  const input = {
    projectId: context.projectId,
    environment: context.environment,
    window,
    database,
    tables: SQL_TABLES.filter(({ signal: of }) => signals.has(of)),
    floor: (table: string) => (visible === undefined ? undefined : floorOf(table, visible, 't.')),
  };
  const sql = `WITH ${prelude(input, params)} SELECT * FROM (${canonical}) LIMIT ${limit + 1}`;
  try {
    const answer = await store.read(sql, params.values, {
      ...(signal === undefined ? {} : { signal }),
      timeoutMs: Math.min(SQL_LIMITS.timeoutMs, limits.timeoutMs),
      maxRowsToRead: limits.maxRowsToRead,
      // Half of what a query may take, which is half of what the engine has.
      maxMemoryBytes: Math.floor(limits.maxMemoryBytes / 2),
      asker: askerOf(context),
      database: await store.emptyDatabase(),
      settings: { ...SETTINGS, additional_table_filters: rowFilters(input), readonly: '1' },
    });
    const rows = bounded(answer.rows, limit);
    const { rowsRead, bytesRead, elapsedMs } = answer;
    return {
      columns: answer.columns,
      rows,
      truncated: rows.length < answer.rows.length,
      stats: { rowsRead, bytesRead, elapsedMs },
      canonical,
    };
  } catch (thrown) {
    throw explainFailure(
      thrown,
      canonical,
      input.tables.flatMap((table) => [table.name, ...sqlColumns(table).map(({ name }) => name)]),
    );
  }
}

const SETTINGS: Readonly<Record<string, string>> = {
  max_threads: String(SQL_LIMITS.threads),
  // The order of the inner statement is the order of the answer.
  query_plan_remove_redundant_sorting: '0',
  max_query_size: '262144',
  max_ast_depth: '300',
  max_subquery_depth: '20',
  max_columns_to_read: '200',
  max_rows_in_join: '10000000',
  max_bytes_in_join: '268435456',
  max_expanded_ast_elements: '50000',
  timeout_before_checking_execution_speed: '0',
};

/** As many rows as may be, in count and in bytes of their JSON. */
function bounded(rows: SqlAnswer['rows'], limit: number): SqlAnswer['rows'] {
  let bytes = 0;
  const kept: (readonly unknown[])[] = [];
  for (const row of rows) {
    bytes += Buffer.byteLength(JSON.stringify(row));
    if (kept.length === limit || (bytes > SQL_LIMITS.bytes && kept.length > 0)) break;
    kept.push(row);
  }
  return kept;
}

/** The store that has all the tables of a statement. @throws refused where traces and metrics lie apart */
async function storeFor(
  stores: ReadStores,
  context: RequestContext,
  tables: ReadonlySet<string>,
): Promise<{ readonly store: ReadStore; readonly signals: ReadonlySet<Signal> }> {
  const named = new Set(SQL_TABLES.filter(({ name }) => tables.has(name)).map(({ signal }) => signal));
  const [first = 'traces', second] = named;
  const store = await storeOf(stores, context, first);
  if (second === undefined) return { store, signals: new Set([first]) };
  if ((await storeOf(stores, context, second)) !== store) {
    throw fail('refused', {
      detail:
        'Traces and metrics of this environment lie in different databases. Ask each in a statement of its own.',
    });
  }
  return { store, signals: named };
}
