import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import { collectorEnv, isOfCollector } from './collector-env.ts';
import type { Retention } from './ingest/retention.ts';

/** One environment variable: how its text becomes a value, and what people are told about it. */
interface Variable<T, D extends string | undefined = string | undefined> {
  readonly description: string;
  /** What it may be, as the sentence ending in an error message: "takes ...". */
  readonly takes: string;
  /** Text used when the variable is unset or empty; undefined when unset means something of its own. */
  readonly default: D;
  readonly secret?: boolean;
  readonly schema: z.ZodType<T, string>;
}

const variable = <T, D extends string | undefined>(definition: Variable<T, D>): Variable<T, D> => definition;

const text = z.string();
const integer = (min: number, max: number) =>
  text
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max));

const port = (description: string, fallback: number) =>
  variable({
    description,
    takes: 'a port number from 0 to 65535; 0 picks a free one',
    default: String(fallback),
    schema: integer(0, 65_535),
  });

const UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['k', 1_000],
  ['m', 1_000_000],
  ['g', 1_000_000_000],
  ['ki', 1_024],
  ['mi', 1_048_576],
  ['gi', 1_073_741_824],
]);

const bytes = (description: string, fallback: string, min: number) =>
  variable({
    description,
    takes: `a number of bytes, units allowed (500MB, 2GiB), at least ${min}`,
    default: fallback,
    schema: text
      .regex(/^\d+(\.\d+)?\s*([kmg]i?)?b?$/i)
      .transform((value) => {
        const match = /^([\d.]+)\s*([kmg]i?)?b?$/i.exec(value);
        return Math.floor(Number(match?.[1]) * (UNITS.get((match?.[2] ?? '').toLowerCase()) ?? 1));
      })
      .pipe(z.int().min(min)),
  });

const DAYS = integer(1, 3_650);
const PROJECT_DAYS = /^([A-Za-z0-9][A-Za-z0-9_-]{0,99})\s*=\s*(\d+)$/;

/** `30` or `30, shop=7, audit=365`. */
const retention = text.transform((value, context): Retention => {
  const refuse = (message: string): Retention => {
    context.addIssue({ code: 'custom', message });
    return { days: 0, projects: new Map() };
  };
  const [first = '', ...rest] = value.split(',').map((part) => part.trim());
  const days = DAYS.safeParse(first);
  if (!days.success) return refuse('no days');
  const projects = new Map<string, number>();
  for (const part of rest) {
    const [, project = '', given = ''] = PROJECT_DAYS.exec(part) ?? [];
    const own = DAYS.safeParse(given);
    if (!own.success || projects.has(project)) return refuse('not a project with its days');
    projects.set(project, own.data);
  }
  return { days: days.data, projects };
});

const days = (signal: string, fallback: number) =>
  variable({
    description: `Days that ${signal} are kept, counted from their arrival; for some projects other days. A change counts for what arrives from then on.`,
    takes: 'whole days from 1 to 3650, then, if wanted, days of single projects: 30,shop=7,audit=365',
    default: String(fallback),
    schema: retention,
  });

const seconds = (description: string, fallback: number, max: number) =>
  variable({
    description,
    takes: `whole seconds from 1 to ${max}`,
    default: String(fallback),
    schema: integer(1, max).transform((value) => value * 1_000),
  });

const httpUrl = text.refine((value) => {
  if (!URL.canParse(value)) return false;
  const { protocol } = new URL(value);
  return protocol === 'http:' || protocol === 'https:';
});

