import { uptime } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  collectorExportFailures,
  collectorProfileRequests,
  collectorSourceErrors,
} from '@candela/semconv/metrics';
import { NAME, TELEMETRY, VERSION } from './about.ts';
import { COALESCE_MS, Collection } from './collection.ts';
import type { Config } from './config.ts';
import type { ControlFeatures, Offers } from './control/contract.ts';
import { startFeatures, stopFeatures } from './control/features.ts';
import type { PushReader } from './export/push-reader.ts';
import type { Starts } from './export/resource-metrics.ts';
import { readText } from './files.ts';
import { GpuRegister } from './gpu/register.ts';
import type { Listening } from './http/listen.ts';
import { Identity } from './identity/index.ts';
import { clusterAccess } from './kubernetes/api-server.ts';
import type { Log, LogFields } from './log.ts';
import { SOURCES } from './registry.ts';
import { withoutSecrets } from './settings/parse.ts';
import { type Workloads, workloadsOf } from './workload/index.ts';

/** How soon the first export follows the first readings: time enough for what is a share to be one. */
const FIRST_EXPORT_MS = 1_000;
/** What the last export may take when the agent is told to stop. */
const FLUSH_MS = 5_000;

/** Sources and identity, started: what every way of running the agent begins with. */
export interface Core {
  readonly collection: Collection;
  readonly identity: Identity;
  readonly workloads: Workloads;
  readonly starts: Starts;
  stop(): Promise<void>;
}

/** @throws Fault as a source found one */
export async function startCore(config: Config, log: Log, offers: Offers = {}): Promise<Core> {
  const { kubernetes, paths } = config;
  const identity = new Identity({
    explicit: config.resourceAttributes,
    serviceName: config.serviceName,
    cloudDetect: config.cloudDetect,
    kubernetes: {
      ...kubernetes,
      access: clusterAccess(kubernetes),
    },
    paths,
    log,
    telemetry: TELEMETRY,
  });
  identity.start();
  const workloads = workloadsOf(config, paths, log);
  workloads.start();
  const monotonic = () => performance.now() / 1_000;
  const collection = await Collection.start(SOURCES, {
    config,
    paths,
    log,
    monotonic,
    workload: workloads,
    gpus: new GpuRegister(),
    offers,
  });
  return {
    collection,
    identity,
    workloads,
    starts: { bootMs: bootTime(config), processMs: Math.round(Date.now() - process.uptime() * 1_000) },
    async stop() {
      identity.stop();
      workloads.stop();
      await collection.stop();
    },
  };
}

/** When the machine started, in milliseconds since the epoch: as its kernel says, so that it is the same every time. */
function bootTime({ paths }: Config): number {
  const seconds = /^btime (\d{1,12})$/m.exec(readText(join(paths.proc, 'stat'), 16_777_216) ?? '')?.[1];
  return seconds === undefined ? Math.round(Date.now() - uptime() * 1_000) : Number(seconds) * 1_000;
}

/** The running agent. */
export interface Agent {
  /** What it does, for the line of its log that says that it runs. */
  readonly facts: LogFields;
  /** Settles with what went wrong for good; never while all is well. */
  readonly failed: Promise<unknown>;
  /** Counts an error that nobody caught. */
  countUncaught(): void;
  /** Sends a last tick and stops; true when that tick was taken care of within its time. */
  stop(): Promise<boolean>;
}

