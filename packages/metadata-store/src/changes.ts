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
import type { MetadataDialect, Watcher, Written, WrittenTo } from './dialects/dialect.ts';
import type { StorageScope } from './repositories/storage-scope.ts';
import type { Tables } from './tables/index.ts';

/** Tells caches that what they hold may have changed. */
export interface MetadataChanges {
  /**
   * Calls back after rows of one of these tables were written: at once for this process's own changes, within a second
   * for those of another replica or program. It may also be called when nothing changed. It is told the places that
   * everything written belongs to, where these are known. Returns what stops it.
   */
  on(tables: readonly (keyof Tables)[], listener: (places: WrittenTo['places']) => void): () => void;
}

/** Tables that nothing is cached of: written often, or only added to. */
const UNWATCHED: ReadonlySet<string> = new Set([
  'idempotency',
  'audit_log',
  'oauth_entries',
  'job_states',
  'job_runs',
  'work_items',
  'llm_usage',
  'chats',
  'chat_messages',
  'chat_approvals',
  'chat_analyses',
  'judge_documents',
  'judge_items',
]);

interface Listener {
  readonly tables: ReadonlySet<string>;
  readonly call: (places: WrittenTo['places']) => void;
}

/** The listeners of one open store; other processes are watched from the first listener on. */
export class ChangeBoard implements MetadataChanges {
  readonly #watch: (onWritten: (written: Written) => void) => Watcher;
  readonly #listeners = new Set<Listener>();
  #watcher: Watcher | undefined;

  constructor(watch: (onWritten: (written: Written) => void) => Watcher) {
    this.#watch = watch;
  }

  on(tables: readonly (keyof Tables)[], listener: Listener['call']): () => void {
    this.#watcher ??= this.#watch((written) => this.tell(written));
    const entry = { tables: new Set<string>(tables), call: listener };
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  tell(written: Written): void {
    for (const { tables, call } of this.#listeners) {
      if (written === 'everything') call('everywhere');
      else if (written.tables.some((table) => tables.has(table))) call(written.places);
    }
  }

  async stop(): Promise<void> {
    this.#listeners.clear();
    await this.#watcher?.stop();
  }
}

/** Collects what the statements of one transaction write, and where. */
export class Writes {
  readonly #tables = new Set<string>();
  readonly #places = new Map<string, StorageScope>();
  #everywhere = false;

  /** Notes what is written with it, as belonging to that place; without one it may belong anywhere. */
  noting(place: StorageScope | undefined): KyselyPlugin {
    return new Noting((table) => {
      this.#tables.add(table);
      if (place === undefined) this.#everywhere = true;
      else this.#places.set(JSON.stringify([place.projectId, place.databaseConfigId]), place);
    });
  }

  /** Undefined: nothing. */
  get written(): WrittenTo | undefined {
    if (this.#tables.size === 0) return undefined;
    const places = this.#everywhere ? 'everywhere' : [...this.#places.values()];
    return { tables: [...this.#tables], places };
  }
}

class Noting implements KyselyPlugin {
  readonly #note: (table: string) => void;

  constructor(note: (table: string) => void) {
    this.#note = note;
  }

  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    const table = writtenBy(node);
    if (table !== undefined) this.#note(table);
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

/** The database with what announces at once what is written outside of changes, of one place or anywhere. */
export function announcing(
  database: Kysely<Tables>,
  dialect: MetadataDialect,
  board: ChangeBoard,
): (place: StorageScope | undefined) => Kysely<Tables> {
  return (place) =>
    database.withPlugin(
      new AnnounceAtOnce(async (table) => {
        const written: WrittenTo = { tables: [table], places: place === undefined ? 'everywhere' : [place] };
        // Heard here whatever becomes of the announcement: the row is written.
        board.tell(written);
        await dialect.announce(database as unknown as Kysely<never>, written);
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
