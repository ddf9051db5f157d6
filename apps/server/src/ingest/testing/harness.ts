import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, type Logger, silentLogger, systemClock } from '@candela/kernel';
import { openMetadataStore } from '@candela/metadata-store';
import { type IngestLogOptions, openTelemetryStore, type TelemetryStore } from '@candela/telemetry-store';
import { newStoreIn } from '@candela/telemetry-store/testing';
import { Registry } from 'prom-client';
import { createIdentity, type Identity } from '../../features/identity/service.ts';
import {
  createIngest,
  HTTP_SERVER_OPTIONS,
  hardenHttpServer,
  type Ingest,
  type IngestConfig,
} from '../index.ts';
import { ProjectRoutes } from '../../features/connectors/signal-routes.ts';
import { IngestLogs } from '../logs.ts';
import type { Retention } from '../retention.ts';

const KEPT: Retention = { days: 30, projects: new Map() };

export const API_KEY = 'pk_test0001_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG';

export interface Receivers {
  readonly port: number;
  readonly grpcPort: number;
  readonly store: TelemetryStore;
  readonly log: IngestLogs;
  readonly ingest: Ingest;
  readonly identity: Identity;
  readonly registry: Registry;
  readonly server: Server;
  readonly dir: string;
  /** Waits for the log to empty, then reads. */
  rows<T>(sql: string, params?: Record<string, unknown>): Promise<T[]>;
  close(): Promise<void>;
}

export interface ReceiversOptions {
  readonly ingest?: Partial<IngestConfig>;
  readonly log?: Partial<IngestLogOptions>;
  readonly logger?: Logger;
  readonly anonymous?: boolean;
  readonly wrongKeysPerMinute?: number;
  readonly clock?: Clock;
  /** Stands between the log and the engine. */
  readonly wrapStore?: (store: TelemetryStore) => IngestLogOptions['store'];
}

/** The OTLP receivers on real sockets before a real engine, in this process. */
export async function openReceivers(options: ReceiversOptions = {}): Promise<Receivers> {
  const dir = await mkdtemp(join(tmpdir(), 'candela-receivers-'));
  const logger = options.logger ?? silentLogger;
  const dataDir = newStoreIn(join(dir, 'telemetry'));
  const store = await openTelemetryStore({ kind: 'embedded', dataDir, logger });
  const log = await IngestLogs.open({
    dir: join(dir, 'wal'),
    othersDir: join(dir, 'wal-of-others'),
    sinkOf: () => options.wrapStore?.(store) ?? store,
    logger,
    capBytes: 512 * 1024 * 1024,
    minFreeDiskPercent: 0,
    clock: options.clock ?? systemClock,
    log: { lingerMs: 20, ...options.log },
  });
  const metadata = await openMetadataStore({ dataDir: dir, logger });
  const identity = createIdentity({
    config: {
      bootstrapApiKey: API_KEY,
      ingestAnonymous: options.anonymous ?? true,
      host: '127.0.0.1',
      wrongKeysPerMinute: options.wrongKeysPerMinute ?? 60,
      publicUrl: undefined,
      sessionIdleMs: 1,
      sessionLifetimeMs: 1,
    },
    metadata,
    logger,
  });
  const registry = new Registry();
  const ingest = createIngest({
    logs: log,
    routes: { of: async (projectId) => new ProjectRoutes(projectId, []) },
    chosenDays: () => undefined,
    identity,
    logger,
    metrics: registry,
    clock: options.clock ?? systemClock,
    config: {
      maxBytes: 16 * 1024 * 1024,
      retention: { traces: KEPT, logs: KEPT, metrics: KEPT },
      workers: 1,
      ...options.ingest,
    },
  });
  const server = createServer(HTTP_SERVER_OPTIONS, (request, response) => {
    if (!ingest.handle(request, response)) response.writeHead(404).end();
  });
  hardenHttpServer(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const grpcPort = await ingest.startGrpc('127.0.0.1', 0);
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    grpcPort,
    store,
    log,
    ingest,
    identity,
    registry,
    server,
    dir,
    async rows<T>(sql: string, params: Record<string, unknown> = {}) {
      if (!(await log.flush(20_000))) throw new Error('the log did not empty within 20 s');
      return store.select<T>(sql, params);
    },
    async close() {
      await ingest.drain();
      server.closeAllConnections();
      server.close();
      await log.close();
      await identity.settle();
      await metadata.close();
      await store.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
