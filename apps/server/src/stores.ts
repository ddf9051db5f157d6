import { join } from 'node:path';
import { type Clock, DEFAULT_DATABASE_CONFIG_ID, type Logger } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import {
  EMBEDDED_DATABASE,
  type EmbeddedEngine,
  type GroupSink,
  inspectServer,
  openTelemetryStore,
  SMALL_CAPS,
  startEmbeddedEngine,
  type ReadStore,
  type StoreRoutes,
  tablesOf,
  type TelemetryStore,
  type TelemetryStoreOptions,
} from '@candela/telemetry-store';
import type { Config } from './config.ts';
import { StorePool } from './features/connectors/pool.ts';
import type { BuiltIn } from './features/connectors/service.ts';
import { SignalRoutes } from './features/connectors/signal-routes.ts';
import type { Envelope } from '@candela/vault';
import { IngestLogs } from './ingest/logs.ts';
import { storeOptions } from './store-options.ts';

export interface StoresParts {
  readonly config: Config;
  readonly metadata: MetadataStore;
  readonly envelope: Envelope;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Everything telemetry is kept in. */
export interface Stores {
  /** The one of the installation. */
  readonly builtIn: TelemetryStore;
  /** What people are told of it. */
  readonly facts: BuiltIn;
  readonly routes: SignalRoutes;
  readonly pool: StorePool;
  /** Where reads find what they may see. */
  readonly reads: StoreRoutes;
  /** Opens the write-ahead logs with their replay. */
  openLogs(): Promise<IngestLogs>;
  close(): Promise<void>;
}

/** Opens the built-in store; all others open when they are first used. @throws with a sentence for a person */
export async function openStores(parts: StoresParts): Promise<Stores> {
  const { config, metadata, envelope, logger, clock } = parts;
  const { alone } = metadata;
  const options = { ...storeOptions(config, logger), alone };
  let started: Promise<EmbeddedEngine> | undefined;
  const engine = (): Promise<EmbeddedEngine> => {
    const { attributeColumns, textIndex } = config;
    const dataDir = join(config.dataDir, 'telemetry');
    const caps = config.profile === 'small' ? { caps: SMALL_CAPS } : {};
    started ??= startEmbeddedEngine({ dataDir, attributeColumns, textIndex, logger, alone, ...caps });
    started.catch(() => {
      started = undefined;
    });
    return started;
  };
  const closeEngine = async (): Promise<void> => {
    const running = await started?.catch(() => undefined);
    await running?.close();
  };
  let builtIn: TelemetryStore;
  try {
    builtIn =
      options.kind === 'embedded'
        ? await (await engine()).open(EMBEDDED_DATABASE)
        : await openTelemetryStore(options);
  } catch (thrown) {
    await closeEngine();
    throw thrown;
  }
  const routes = new SignalRoutes(metadata);
  const pool = new StorePool({
    builtIn,
    engine,
    attributeColumns: config.attributeColumns,
    textIndex: config.textIndex,
    metadata,
    envelope,
    logger,
    clock,
  });
  return {
    builtIn,
    facts: factsOf(options, engine),
    routes,
    pool,
    reads: readsOf(routes, pool, builtIn),
    openLogs: () =>
      IngestLogs.open({
        dir: join(config.dataDir, 'ingest-log'),
        othersDir: join(config.dataDir, 'ingest-logs'),
        sinkOf: (id) => (id === DEFAULT_DATABASE_CONFIG_ID ? builtIn : sinkOf(pool, id)),
        clock,
        logger,
        capBytes: config.logCapBytes,
        minFreeDiskPercent: config.minFreeDiskPercent,
      }),
    async close() {
      await pool.close();
      await builtIn.close();
      await closeEngine();
    },
  };
}

function factsOf(options: TelemetryStoreOptions, engine: () => Promise<EmbeddedEngine>): BuiltIn {
  if (options.kind === 'embedded') {
    return {
      kind: 'embedded',
      url: null,
      username: null,
      database: EMBEDDED_DATABASE,
      hasPassword: false,
      inspect: async () => (await engine()).inspect(EMBEDDED_DATABASE),
    };
  }
  const { url, username, database, password } = options;
  return {
    kind: 'clickhouse',
    url,
    username,
    database,
    hasPassword: password !== '',
    inspect: () => inspectServer(options),
  };
}

/** Every statement goes to the store of its own tenant and signal, or fails. */
function readsOf(routes: SignalRoutes, pool: StorePool, builtIn: TelemetryStore): StoreRoutes {
  // One reader a configuration: whoever reads two signals asks whether they are the same.
  const readers = new Map<string, ReadStore>();
  const readerOf = (id: string, projectId: string): ReadStore => {
    if (id === DEFAULT_DATABASE_CONFIG_ID) return builtIn;
    const key = JSON.stringify([id, projectId]);
    const known = readers.get(key);
    if (known !== undefined) return known;
    const use = <T>(work: (store: TelemetryStore) => Promise<T>) => pool.use(id, projectId, work);
    const reader: ReadStore = {
      select: (sql, params, options) => use((store) => store.select(sql, params, options)),
      tables: {
        database: () => use((store) => tablesOf(store).database()),
        read: (sql, params, options) => use((store) => tablesOf(store).read(sql, params, options)),
        emptyDatabase: () => use((store) => tablesOf(store).emptyDatabase()),
      },
    };
    readers.set(key, reader);
    return reader;
  };
  return {
    storeOf: async ({ projectId, environment }, signal) =>
      readerOf((await routes.of(projectId)).resolve(environment, signal), projectId),
    storesOf: async (projectId) =>
      [...(await routes.of(projectId)).all()].map((id) => readerOf(id, projectId)),
  };
}

/** What the log of a configuration carries goes to that configuration, opened as soon as there is something. */
function sinkOf(pool: StorePool, id: string): GroupSink {
  return {
    insertNative: (table, blocks, token) =>
      pool.use(id, undefined, (store) => store.insertNative(table, blocks, token)),
    health: () => pool.healthNow(id),
  };
}
