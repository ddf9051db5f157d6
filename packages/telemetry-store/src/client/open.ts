import { EngineSupervisor } from '../engine-host/supervisor.ts';
import { migrate, type MigrateOptions } from '../migrations/migrate.ts';
import type { Connection } from './connect.ts';
import { inspect } from './inspect.ts';
import { Outbox } from './outbox.ts';
import { ClickHouseStore } from './store.ts';
import type {
  EmbeddedEngine,
  EmbeddedOptions,
  Inspection,
  TelemetryStore,
  TelemetryStoreOptions,
  UrlOptions,
} from './types.ts';

export type * from './types.ts';

/** The first database of the embedded engine. */
export const EMBEDDED_DATABASE = 'candela';

/** Starts the embedded engine. @throws DirectoryLockedError, or with what the engine said */
export async function startEmbeddedEngine(options: Omit<EmbeddedOptions, 'kind'>): Promise<EmbeddedEngine> {
  const supervisor = new EngineSupervisor(options);
  await supervisor.start();
  const { socketPath } = supervisor;
  const engine = { supervisor, outbox: new Outbox(supervisor.outboxDir) };
  const connection = (database: string): Connection => ({ url: 'http://engine', database, socketPath });
  return {
    socketPath,
    open: (database) =>
      migrated(new ClickHouseStore(connection(database), engine), {
        database,
        storage: 'embedded',
        logger: options.logger,
      }),
    inspect: (database) => inspect(connection(database), 'embedded'),
    close: () => supervisor.close(),
  };
}

/**
 * Opens the telemetry store: starts the embedded engine or connects to a ClickHouse, and brings the schema up to
 * date. Rejects with a sentence for a person when the directory is in use, the server is away, or the schema is newer
 * than this program.
 */
export async function openTelemetryStore(options: TelemetryStoreOptions): Promise<TelemetryStore> {
  if (options.kind === 'url') {
    return migrated(new ClickHouseStore(options, undefined), { ...options, storage: 'server' });
  }
  const engine = await startEmbeddedEngine(options);
  try {
    const store = await engine.open(EMBEDDED_DATABASE);
    return closingToo(store, engine);
  } catch (thrown) {
    await engine.close();
    throw thrown;
  }
}

/** Whether a ClickHouse can be reached, can do what is needed and has the schema; changes nothing. */
export const inspectServer = (options: UrlOptions): Promise<Inspection> => inspect(options, 'server');

/** The store that is alone in its engine ends it. */
function closingToo(store: TelemetryStore, engine: EmbeddedEngine): TelemetryStore {
  const closeStore = store.close.bind(store);
  return Object.assign(store, {
    close: async () => {
      await closeStore();
      await engine.close();
    },
  });
}

async function migrated(store: ClickHouseStore, options: MigrateOptions): Promise<TelemetryStore> {
  try {
    await migrate(store.admin(), options);
    await store.learnVersion();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}
