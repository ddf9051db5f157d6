import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { type Clock, DEFAULT_PROJECT_ID, type Logger, systemClock } from '@candela/kernel';
import {
  createActivityQueries,
  createAgentQueries,
  createExceptionQueries,
  createHostQueries,
  createLogQueries,
  createMetricQueries,
  createCompareQueries,
  createDurationQueries,
  createExportQueries,
  createFieldQueries,
  createTailQueries,
  createTelemetryQueries,
  type TelemetryStore,
} from '@candela/telemetry-store';
import { type MetadataStore, openMetadataStore } from '@candela/metadata-store';
import type { Config } from './config.ts';
import { activityHandlers } from './features/activity/routes.ts';
import { agentHandlers } from './features/agents/routes.ts';
import { keepAuditLog } from './features/audit/retention.ts';
import { auditHandlers } from './features/audit/routes.ts';
import { createCatalog } from './features/catalog/door.ts';
import { compareHandlers } from './features/compare/routes.ts';
import { createPlatformPlaces } from './features/connectors/platform-places.ts';
import { connectorHandlers } from './features/connectors/routes.ts';
import { contextHandlers } from './features/contexts/routes.ts';
import { durationHandlers } from './features/durations/routes.ts';
import { exportHandlers } from './features/export/routes.ts';
import { fieldHandlers } from './features/fields/routes.ts';
import { healthHandlers, type Phase } from './features/health/routes.ts';
import { ingestHealthHandlers } from './features/ingest-health/routes.ts';
import { hostHandlers } from './features/hosts/routes.ts';
import { createPeople } from './features/identity/feature.ts';
import { createIdentity, type Identity, isPublic } from './features/identity/service.ts';
import { exceptionHandlers } from './features/exceptions/routes.ts';
import { logHandlers } from './features/logs/routes.ts';
import { metricHandlers } from './features/metric-explorer/routes.ts';
import { modelHandlers } from './features/models/routes.ts';
import { metricsPage } from './features/metrics/page.ts';
import { createOauthFeature } from './features/oauth/feature.ts';
import { openApiPages } from './features/openapi/pages.ts';
import { Bell } from './features/tail/bell.ts';
import { createPrompts, type PromptFeature } from './features/prompts/feature.ts';
import type { RetentionKeeper } from './features/retention/enforce.ts';
import { retentionHandlers } from './features/retention/routes.ts';
import { RetentionChoices } from './features/retention/service.ts';
import { createRuleFeature } from './features/rules/feature.ts';
import { tailHandlers } from './features/tail/routes.ts';
import { telemetryHandlers } from './features/telemetry/routes.ts';
import { openEnvelope } from '@candela/vault';
import { vaultHandlers } from './features/vault/routes.ts';
import { createVault } from './features/vault/service.ts';
import { viewHandlers } from './features/views/routes.ts';
import { createApi } from './http/api.ts';
import { createFront, knownMethod } from './http/front.ts';
import { explain, type Listener, listen } from './http/listen.ts';
import { notHere, refuse } from './http/shut.ts';
import { StreamGate } from './http/stream-gate.ts';
import { createStaticSite } from './http/static-site.ts';
import { createIngest, type Ingest } from './ingest/index.ts';
import type { IngestLogs } from './ingest/logs.ts';
import { type PlatformMetrics, watchStore, watchStreams } from './metrics.ts';
import { keeperOf, openStores, type Stores } from './stores.ts';

const VERSION = '0.1.0';
/** Well below the idle bound of proxies and browsers. */
const HEARTBEAT_MS = 15_000;

export interface PlatformParts {
  readonly logger: Logger;
  readonly metrics: PlatformMetrics;
  readonly clock?: Clock;
  /** Built web UI; default: that of this checkout. */
  readonly webDir?: string;
}

export interface Platform {
  /** Base addresses as bound; gRPC as `host:port`. */
  readonly http: string;
  readonly otlpHttp: string;
  readonly otlpGrpc: string;
  readonly store: TelemetryStore;
  readonly identity: Identity;
  /** Link that makes the first owner; undefined: somebody owns this installation. */
  readonly setupUrl: string | undefined;
  /**
   * Readiness turns 503, no more connections, what is under way is answered, the log is carried over, everything is
   * closed. Resolves with true when all of it happened within the grace time.
   */
  stop(): Promise<boolean>;
}