/** Starts everything that the configuration asks for. @throws Fault */
export async function startAgent(config: Config, log: Log): Promise<Agent> {
  const offers: Offers = {};
  const [core, features, otlp] = await Promise.all([
    startCore(config, log, offers),
    startFeatures(config, log, offers),
    loadOtlp(config, log),
  ]);
  const { collection, identity, workloads, starts } = core;
  const control = await startControl(config, collection, features, log);
  const prometheus = await startPrometheus(config, core, log);
  const reader = otlp?.({
    producerOptions: {
      collect: (maxAgeMs) => collection.collect(maxAgeMs),
      maxAgeMs: Math.min(COALESCE_MS, config.otlp.intervalMs / 2),
      resource: () => identity.attributes(),
      starts,
      temporality: config.otlp.temporality,
      version: VERSION,
    },
    onFailure: () => collection.count(collectorExportFailures, {}),
    firstMs: FIRST_EXPORT_MS,
  });
  // Shares are taken since the collection before: without this one the first that is sent would measure the start of the
  // agent itself. It never rejects.
  void collection.collect();
  // Both settle soon; an API server that hangs holds up the names of pods and not the export.
  const named = Promise.race([workloads.settled, delay(FIRST_EXPORT_MS, undefined, { ref: false })]);
  let stopping = false;
  void Promise.all([identity.settled, named]).then(() => {
    if (!stopping) reader?.begin();
  });
  // With nothing to export and nobody to answer, the agent still runs until it is stopped.
  const alive = setInterval(() => undefined, 86_400_000);

  return {
    facts: {
      version: VERSION,
      mode: config.mode,
      otlp: config.otlp.endpoint === undefined ? 'off' : withoutSecrets(config.otlp.endpoint),
      control: control?.url ?? 'off',
      prometheus: prometheus?.url ?? 'off',
      sources: collection.reports().filter(({ state }) => state.state === 'ready').length,
    },
    failed: collection.lateFault,
    countUncaught: () =>
      collection.count(collectorSourceErrors, {
        'platform.collector.source': 'agent',
        'error.type': 'uncaught',
      }),
    async stop() {
      stopping = true;
      clearInterval(alive);
      await Promise.all([control?.close(), prometheus?.close()]);
      const flushed = await flush(reader, log);
      await Promise.all([core.stop(), stopFeatures(features)]);
      return flushed;
    },
  };
}

async function flush(reader: PushReader | undefined, log: Log): Promise<boolean> {
  try {
    await reader?.shutdown({ timeoutMillis: FLUSH_MS });
    return true;
  } catch {
    log.warn('the last values were not delivered in time', { milliseconds: FLUSH_MS });
    return false;
  }
}

type MakeReader = (options: {
  readonly producerOptions: ConstructorParameters<
    typeof import('./export/resource-metrics.ts').TickProducer
  >[0];
  readonly onFailure: () => void;
  readonly firstMs: number;
}) => PushReader;

/** Loads what an export needs, if there is one. @throws Fault */
async function loadOtlp({ otlp }: Config, log: Log): Promise<MakeReader | undefined> {
  if (otlp.endpoint === undefined) {
    log.warn('OTEL_EXPORTER_OTLP_ENDPOINT is not set: nothing is exported');
    return undefined;
  }
  const { createOtlpExport } = await import('./export/otlp.ts');
  const [{ PushReader: Reader }, { TickProducer }, { exporter, name }] = await Promise.all([
    import('./export/push-reader.ts'),
    import('./export/resource-metrics.ts'),
    createOtlpExport(otlp, otlp.endpoint, { userAgent: `${NAME}/${VERSION}`, log }),
  ]);
  return ({ producerOptions, onFailure, firstMs }) =>
    new Reader({
      producer: new TickProducer(producerOptions),
      exporter,
      name,
      intervalMs: otlp.intervalMs,
      firstMs,
      timeoutMs: otlp.tickTimeoutMs,
      log,
      onFailure,
    });
}

async function startControl(
  { control }: Config,
  collection: Collection,
  features: ControlFeatures,
  log: Log,
): Promise<Listening | undefined> {
  const { address } = control;
  if (address === undefined) return undefined;
  const { serveControl } = await import('./control/server.ts');
  const countProfile = (type: string, result: string) =>
    collection.count(collectorProfileRequests, { 'profile.type': type, result });
  return serveControl({ ...control, address }, { version: VERSION, features, countProfile }, log);
}

async function startPrometheus(config: Config, core: Core, log: Log): Promise<Listening | undefined> {
  if (config.prometheusAddress === undefined) return undefined;
  const { servePrometheus } = await import('./export/prometheus.ts');
  return servePrometheus(config.prometheusAddress, {
    collect: () => core.collection.collect(),
    resource: () => core.identity.attributes(),
    log,
  });
}
