import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Clock, DEFAULT_PROJECT_ID, type Logger, systemClock } from '@candela/kernel';
import { createTelemetryQueries, type TelemetryStore } from '@candela/telemetry-store';
import { type MetadataStore, openMetadataStore } from '@candela/metadata-store';
import type { Config } from './config.ts';
import { createCatalog } from './features/catalog/endpoint.ts';
import { createPlatformScopes } from './features/connectors/platform-scopes.ts';
import type { Feature } from './features/feature.ts';
import { isMediaPath } from './features/media/feature.ts';
import type { Phase } from './features/health/routes.ts';
import { createFeatures, handlersOf } from './features/index.ts';
import { createPeople } from './features/identity/feature.ts';
import { createIdentity, type Identity, isPublic } from './features/identity/service.ts';
import { createOauthFeature } from './features/oauth/feature.ts';
import { createPromptService } from './features/prompts/service.ts';
import { Notifier } from './features/tail/notifier.ts';
import { applyPrices } from './features/pricing/service.ts';
import { RetentionChoices } from './features/retention/service.ts';
import { mcpEndpoint, mcpMetadataPage } from './features/mcp/endpoint.ts';
import { openEnvelope } from '@candela/vault';
import { createVault } from './features/vault/service.ts';
import { createApi } from './http/api.ts';
import type { Handlers } from './http/handlers.ts';
import { createRequestHandler, knownMethod } from './http/request-handler.ts';
import { explain, type Listener, listen } from './http/listen.ts';
import { notHere, otherRole, refuse } from './http/shut.ts';
import { instanceOf } from './instance.ts';
import { SharedAnswers } from './http/shared-answers.ts';
import { StreamGate } from './http/stream-gate.ts';
import { createStaticSite } from './http/static-site.ts';
import { createIngest, type Ingest } from './ingest/index.ts';
import type { IngestLogs } from './ingest/logs.ts';
import { JobRunner } from './jobs/runner.ts';
import { createModelCalls } from './llm/service.ts';
import { type PlatformMetrics, watchStore, watchStreams } from './metrics.ts';
import { openStores, type Stores } from './stores.ts';

const VERSION = '0.1.0';
/** Well below the idle bound of proxies and browsers. */
const HEARTBEAT_MS = 15_000;
/** Of bodies in memory on a machine with 1 GB. */
const SMALL_PENDING_BYTES = 32 * 1024 * 1024;

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
  identity?: Identity;
  features?: readonly Feature[];
  stores?: Stores;
  logs?: IngestLogs;
  jobs?: JobRunner;
  ingest?: Ingest;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

const WEB_DIR = fileURLToPath(new URL('../../web/dist', import.meta.url));

