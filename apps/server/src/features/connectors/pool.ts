import { CandelaError, type Clock, DEFAULT_DATABASE_CONFIG_ID, fail, type Logger } from '@candela/kernel';
import type { MetadataStore, StoredConnector } from '@candela/metadata-store';
import {
  type EmbeddedEngine,
  type Inspection,
  inspectServer,
  MigrationError,
  openTelemetryStore,
  type StoreHealth,
  type TelemetryStore,
} from '@candela/telemetry-store';
import type { Envelope } from '@candela/vault';
import { urlOptions } from './secrets.ts';

export interface PoolParts {
  /** The store of the installation; open as long as the process runs, and somebody else's to close. */
  readonly builtIn: TelemetryStore;
  /** Started when it is first needed. */
  readonly engine: () => Promise<EmbeddedEngine>;
  /** Columns that each of its stores may get for attributes. */
  readonly attributeColumns: number;
  /** Whether words are indexed in each of its stores. */
  readonly textIndex: boolean;
  readonly metadata: Pick<MetadataStore, 'connectors' | 'changes' | 'alone'>;
  readonly envelope: Envelope;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Time without use after which a store is closed, milliseconds. */
  readonly idleMs?: number;
}

/** How long somebody waits for a store to open; it goes on opening without them. */
const OPEN_WAIT_MS = 10_000;
/** Who wants its tables made or changed waits for that. */
export const MIGRATION_WAIT_MS = 120_000;
/** A store that could not be opened is not tried again before. */
const RETRY_MS = 2_000;
const IDLE_MS = 300_000;
const SWEEP_MS = 30_000;

interface Entry {
  readonly connector: StoredConnector;
  readonly opening: Promise<TelemetryStore>;
  store: TelemetryStore | undefined;
  failedAt: number | undefined;
  busy: number;
  usedAt: number;
  retired: boolean;
}

/**
 * The stores of connectors, opened when they are first used and closed when they were not for a while. Which one is
 * asked is decided by the id alone; there is no other to fall back to.
 */
export class StorePool {
  readonly #parts: PoolParts;
  readonly #idleMs: number;
  readonly #entries = new Map<string, Promise<Entry>>();
  /** The same once their connectors were read. */
  readonly #known = new Map<string, Entry>();
  readonly #timer: NodeJS.Timeout;
  #closed = false;