/** What is open so far. */
interface Running {
  phase: Phase;
  readonly streams: StreamGate;
  metadata?: MetadataStore;
  stopPruning?: () => void;
  identity?: Identity;
  prompts?: PromptFeature;
  stores?: Stores;
  logs?: IngestLogs;
  keeper?: RetentionKeeper;
  ingest?: Ingest;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

const WEB_DIR = fileURLToPath(new URL('../../web/dist', import.meta.url));

/**
 * Starts everything in order: ports, so that a taken one is said first; store; log with its replay; doors. Until then
 * every request is told to come back. @throws with a sentence for a person, everything closed again
 */
export async function startPlatform(config: Config, parts: PlatformParts): Promise<Platform> {
  const { logger, metrics } = parts;
  const clock = parts.clock ?? systemClock;
  const streams = new StreamGate({ total: config.maxStreams, perClient: config.maxStreamsPerClient });
  const running: Running = { phase: 'starting', streams };
  const handle: { main: Handle; otlp: Handle } = { main: refuse, otlp: refuse };
  const listeners: Listener[] = [];
  let catalog: ReturnType<typeof createCatalog> | undefined;
  try {
    const open = (port: number, variable: string, door: 'main' | 'otlp') =>
      listen({
        host: config.host,
        port,
        variable,
        stallMs: config.streamStallMs,
        handler: (request, response) => {
          // It needs nothing that is still to be opened.
          const isCatalog = door === 'main' && catalog?.handle(request, response) === true;
          if (!isCatalog) handle[door](request, response);
        },
      });
    const main = await open(config.port, 'PLATFORM_PORT', 'main');
    listeners.push(main);
    catalog = createCatalog({
      base: config.publicUrl ?? main.url,
      onAnswer: (operation, method, status) =>
        metrics.observeRequest(operation, knownMethod(method), status, 0),
    });
    const otlp = await open(config.otlpHttpPort, 'PLATFORM_OTLP_HTTP_PORT', 'otlp');
    listeners.push(otlp);

    const { dataDir, databaseUrl } = config;
    const metadata = await openMetadataStore({ dataDir, databaseUrl, logger, clock });
    running.metadata = metadata;
    running.stopPruning = keepAuditLog(metadata, { days: config.auditRetentionDays, clock, logger });
    const envelope = await openEnvelope({ keys: config.vaultKeys, dataDir, metadata, logger });
    const stores = await openStores({ config, metadata, envelope, logger, clock });
    running.stores = stores;
    const { builtIn: store, reads } = stores;
    const logs = await stores.openLogs();
    running.logs = logs;
    const retention = await RetentionChoices.open({ metadata, defaults: config.retention, logger });
    const keeper = keeperOf(config, stores, { choices: retention, clock, logger });
    if (keeper !== undefined) running.keeper = keeper;
    let oauth: ReturnType<typeof createOauthFeature> | undefined;
    const tokens = async (token: string) => oauth?.find(token);
    const places = createPlatformPlaces({ routes: stores.routes, metadata });
    const identity = createIdentity({ config, metadata, logger, clock, tokens, places });
    const issuer = config.publicUrl ?? main.url;
    oauth = createOauthFeature({ metadata, envelope, identity, logger, clock, issuer });
    running.identity = identity;
    const people = createPeople({
      config: { ...config.people, publicUrl: config.publicUrl },
      metadata,
      identity,
      sealer: envelope,
      address: main.url,
      clock,
      logger,
    });
    const prompts = createPrompts({ metadata, clock, logger });
    running.prompts = prompts;
    const setupUrl = await people.begin();
    if (isPublic(config) && config.bootstrapApiKey === undefined && setupUrl !== undefined) {
      logger.warn(
        {},
        'every request needs an API key and nobody can make one yet: open the setup link, or set PLATFORM_BOOTSTRAP_API_KEY',
      );
    }
    const ingest = createIngest({
      logs,
      routes: stores.routes,
      chosenDays: (projectId, signal) => retention.chosen(projectId, signal),
      identity,
      logger,
      metrics: metrics.registry,
      config: {
        maxBytes: config.otlpMaxBytes,
        retention: config.retention,
        drainMs: Math.floor(config.shutdownGraceMs / 2),
      },
    });
    running.ingest = ingest;
    const limits = {
      timeoutMs: config.queryTimeoutMs,
      maxRowsToRead: config.queryMaxRows,
      maxMemoryBytes: config.queryMaxMemoryBytes,
    };
    const queries = createTelemetryQueries(reads, limits);
    const vault = createVault({ metadata, envelope });
    const bell = new Bell();
    logs.on('group', ({ table }) => bell.ring(table));
    watchStore(store, metrics);
    watchStreams(streams, metrics);
    const front = createFront({
      api: createApi({
        handlers: {
          ...healthHandlers({
            version: VERSION,
            phase: () => running.phase,
            store: () => store.health(),
            log: () => logs,
          }),
          ...ingestHealthHandlers({
            ingest,
            log: logs,
            store: () => store.health(),
            minFreeDiskPercent: config.minFreeDiskPercent,
            clock,
          }),
          ...telemetryHandlers(queries, clock),
          ...exceptionHandlers(createExceptionQueries(reads, limits), clock),
          ...hostHandlers(createHostQueries(reads, limits), clock),
          ...logHandlers(createLogQueries(reads, limits), clock),
          ...metricHandlers(createMetricQueries(reads, limits), clock),
          ...activityHandlers(createActivityQueries(reads, limits), clock),
          ...agentHandlers(createAgentQueries(reads, limits), clock),
          ...viewHandlers(metadata),
          ...prompts.handlers,
          ...vaultHandlers(vault, envelope),
          ...modelHandlers({ metadata, vault, prompts: prompts.service, ingest, clock, logger }),
          ...createRuleFeature({ logger, metrics, metadata, prompts: prompts.service, clock, reads, limits }),
          ...contextHandlers(metadata),
          ...connectorHandlers({ metadata, envelope, pool: stores.pool, logs, builtIn: stores.facts, clock }),
          ...retentionHandlers(metadata, retention, () => keeper?.wake()),
          ...people.handlers,
          ...oauth.handlers,
          ...auditHandlers(metadata, clock),
          ...fieldHandlers(createFieldQueries(reads, limits), clock),
          ...durationHandlers(createDurationQueries(reads, limits), clock),
          ...compareHandlers(createCompareQueries(reads, limits), clock),
          ...exportHandlers({
            queries: createExportQueries(reads, limits),
            clock,
            maxRows: config.exportMaxRows,
          }),
          ...tailHandlers({
            queries: createTailQueries(reads, limits),
            bell,
            clock,
            rowsPerSecond: config.tailRowsPerSecond,
            maxViews: config.maxStreams,
          }),
        },
        identity,
        rateLimitPerMinute: config.rateLimitPerMinute,
        sdkRateLimitPerMinute: config.sdkRateLimitPerMinute,
        allowedOrigins: [new URL(issuer).origin, ...config.allowedOrigins],
        clock,
        streams,
        streamTiming: { heartbeatMs: HEARTBEAT_MS, stallMs: config.streamStallMs },
      }),
      site: createStaticSite(parts.webDir ?? WEB_DIR),
      pages: [...openApiPages(), metricsPage(metrics.registry, identity)],
      doors: [oauth.door],
      logger,
      metrics,
    });
    const grpcPort = await openGrpc(ingest, config);
    handle.main = (request, response) => {
      if (!ingest.handle(request, response)) front(request, response);
    };
    handle.otlp = (request, response) => {
      if (!ingest.handle(request, response)) notHere(request, response);
    };
    running.phase = 'ready';
    void learnEnvironments(queries.environments, identity, logger);
    return {
      http: main.url,
      otlpHttp: otlp.url,
      otlpGrpc: `${new URL(main.url).hostname}:${grpcPort}`,
      store,
      identity,
      setupUrl,
      stop: () => stop(running, listeners, config, logger),
    };
  } catch (error) {
    await stop(running, listeners, config, logger);
    throw error;
  }
}

async function openGrpc(ingest: Ingest, config: Config): Promise<number> {
  try {
    return await ingest.startGrpc(config.host, config.otlpGrpcPort);
  } catch (error) {
    const taken = error instanceof Error && /EADDRINUSE|address already in use/i.test(error.message);
    if (!taken) throw error;
    const cause: NodeJS.ErrnoException = Object.assign(new Error('in use'), { code: 'EADDRINUSE' });
    throw explain(cause, {
      host: config.host,
      port: config.otlpGrpcPort,
      variable: 'PLATFORM_OTLP_GRPC_PORT',
    });
  }
}

async function stop(
  running: Running,
  listeners: readonly Listener[],
  config: Config,
  logger: Logger,
): Promise<boolean> {
  running.phase = 'stopping';
  // They would never end by themselves.
  running.streams.close();
  running.stopPruning?.();
  const deadline = performance.now() + config.shutdownGraceMs;
  const left = () => Math.max(0, deadline - performance.now());
  // The ports stay open while requests under way finish: whoever asks meanwhile is told that we are stopping.
  const steps: [string, () => Promise<unknown> | undefined][] = [
    ['ingest', () => running.ingest?.drain()],
    ['connections', () => Promise.all(listeners.map((listener) => listener.close(left() * 0.6)))],
    ['retention', () => running.keeper?.stop()],
    ['log', () => running.logs?.close()],
    ['store', () => running.stores?.close()],
    ['prompts', () => running.prompts?.stop()],
    ['identity', () => running.identity?.settle()],
    ['metadata', () => running.metadata?.close()],
  ];
  let complete = true;
  for (const [name, step] of steps) {
    try {
      const done = Promise.resolve(step()).then(() => true);
      if (!(await within(done, left()))) {
        complete = false;
        logger.error({ step: name }, 'stopping took longer than the grace time');
      }
    } catch (error) {
      complete = false;
      logger.error({ step: name, err: error }, 'stopping failed');
    }
  }
  return complete;
}

async function within(done: Promise<boolean>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Environments of records that are older than the list of them; the others are on it. */
async function learnEnvironments(
  environments: (projectId: string) => Promise<string[]>,
  identity: Identity,
  logger: Logger,
): Promise<void> {
  try {
    identity.learnEnvironments(DEFAULT_PROJECT_ID, await environments(DEFAULT_PROJECT_ID));
  } catch (error) {
    logger.warn(
      { err: error },
      'the environments of records from before could not be read; those that send again are known again',
    );
  }
}