/**
 * Starts everything in order: ports, so that a taken one is said first; store; log with its replay; endpoints. Until then
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
    const open = (port: number, variable: string, endpoint: 'main' | 'otlp') =>
      listen({
        host: config.host,
        port,
        variable,
        stallMs: config.streamStallMs,
        handler: (request, response) => {
          // It needs nothing that is still to be opened.
          const isCatalog = endpoint === 'main' && catalog?.handle(request, response) === true;
          if (!isCatalog) handle[endpoint](request, response);
        },
        ...(endpoint === 'main' ? { sockets: socketsOf(running) } : {}),
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
    const envelope = await openEnvelope({ keys: config.vaultKeys, dataDir, metadata, logger });
    const stores = await openStores({ config, metadata, envelope, logger, clock });
    running.stores = stores;
    const { builtIn: store, reads } = stores;
    const logs = await stores.openLogs();
    running.logs = logs;
    const retention = await RetentionChoices.open({ metadata, defaults: config.retention, logger });
    await applyPrices(metadata, logger);
    let oauth: ReturnType<typeof createOauthFeature> | undefined;
    const tokens = async (token: string) => oauth?.find(token);
    const places = createPlatformScopes({ routes: stores.routes, metadata });
    const identity = createIdentity({ config, metadata, logger, clock, tokens, places });
    const issuer = config.publicUrl ?? main.url;
    const { clientDocuments } = config;
    oauth = createOauthFeature({ metadata, envelope, identity, logger, clock, issuer, clientDocuments });
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
        ...(config.profile === 'small' ? { workers: 1, maxPendingBytes: SMALL_PENDING_BYTES } : {}),
      },
    });
    running.ingest = ingest;
    const limits = {
      timeoutMs: config.queryTimeoutMs,
      maxRowsToRead: config.queryMaxRows,
      maxMemoryBytes: config.queryMaxMemoryBytes,
    };
    const notifier = new Notifier();
    const answers = new SharedAnswers();
    logs.on('group', ({ table }) => {
      notifier.ring(table);
      answers.forget();
    });
    // Another database is asked from now on.
    metadata.changes.on(['signal_bindings', 'connectors'], () => answers.forget());
    watchStore(store, metrics);
    watchStreams(streams, metrics);
    const vault = createVault({ metadata, envelope });
    const jobs = new JobRunner({ metadata, clock, logger });
    running.jobs = jobs;
    const features: readonly Feature[] = createFeatures({
      version: VERSION,
      phase: () => running.phase,
      config,
      instance: instanceOf(dataDir),
      clock,
      logger,
      metrics,
      metadata,
      envelope,
      stores,
      reads,
      limits,
      logs,
      ingest,
      identity,
      people,
      oauth,
      vault,
      models: createModelCalls({ metadata, vault, ingest, clock, logger }),
      prompts: createPromptService(metadata),
      retention,
      jobs,
      handlers: () => handlers,
      notifier,
      answers,
    });
    running.features = features;
    const handlers: Handlers = handlersOf(features);
    const allowedOrigins = [new URL(issuer).origin, ...config.allowedOrigins];
    const { rateLimitPerMinute } = config;
    const front = createRequestHandler({
      api: createApi({
        handlers,
        identity,
        rateLimitPerMinute,
        sdkRateLimitPerMinute: config.sdkRateLimitPerMinute,
        allowedOrigins,
        clock,
        answers,
        streams,
        streamTiming: { heartbeatMs: HEARTBEAT_MS, stallMs: config.streamStallMs },
      }),
      site: createStaticSite(parts.webDir ?? WEB_DIR),
      pages: [...features.flatMap(({ pages = [] }) => pages), mcpMetadataPage(issuer)],
      endpoints: [
        ...features.flatMap(({ endpoints = [] }) => endpoints),
        mcpEndpoint({
          handlers,
          answers,
          identity,
          clock,
          issuer,
          allowedOrigins,
          rateLimitPerMinute,
          version: VERSION,
        }),
      ],
      logger,
      metrics,
    });
    const { role } = config;
    const takes = role === 'all' || role === 'ingest';
    const answersPeople = role === 'all' || role === 'query';
    const grpcPort = takes ? await openGrpc(ingest, config) : undefined;
    const take: (request: IncomingMessage, response: ServerResponse) => boolean = takes
      ? (request, response) => ingest.handle(request, response)
      : (request, response) => otherRole(request, response, role, 'otlp');
    handle.main = (request, response) => {
      if (take(request, response)) return;
      const isAnswered = answersPeople || (takes && isMediaPath(request.url));
      if (isAnswered || !otherRole(request, response, role, 'api')) front(request, response);
    };
    handle.otlp = (request, response) => {
      if (take(request, response)) return;
      if (takes && isMediaPath(request.url)) front(request, response);
      else notHere(request, response);
    };
    await jobs.start(
      features.flatMap((feature) => feature.jobs ?? []),
      role === 'all' || role === 'jobs',
    );
    running.phase = 'ready';
    const { environments } = createTelemetryQueries(reads, limits);
    void learnEnvironments(environments, identity, logger);
    return {
      http: main.url,
      otlpHttp: otlp.url,
      otlpGrpc: grpcPort === undefined ? '' : `${new URL(main.url).hostname}:${grpcPort}`,
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

/** Whoever owns the path of a WebSocket; nobody while the platform starts or stops. */
function socketsOf(running: Running) {
  const all = () =>
    (running.phase === 'ready' ? (running.features ?? []) : []).flatMap(({ sockets = [] }) => sockets);
  const ownerOf = (path: string) => all().find(({ owns }) => owns(path));
  return {
    owns: (path: string) => ownerOf(path) !== undefined,
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
      const owner = ownerOf((request.url ?? '').split('?', 1)[0] ?? '');
      socket.on('error', () => socket.destroy());
      if (owner === undefined) socket.destroy();
      else void owner.upgrade(request, socket, head).catch(() => socket.destroy());
    },
  };
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
  for (const { sockets = [] } of running.features ?? []) for (const socket of sockets) socket.close();
  const deadline = performance.now() + config.shutdownGraceMs;
  const left = () => Math.max(0, deadline - performance.now());
  // The ports stay open while requests under way finish: whoever asks meanwhile is told that we are stopping.
  const steps: [string, () => Promise<unknown> | undefined][] = [
    ['ingest', () => running.ingest?.drain()],
    ['connections', () => Promise.all(listeners.map((listener) => listener.close(left() * 0.6)))],
    ['jobs', () => running.jobs?.stop()],
    ['features', () => stopFeatures(running.features ?? [], logger)],
    ['log', () => running.logs?.close()],
    ['store', () => running.stores?.close()],
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

/** One that fails keeps no other from being stopped. */
async function stopFeatures(features: readonly Feature[], logger: Logger): Promise<void> {
  const stopping = features.map(async ({ name, stop: end }) => {
    try {
      await end?.();
    } catch (error) {
      logger.error({ feature: name, err: error }, 'stopping a feature failed');
    }
  });
  await Promise.all(stopping);
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