  constructor(parts: PoolParts) {
    this.#parts = parts;
    this.#idleMs = parts.idleMs ?? IDLE_MS;
    // What is under way ends with what it began with; what comes next finds the connector as it is.
    parts.metadata.changes.on(['connectors'], () => {
      for (const [id, held] of this.#entries) void this.#recheck(id, held);
    });
    this.#timer = setInterval(() => void this.#sweep(), Math.min(SWEEP_MS, this.#idleMs));
    this.#timer.unref();
  }

  /** Stores that are open besides the built-in one. */
  get open(): number {
    return this.#entries.size;
  }

  /**
   * Runs the work with the store of a connector. @throws connector_unavailable when it was deleted, is not the
   * project's to use, or cannot be opened
   */
  async use<T>(
    id: string,
    projectId: string | undefined,
    work: (store: TelemetryStore) => Promise<T>,
    waitMs = OPEN_WAIT_MS,
  ): Promise<T> {
    if (id === DEFAULT_DATABASE_CONFIG_ID) return work(this.#parts.builtIn);
    const entry = await this.#entry(id);
    const { projectId: owner } = entry.connector;
    if (projectId !== undefined && owner !== null && owner !== projectId) {
      throw fail('connector_unavailable', {
        detail: `The connector ${JSON.stringify(entry.connector.name)} belongs to another project. An administrator binds another one.`,
      });
    }
    entry.busy += 1;
    try {
      return await work(await this.#opened(entry, waitMs));
    } finally {
      entry.busy -= 1;
      entry.usedAt = this.#parts.clock.now();
      if (entry.retired && entry.busy === 0) void this.#shut(entry);
    }
  }

  /** State of a store as far as it is known without asking it. */
  healthNow(id: string): StoreHealth {
    if (id === DEFAULT_DATABASE_CONFIG_ID) return this.#parts.builtIn.health();
    return this.#known.get(id)?.store?.health() ?? { state: 'down', restarts: 0, version: '' };
  }

  /** Looks at the database of a connector as it is now; changes nothing. @throws not_found, secret_unreadable */
  async inspect(connector: StoredConnector): Promise<Inspection> {
    if (connector.kind === 'embedded') return (await this.#parts.engine()).inspect(connector.database);
    return inspectServer(urlOptions(connector, this.#parts.envelope, this.#parts.logger));
  }

  /** Lets go of a connector's store; the next use opens it anew. */
  async forget(id: string): Promise<void> {
    const held = this.#entries.get(id);
    this.#entries.delete(id);
    const entry = await held?.catch(() => undefined);
    if (entry === undefined) return;
    if (this.#known.get(id) === entry) this.#known.delete(id);
    entry.retired = true;
    if (entry.busy === 0) await this.#shut(entry);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await Promise.all([...this.#entries.keys()].map((id) => this.forget(id)));
  }

  #entry(id: string): Promise<Entry> {
    if (this.#closed) throw fail('shutting_down');
    const held = this.#entries.get(id);
    if (held !== undefined) return held;
    const made = this.#make(id);
    this.#entries.set(id, made);
    made.catch(() => {
      if (this.#entries.get(id) === made) this.#entries.delete(id);
    });
    return made;
  }

  async #make(id: string): Promise<Entry> {
    const { metadata, clock } = this.#parts;
    const connector = await metadata.connectors.find(id);
    if (connector === undefined) {
      throw fail('connector_unavailable', {
        detail:
          'The database that this is bound to was deleted. An administrator binds another one under Settings, Connectors & routing.',
      });
    }
    const opening = this.#openStore(connector);
    const entry: Entry = {
      connector,
      opening,
      store: undefined,
      failedAt: undefined,
      busy: 0,
      usedAt: clock.now(),
      retired: false,
    };
    this.#known.set(id, entry);
    opening.then(
      (store) => {
        entry.store = store;
      },
      (thrown: unknown) => {
        entry.failedAt = clock.now();
        this.#parts.logger.warn(
          { connector: id, err: thrown },
          'the database of a connector cannot be opened',
        );
      },
    );
    return entry;
  }

  async #openStore(connector: StoredConnector): Promise<TelemetryStore> {
    const { envelope, logger, engine, attributeColumns, textIndex, metadata } = this.#parts;
    if (connector.kind === 'embedded') return (await engine()).open(connector.database);
    const { alone } = metadata;
    return openTelemetryStore({
      ...urlOptions(connector, envelope, logger),
      attributeColumns,
      textIndex,
      alone,
    });
  }

  async #opened(entry: Entry, waitMs: number): Promise<TelemetryStore> {
    if (entry.store !== undefined) return entry.store;
    const { id, name } = entry.connector;
    if (entry.failedAt !== undefined && this.#parts.clock.now() - entry.failedAt >= RETRY_MS) {
      // Whoever comes next finds a new one.
      void this.forget(id);
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(unavailable(name, 'It did not answer in time.')), waitMs);
    });
    try {
      return await Promise.race([entry.opening, late]);
    } catch (thrown) {
      throw thrown instanceof CandelaError && thrown.code === 'connector_unavailable'
        ? thrown
        : unavailable(name, reasonOf(thrown), thrown);
    } finally {
      clearTimeout(timer);
    }
  }

  async #recheck(id: string, held: Promise<Entry>): Promise<void> {
    const entry = await held.catch(() => undefined);
    if (entry === undefined) return;
    // Where that cannot be known now, opening it anew is the safe side.
    const now = await this.#parts.metadata.connectors.find(id).catch(() => undefined);
    if (now?.version !== entry.connector.version && this.#entries.get(id) === held) await this.forget(id);
  }

  async #shut(entry: Entry): Promise<void> {
    try {
      await (await entry.opening).close();
    } catch (thrown) {
      // One that never opened has nothing to close.
      if (entry.store === undefined) return;
      this.#parts.logger.warn({ connector: entry.connector.id, err: thrown }, 'closing a store failed');
    }
  }

  async #sweep(): Promise<void> {
    const now = this.#parts.clock.now();
    for (const [id, held] of this.#entries) {
      const entry = await held.catch(() => undefined);
      if (entry === undefined || entry.busy > 0 || now - entry.usedAt < this.#idleMs) continue;
      await this.forget(id);
    }
  }
}

function unavailable(name: string, reason: string, cause?: unknown): CandelaError {
  const detail = `The database of the connector ${JSON.stringify(name)} cannot be used. ${reason} Nothing was read or kept elsewhere.`;
  return fail('connector_unavailable', { detail }, { retryAfterSeconds: 5, cause });
}

/** Words that may leave: what the server itself answered may not. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof MigrationError) return thrown.message;
  if (thrown instanceof CandelaError && thrown.code === 'secret_unreadable') return thrown.message;
  return 'It cannot be reached, or refuses; an administrator checks it under Settings, Connectors & routing.';
}
