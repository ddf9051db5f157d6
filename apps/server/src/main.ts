import { flushCompileCache } from 'node:module';
import { MetadataStoreError } from '@candela/metadata-store';
import { DirectoryLockedError, MigrationError } from '@candela/telemetry-store';
import { CandelaError } from '@candela/kernel';
import { type Config, ConfigError, readConfig, unknownVariables } from './config.ts';
import { DataDirError, prepareDataDir } from './data-dir.ts';
import { VaultKeyError } from '@candela/vault';
import { PortTakenError } from './http/listen.ts';
import { LocalCollector } from './local-collector.ts';
import { removeEndpoints, writeEndpoints } from './endpoints-file.ts';
import { createLogger } from './log.ts';
import { collectWhenIdle } from './idle-memory.ts';
import { createMetrics } from './metrics.ts';
import { type Platform, startPlatform } from './platform.ts';

const json = process.argv.includes('--json');
/** Whether this runs from the package of `npm run release -- --platform`, whose files are JavaScript. */
const PACKED = import.meta.filename.endsWith('.js');

// An option that is passed over would start something else than was asked for.
const unknown = process.argv.slice(2).find((word) => word !== '--json');
if (unknown !== undefined) {
  process.stderr.write(
    `There is no option ${JSON.stringify(unknown)}: --json is the only one. Settings are variables, such as PLATFORM_PORT=3001 and PLATFORM_DATA_DIR=/path; docs/configuration.md names all.\n`,
  );
  process.exit(2);
}

function configuration(): Config {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`Candela cannot start with this configuration:\n${error.message}\n`);
    process.exit(2);
  }
}

// Who reads them may end before we do: a terminal, a pipe, a shipper of logs. That is no reason to fail, and telling
// it to the same place would be the next failure, and so for ever.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const config = configuration();
const logger = createLogger({ level: config.logLevel, format: config.logFormat });
const metrics = createMetrics();

for (const name of unknownVariables()) {
  logger.warn({ variable: name }, 'this variable is not known and has no effect');
}
process.on('unhandledRejection', (error) => {
  metrics.countUnexpected('unhandledRejection');
  logger.error({ err: error }, 'an error was not handled');
});
process.on('uncaughtException', (error) => {
  metrics.countUnexpected('uncaughtException');
  logger.error({ err: error }, 'an error was not caught');
});

const NO_ANSWER = /^(ECONN|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPROTO)/;

function errorCode(error: NodeJS.ErrnoException): string {
  return error.code ?? '';
}

/** What a person can act on is said in a sentence; anything else comes with its stack. */
function explainFailure(error: unknown): string {
  const known =
    error instanceof PortTakenError ||
    error instanceof DataDirError ||
    error instanceof DirectoryLockedError ||
    error instanceof MigrationError ||
    error instanceof MetadataStoreError ||
    error instanceof VaultKeyError ||
    error instanceof CandelaError;
  if (known) return error.message;
  // A failed system call names no file of ours when it is the connection to the store that failed.
  if (config.clickhouseUrl !== undefined && error instanceof Error && NO_ANSWER.test(errorCode(error))) {
    return `The ClickHouse server of PLATFORM_CLICKHOUSE_URL does not answer (${error.message}). Start it, or correct the address; without the variable the embedded engine is used.`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function announce(platform: Platform): void {
  const { http, otlpHttp, otlpGrpc } = platform;
  if (json) {
    const line = {
      event: 'ready',
      http,
      otlpHttp,
      otlpGrpc,
      pid: process.pid,
      dataDir: config.dataDir,
      setupUrl: platform.setupUrl ?? null,
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
    return;
  }
  const key =
    config.bootstrapApiKey === undefined
      ? ''
      : '\n  export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20<your PLATFORM_BOOTSTRAP_API_KEY>"';
  const setup =
    platform.setupUrl === undefined
      ? ''
      : `\n  Nobody owns this installation yet. This link makes you its owner; it works once:\n  ${platform.setupUrl}\n`;
  process.stdout.write(`
  Candela is ready:  ${config.publicUrl ?? http}
${setup}
  Send it telemetry from any OpenTelemetry SDK (OTLP over HTTP; gRPC is at ${otlpGrpc}):

  export OTEL_EXPORTER_OTLP_ENDPOINT=${otlpHttp}
  export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
  export OTEL_SERVICE_NAME=my-service${key}

${localCollector === undefined ? '' : `  This machine's own metrics: ${config.publicUrl ?? http}/hosts\n`}  No application at hand? "${PACKED ? 'candela demo' : 'npm run demo'}" sends believable traffic.
  Data: ${config.dataDir}   API: ${http}/openapi-spec   Stop: Ctrl-C

`);
}

async function start(): Promise<Platform> {
  try {
    prepareDataDir(config.dataDir);
    return await startPlatform(config, { logger, metrics });
  } catch (error) {
    process.stderr.write(`Candela could not start: ${explainFailure(error)}\n`);
    process.exit(1);
  }
}

/** An address to send to: listening everywhere is none. */
function reachable(address: string): string {
  const url = new URL(address);
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.hostname === '[::]') url.hostname = '[::1]';
  return url.origin;
}

/** Runs the agent of this machine, unless it was switched off or nothing it sends would be taken. */
function startLocalCollector(platform: Platform): LocalCollector | undefined {
  if (!config.localCollector) return undefined;
  if (config.bootstrapApiKey === undefined && !platform.identity.acceptsAnonymousIngest) {
    logger.info(
      {},
      'the metrics of this machine are left out: ingest needs an API key, and PLATFORM_BOOTSTRAP_API_KEY is not set',
    );
    return undefined;
  }
  const collector = new LocalCollector({
    endpoint: reachable(platform.otlpHttp),
    apiKey: config.bootstrapApiKey,
    env: config.localCollectorEnv,
    logger,
  });
  collector.start();
  return collector;
}

/** A terminal's Ctrl-C reaches the server twice: by itself, and from npm, which passes on what it gets. */
const SAME_SIGNAL_MS = 2_000;
let stoppingSince: number | undefined;
let localCollector: LocalCollector | undefined;
let started: Platform | undefined;

async function shutDown(signal: string): Promise<void> {
  if (stoppingSince !== undefined) {
    if (performance.now() - stoppingSince < SAME_SIGNAL_MS) return;
    logger.warn({ signal }, 'stopping at once');
    process.exit(1);
  }
  stoppingSince = performance.now();
  logger.info({ signal }, 'stopping');
  // First, so that what it measured last still arrives.
  await localCollector?.stop();
  // Of another platform of this directory, while this one has not got it.
  if (started !== undefined) removeEndpoints(config.dataDir);
  const complete = started === undefined ? true : await started.stop();
  metrics.close();
  logger.info({ complete }, 'stopped');
  process.exit(complete ? 0 : 1);
}

process.on('SIGTERM', () => void shutDown('SIGTERM'));
process.on('SIGINT', () => void shutDown('SIGINT'));

started = await start();
localCollector = startLocalCollector(started);
writeEndpoints(config.dataDir, {
  http: reachable(started.http),
  otlpHttp: reachable(started.otlpHttp),
  otlpGrpc: started.otlpGrpc,
  pid: process.pid,
});
announce(started);
// Now, not at the exit: a start after a kill finds it, too (`NODE_COMPILE_CACHE`).
flushCompileCache();
collectWhenIdle();