const VARIABLES = {
  PLATFORM_HOST: variable({
    description:
      'Address to listen on. Keep the default unless other machines must reach the platform; then set an API key, because without one nothing is answered any more, not even to programs on this machine.',
    takes: 'an IP address or host name, e.g. 0.0.0.0',
    default: '127.0.0.1',
    schema: text.regex(/^[A-Za-z0-9.:_-]{1,255}$/),
  }),
  PLATFORM_PORT: port('Port of the web UI, the API and OTLP over HTTP.', 3_000),
  PLATFORM_OTLP_HTTP_PORT: port('Port of OTLP over HTTP.', 4_318),
  PLATFORM_OTLP_GRPC_PORT: port('Port of OTLP over gRPC.', 4_317),
  PLATFORM_PUBLIC_URL: variable({
    description:
      'Where people reach the platform, when that is not the address it listens on. Unless it names this machine (localhost), every request needs an API key.',
    takes: 'an http or https URL, e.g. https://candela.example.com',
    default: undefined,
    schema: httpUrl,
  }),
  PLATFORM_DATA_DIR: variable({
    description: 'Directory of all data. One platform process per directory.',
    takes: 'a path, absolute or relative to the working directory',
    default: './data',
    schema: text.min(1).transform((value) => (isAbsolute(value) ? value : resolve(value))),
  }),
  PLATFORM_CLICKHOUSE_URL: variable({
    description:
      'ClickHouse server to keep telemetry in, instead of the embedded engine: user, password and database are part of the URL.',
    takes: 'an http or https URL, e.g. http://user:password@clickhouse:8123/candela',
    default: undefined,
    secret: true,
    schema: httpUrl,
  }),
  PLATFORM_CLICKHOUSE_CLUSTER: variable({
    description: 'Name of the ClickHouse cluster: tables become replicated and distributed.',
    takes: 'a cluster name of letters, digits, "_" and "-"',
    default: undefined,
    schema: text.regex(/^[A-Za-z0-9_-]{1,100}$/),
  }),
  PLATFORM_BOOTSTRAP_API_KEY: variable({
    description: 'A full-access API key of the project "default". Only its hash is held in memory.',
    takes: '16 to 256 characters of A-Z, a-z, 0-9, ".", "_", "~" and "-"',
    default: undefined,
    secret: true,
    schema: text.regex(/^[A-Za-z0-9._~-]{16,256}$/),
  }),
  PLATFORM_INGEST_ANONYMOUS: variable({
    description:
      'Whether OTLP without an API key is taken from programs on this machine. Never when PLATFORM_HOST or PLATFORM_PUBLIC_URL open the platform to others.',
    takes: '"loopback" or "false"',
    default: 'loopback',
    schema: z.enum(['loopback', 'true', 'false']).transform((value) => value !== 'false'),
  }),
  PLATFORM_OTLP_MAX_BYTES: bytes('Largest OTLP request, after decompression.', '16MiB', 1_024),
  PLATFORM_LOG_CAP_BYTES: bytes(
    'How much the write-ahead log may hold before ingest answers 503: what bridges a store that is away.',
    '2GiB',
    16 * 1_048_576,
  ),
  PLATFORM_MIN_FREE_DISK_PERCENT: variable({
    description: 'Free disk space below which ingest answers 503; reads go on.',
    takes: 'whole percent from 0 to 90',
    default: '5',
    schema: integer(0, 90),
  }),
  PLATFORM_RETENTION_DAYS_TRACES: days('traces', 30),
  PLATFORM_RETENTION_DAYS_LOGS: days('logs', 30),
  PLATFORM_RETENTION_DAYS_METRICS: days('metrics', 90),
  PLATFORM_RATE_LIMIT: variable({
    description:
      'API requests a minute for one credential (or one address without a credential). OTLP is not limited.',
    takes: 'a whole number from 1 to 1000000',
    default: '1200',
    schema: integer(1, 1_000_000),
  }),
  PLATFORM_WRONG_KEY_LIMIT: variable({
    description:
      'Requests a minute with a wrong API key, OTLP and API together, that one address is answered with 401; more get 429 with Retry-After. A right key always passes.',
    takes: 'a whole number from 1 to 1000000',
    default: '60',
    schema: integer(1, 1_000_000),
  }),
  PLATFORM_QUERY_TIMEOUT: seconds('Time one read of the telemetry store may take.', 20, 600),
  PLATFORM_QUERY_MAX_ROWS: variable({
    description: 'Rows one read of the telemetry store may look at.',
    takes: 'a whole number from 1000',
    default: '2000000000',
    schema: integer(1_000, 1e15),
  }),
  PLATFORM_QUERY_MAX_MEMORY: bytes('Memory one read of the telemetry store may use.', '1GiB', 16 * 1_048_576),
  PLATFORM_MAX_STREAMS: variable({
    description: 'Live views and exports that may be open at once, all clients together.',
    takes: 'a whole number from 1 to 10000',
    default: '200',
    schema: integer(1, 10_000),
  }),
  PLATFORM_MAX_STREAMS_PER_CLIENT: variable({
    description:
      'Live views and exports that one credential (or one address without a credential) may have open at once.',
    takes: 'a whole number from 1 to 10000',
    default: '20',
    schema: integer(1, 10_000),
  }),
  PLATFORM_STREAM_STALL: seconds(
    'Time a client of a live view or an export may take nothing of it before it is dropped.',
    60,
    3_600,
  ),
  PLATFORM_TAIL_ROWS_PER_SECOND: variable({
    description: 'Rows a second one live view is sent; of more it is told how many were left out.',
    takes: 'a whole number from 1 to 1000',
    default: '100',
    schema: integer(1, 1_000),
  }),
  PLATFORM_EXPORT_MAX_ROWS: variable({
    description: 'Rows one export may hold; what is cut off is said in its headers.',
    takes: 'a whole number from 1 to 10000000',
    default: '100000',
    schema: integer(1, 10_000_000),
  }),
  PLATFORM_SHUTDOWN_GRACE: seconds(
    'Time a stop may take before the process ends anyway, with code 1.',
    25,
    3_600,
  ),
  PLATFORM_LOG_LEVEL: variable({
    description: 'The least important log lines to write.',
    takes: 'one of debug, info, warn, error, silent',
    default: 'info',
    schema: z.enum(['debug', 'info', 'warn', 'error', 'silent']),
  }),
  PLATFORM_LOCAL_COLLECTOR: variable({
    description:
      'Whether the agent of this machine runs beside the platform and sends its host and GPU metrics every ten seconds. The variables of the agent count for it too, except where it sends to.',
    takes: 'true or false',
    default: 'true',
    schema: z.enum(['true', 'false']).transform((value) => value === 'true'),
  }),
  PLATFORM_LOG_FORMAT: variable({
    description: 'Form of the log lines; "auto" is pretty on a terminal and JSON elsewhere.',
    takes: 'one of auto, json, pretty',
    default: 'auto',
    schema: z.enum(['auto', 'json', 'pretty']),
  }),
} as const satisfies Record<string, Variable<unknown>>;

