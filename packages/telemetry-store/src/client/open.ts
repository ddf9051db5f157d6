import type { Logger } from '@candela/kernel';
import { COLUMN_TUNING } from '../attribute-columns/tuning.ts';
import { EngineSupervisor } from '../engine-host/supervisor.ts';
import { migrate } from '../migrations/migrate.ts';
import type { MigrationTarget } from '../migrations/template.ts';
import type { Connection } from './connect.ts';
import { FailedWrites } from './failed-writes.ts';
import { inspect } from './inspect.ts';
import { Outbox } from './outbox.ts';
import { ClickHouseStore, type EngineParts } from './store.ts';
import type {
  ColumnOptions,
  EmbeddedEngine,
  EmbeddedOptions,
  Inspection,
  SharedOptions,
  TelemetryStore,
  TelemetryStoreOptions,
  TextIndexOptions,
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
  const connection = (database: string): Connection => ({ url: 'http://engine', database, socketPath });
  const failedWrites = new FailedWrites({
    connection: connection('default'),
    dir: options.dataDir,
    engine: supervisor,
    logger: options.logger,
  });
  const engine = { supervisor, outbox: new Outbox(supervisor.outboxDir), failedWrites };
  return {
    socketPath,
    open: (database) =>
      migrated({ ...options, connection: connection(database), engine, storage: 'embedded' }),
    inspect: (database) => inspect(connection(database), 'embedded'),
    close: async () => {
      await failedWrites.close();
      await supervisor.close();
    },
  };
}

/**
 * Opens the telemetry store: starts the embedded engine or connects to a ClickHouse, and brings the schema up to
 * date. Rejects with a sentence for a person when the directory is in use, the server is away, or the schema is newer
 * than this program.
 */
export async function openTelemetryStore(options: TelemetryStoreOptions): Promise<TelemetryStore> {
  if (options.kind === 'url') {
    return migrated({ ...options, connection: options, engine: undefined, storage: 'server' });
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

interface Opening extends ColumnOptions, TextIndexOptions, SharedOptions {
  readonly connection: Connection;
  readonly engine: EngineParts | undefined;
  readonly storage: MigrationTarget['storage'];
  readonly cluster?: string;
  readonly logger: Logger;
}

async function migrated(opening: Opening): Promise<TelemetryStore> {
  const { connection, cluster, storage, attributeColumns = COLUMN_TUNING.pool, textIndex = false } = opening;
  const { database } = connection;
  const store = new ClickHouseStore({
    ...opening,
    target: { database, cluster, storage },
    attributeColumns,
    textIndex,
  });
  try {
    await migrate(store.admin(), { ...opening, database, where: connection.socketPath ?? connection.url });
    await store.learnVersion();
    await store.lookForDamage();
    store.opened();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}
