import {
  AliasNode,
  DeleteQueryNode,
  InsertQueryNode,
  type Kysely,
  type KyselyPlugin,
  type OperationNode,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryResult,
  type RootOperationNode,
  TableNode,
  type UnknownRow,
  UpdateQueryNode,
} from 'kysely';
import type { MetadataDialect, Watcher, Written } from './dialects/dialect.ts';
import type { Tables } from './tables/index.ts';

/** Tells caches that what they hold may have changed. */
export interface MetadataChanges {
  /**
   * Calls back after rows of one of these tables were written: at once for this process's own changes, within a second
   * for those of another replica or program. It may also be called when nothing changed. Returns what stops it.
   */
  on(tables: readonly (keyof Tables)[], listener: () => void): () => void;
}

/** Tables that nothing is cached of: written often, or only added to. */
const UNWATCHED: ReadonlySet<string> = new Set(['idempotency', 'audit_log', 'oauth_entries']);

/** The listeners of one open store; other processes are watched from the first listener on. */
export class ChangeBoard implements MetadataChanges {
  readonly #watch: (onWritten: (written: Written) => void) => Watcher;
  readonly #listeners = new Set<{ readonly tables: ReadonlySet<string>; readonly call: () => void }>();
  #watcher: Watcher | undefined;

  constructor(watch: (onWritten: (written: Written) => void) => Watcher) {
    this.#watch = watch;
  }

  on(tables: readonly (keyof Tables)[], listener: () => void): () => void {
    this.#watcher ??= this.#watch((written) => this.tell(written));
    const entry = { tables: new Set<string>(tables), call: listener };
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  tell(written: Written): void {
    for (const { tables, call } of this.#listeners) {
      if (written === 'everything' || written.some((table) => tables.has(table))) call();
    }
  }

  async stop(): Promise<void> {
    this.#listeners.clear();
    await this.#watcher?.stop();
  }
}

/** Collects the tables that the statements of one transaction write. */
export class WrittenTables implements KyselyPlugin {
  readonly #written = new Set<string>();

  get tables(): readonly string[] {
    return [...this.#written];
  }

  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    const table = writtenBy(node);
    if (table !== undefined) this.#written.add(table);
    return node;
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return result;
  }
}

/** Announces statements that are a transaction of their own, as soon as they are done. */
class AnnounceAtOnce implements KyselyPlugin {
  readonly #pending = new WeakMap<object, string>();
  readonly #announce: (table: string) => Promise<void>;

  constructor(announce: (table: string) => Promise<void>) {
    this.#announce = announce;
  }

  transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
    const table = writtenBy(node);
    if (table !== undefined) this.#pending.set(queryId, table);
    return node;
  }

  async transformResult({ result, queryId }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    const table = this.#pending.get(queryId);
    if (table !== undefined) await this.#announce(table);
    return result;
  }
}

/** Announces at once what is written outside of changes. */
export function announcing(
  database: Kysely<Tables>,
  dialect: MetadataDialect,
  board: ChangeBoard,
): Kysely<Tables> {
  return database.withPlugin(
    new AnnounceAtOnce(async (table) => {
      // Heard here whatever becomes of the announcement: the row is written.
      board.tell([table]);
      await dialect.announce(database as unknown as Kysely<never>, [table]);
    }),
  );
}

function writtenBy(node: RootOperationNode): string | undefined {
  const table = tableOf(node);
  return table === undefined || UNWATCHED.has(table) ? undefined : table;
}

function tableOf(node: RootOperationNode): string | undefined {
  if (InsertQueryNode.is(node)) return nameOf(node.into);
  if (UpdateQueryNode.is(node)) return nameOf(node.table);
  if (DeleteQueryNode.is(node)) return nameOf(node.from.froms[0]);
  return undefined;
}

function nameOf(node: OperationNode | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (AliasNode.is(node)) return nameOf(node.node);
  return TableNode.is(node) ? node.table.identifier.name : undefined;
}