type VariableName = keyof typeof VARIABLES;
type Value<N extends VariableName> = z.output<(typeof VARIABLES)[N]['schema']>;
type Setting<N extends VariableName> = (typeof VARIABLES)[N]['default'] extends string
  ? Value<N>
  : Value<N> | undefined;

/** Every setting by the name of its variable, checked and in its own unit: bytes, milliseconds, days. */
type Settings = { readonly [N in VariableName]: Setting<N> };

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly otlpHttpPort: number;
  readonly otlpGrpcPort: number;
  readonly publicUrl: string | undefined;
  /** Absolute. */
  readonly dataDir: string;
  readonly clickhouseUrl: string | undefined;
  readonly clickhouseCluster: string | undefined;
  readonly bootstrapApiKey: string | undefined;
  readonly ingestAnonymous: boolean;
  readonly otlpMaxBytes: number;
  readonly logCapBytes: number;
  readonly minFreeDiskPercent: number;
  readonly retention: Readonly<Record<'traces' | 'logs' | 'metrics', Retention>>;
  readonly rateLimitPerMinute: number;
  readonly wrongKeysPerMinute: number;
  readonly queryTimeoutMs: number;
  readonly queryMaxRows: number;
  readonly queryMaxMemoryBytes: number;
  readonly maxStreams: number;
  readonly maxStreamsPerClient: number;
  readonly streamStallMs: number;
  readonly tailRowsPerSecond: number;
  readonly exportMaxRows: number;
  readonly shutdownGraceMs: number;
  readonly localCollector: boolean;
  /** What of the environment is meant for it. */
  readonly localCollectorEnv: Readonly<Record<string, string>>;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly logFormat: 'auto' | 'json' | 'pretty';
}

/** Every problem at once, one line each, secrets masked. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Reads all settings from the environment. @throws ConfigError */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const problems: string[] = [];
  const settings = new Map<string, unknown>();
  for (const [name, definition] of Object.entries(VARIABLES) as [VariableName, Variable<unknown>][]) {
    const given = env[name]?.trim();
    const value = given === undefined || given === '' ? definition.default : given;
    if (value === undefined) continue;
    const parsed = definition.schema.safeParse(value);
    if (parsed.success) settings.set(name, parsed.data);
    else {
      const shown =
        definition.secret === true ? `${value.length} characters (hidden)` : JSON.stringify(value);
      problems.push(`${name} is ${shown}, but takes ${definition.takes}.`);
    }
  }
  if (settings.has('PLATFORM_CLICKHOUSE_CLUSTER') && (env['PLATFORM_CLICKHOUSE_URL'] ?? '').trim() === '') {
    problems.push(
      'PLATFORM_CLICKHOUSE_CLUSTER is set, but PLATFORM_CLICKHOUSE_URL is not: a cluster needs the address of one of its servers.',
    );
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return shape(Object.fromEntries(settings) as Settings, env);
}

function shape(settings: Settings, env: Readonly<Record<string, string | undefined>>): Config {
  return {
    host: settings.PLATFORM_HOST,
    port: settings.PLATFORM_PORT,
    otlpHttpPort: settings.PLATFORM_OTLP_HTTP_PORT,
    otlpGrpcPort: settings.PLATFORM_OTLP_GRPC_PORT,
    publicUrl: settings.PLATFORM_PUBLIC_URL,
    dataDir: settings.PLATFORM_DATA_DIR,
    clickhouseUrl: settings.PLATFORM_CLICKHOUSE_URL,
    clickhouseCluster: settings.PLATFORM_CLICKHOUSE_CLUSTER,
    bootstrapApiKey: settings.PLATFORM_BOOTSTRAP_API_KEY,
    ingestAnonymous: settings.PLATFORM_INGEST_ANONYMOUS,
    otlpMaxBytes: settings.PLATFORM_OTLP_MAX_BYTES,
    logCapBytes: settings.PLATFORM_LOG_CAP_BYTES,
    minFreeDiskPercent: settings.PLATFORM_MIN_FREE_DISK_PERCENT,
    retention: {
      traces: settings.PLATFORM_RETENTION_DAYS_TRACES,
      logs: settings.PLATFORM_RETENTION_DAYS_LOGS,
      metrics: settings.PLATFORM_RETENTION_DAYS_METRICS,
    },
    rateLimitPerMinute: settings.PLATFORM_RATE_LIMIT,
    wrongKeysPerMinute: settings.PLATFORM_WRONG_KEY_LIMIT,
    queryTimeoutMs: settings.PLATFORM_QUERY_TIMEOUT,
    queryMaxRows: settings.PLATFORM_QUERY_MAX_ROWS,
    queryMaxMemoryBytes: settings.PLATFORM_QUERY_MAX_MEMORY,
    maxStreams: settings.PLATFORM_MAX_STREAMS,
    maxStreamsPerClient: settings.PLATFORM_MAX_STREAMS_PER_CLIENT,
    streamStallMs: settings.PLATFORM_STREAM_STALL,
    tailRowsPerSecond: settings.PLATFORM_TAIL_ROWS_PER_SECOND,
    exportMaxRows: settings.PLATFORM_EXPORT_MAX_ROWS,
    shutdownGraceMs: settings.PLATFORM_SHUTDOWN_GRACE,
    localCollector: settings.PLATFORM_LOCAL_COLLECTOR,
    localCollectorEnv: collectorEnv(env),
    logLevel: settings.PLATFORM_LOG_LEVEL,
    logFormat: settings.PLATFORM_LOG_FORMAT,
  };
}

/** Planned for later parts of the platform: set today they have no effect and are no mistake. */
const RESERVED = new Set([
  'PLATFORM_DATABASE_URL',
  'PLATFORM_ADMIN_EMAIL',
  'PLATFORM_ADMIN_PASSWORD',
  'PLATFORM_VAULT_KEY',
  'PLATFORM_ALLOWED_CORS_ORIGINS',
  'PLATFORM_ALLOWED_ORIGINS',
  'PLATFORM_URL',
  'PLATFORM_API_KEY',
  'PLATFORM_CODING_CONTENT_CAPTURE',
]);

/** Variables that look like ours and are not: most often a typo. */
export function unknownVariables(
  env: Readonly<Record<string, string | undefined>> = process.env,
): readonly string[] {
  return Object.keys(env).filter(
    (name) =>
      name.startsWith('PLATFORM_') &&
      !Object.hasOwn(VARIABLES, name) &&
      !RESERVED.has(name) &&
      !isOfCollector(name),
  );
}

/** `docs/configuration.md`. */
export function generateConfigurationDoc(): string {
  const rows = (Object.entries(VARIABLES) as [string, Variable<unknown>][]).map(
    ([name, { description, takes, default: fallback, secret }]) => {
      const shown = fallback === undefined ? 'unset' : `\`${fallback}\``;
      const note = secret === true ? ' Secret: never shown in logs or errors.' : '';
      return `| \`${name}\` | ${shown} | ${description}${note} | ${takes.replaceAll('|', '\\|')} |`;
    },
  );
  return `# Configuration

Generated by \`npm run generate\` from \`apps/server/src/config.ts\`. Do not edit.

Everything is set by environment variables. All of them are checked at the start: a wrong value stops it with the
variable's name, what it got and what it takes. An empty value counts as unset.

| variable | default | what it does | takes |
|---|---|---|---|
${rows.join('\n')}
`;
}
