import { type TargetEnv, targetEnvOf } from '@candela/backup';
import type { Signal } from '@candela/kernel';
import { machineMemory } from '@candela/telemetry-store';
import type { z } from 'zod';
import { collectorEnv, isOfCollector } from './collector-env.ts';
import type { PeopleConfig } from './features/identity/feature.ts';
import type { MasterKeys } from '@candela/vault';
import type { Retention } from './ingest/retention.ts';
import type { Sampling } from './ingest/sampling.ts';
import { BACKUP_VARIABLES } from './settings/backups.ts';
import { IDENTITY_VARIABLES } from './settings/identity.ts';
import { INGEST_VARIABLES } from './settings/ingest.ts';
import { NETWORK_VARIABLES } from './settings/network.ts';
import { PROCESS_VARIABLES } from './settings/process.ts';
import { READING_VARIABLES } from './settings/reading.ts';
import { STORES_VARIABLES } from './settings/stores.ts';
import type { Variable } from './settings/variable.ts';

/** Every variable; a new one is a row of its group in `settings/`. */
const VARIABLES = {
  ...NETWORK_VARIABLES,
  ...STORES_VARIABLES,
  ...BACKUP_VARIABLES,
  ...IDENTITY_VARIABLES,
  ...INGEST_VARIABLES,
  ...READING_VARIABLES,
  ...PROCESS_VARIABLES,
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
  /** Origins of other web pages that may read what they ask for with a key. */
  readonly allowedOrigins: readonly string[];
  /** Addresses and networks of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** Absolute. */
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly clickhouseUrl: string | undefined;
  readonly clickhouseCluster: string | undefined;
  /** Master keys of secrets, the one that seals first; undefined: those of the key file. */
  readonly vaultKeys: MasterKeys | undefined;
  /** Undefined: no backups are made. */
  readonly backup: BackupConfig | undefined;
  readonly bootstrapApiKey: string | undefined;
  readonly auditRetentionDays: number;
  readonly ingestAnonymous: boolean;
  readonly sessionIdleMs: number;
  readonly sessionLifetimeMs: number;
  readonly people: Omit<PeopleConfig, 'publicUrl'>;
  readonly otlpMaxBytes: number;
  /** Of one item of media, and of all of a project. */
  readonly mediaMaxBytes: number;
  readonly mediaProjectBytes: number;
  readonly logCapBytes: number;
  readonly minFreeDiskPercent: number;
  readonly retention: Readonly<Record<Signal, Retention>>;
  /** Which traces stay once their day is over. */
  readonly sampling: Sampling;
  readonly rateLimitPerMinute: number;
  readonly sdkRateLimitPerMinute: number;
  readonly wrongKeysPerMinute: number;
  readonly queryTimeoutMs: number;
  readonly queryMaxRows: number;
  readonly attributeColumns: number;
  readonly textIndex: boolean;
  readonly queryMaxMemoryBytes: number;
  readonly maxStreams: number;
  readonly maxStreamsPerClient: number;
  readonly streamStallMs: number;
  readonly tailRowsPerSecond: number;
  readonly exportMaxRows: number;
  readonly codingContentCapture: 'minimal' | 'metadata_only' | 'full';
  readonly codingRepositories: readonly string[];
  /** Messages of alerts may go to this machine and private networks. */
  readonly alertPrivateReceivers: boolean;
  readonly scanners: {
    readonly hosts: readonly string[];
    readonly caFile: string | undefined;
    readonly ruleKeysFile: string | undefined;
    readonly osvDir: string | undefined;
  };
  /** Whether applications may be named by the address of a document about them. */
  readonly clientDocuments: boolean;
  readonly shutdownGraceMs: number;
  readonly localCollector: boolean;
  /** What of the environment is meant for it. */
  readonly localCollectorEnv: Readonly<Record<string, string>>;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly logFormat: 'auto' | 'json' | 'pretty';
  /** How much memory is planned for. */
  readonly profile: 'small' | 'standard';
  /** What this replica does. */
  readonly role: 'all' | 'ingest' | 'query' | 'jobs';
}

export interface BackupConfig {
  readonly target: string;
  readonly passphrase: string | undefined;
  /** 0: only when it is asked for. */
  readonly everyHours: number;
  readonly keep: number;
  /** Credentials of the target. */
  readonly env: TargetEnv;
}

/** Variables that mean nothing without each other. */
const TOGETHER: readonly (readonly VariableName[])[] = [
  ['PLATFORM_ADMIN_EMAIL', 'PLATFORM_ADMIN_PASSWORD'],
  ['PLATFORM_OIDC_ISSUER', 'PLATFORM_OIDC_CLIENT_ID', 'PLATFORM_OIDC_CLIENT_SECRET'],
  ['PLATFORM_GOOGLE_CLIENT_ID', 'PLATFORM_GOOGLE_CLIENT_SECRET'],
  ['PLATFORM_GITHUB_CLIENT_ID', 'PLATFORM_GITHUB_CLIENT_SECRET'],
];

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
  const { oneIn, projects } = (settings.get('PLATFORM_TRACE_SAMPLING') ?? {}) as Partial<Sampling>;
  if (
    settings.has('PLATFORM_CLICKHOUSE_CLUSTER') &&
    [oneIn ?? 1, ...(projects?.values() ?? [])].some((one) => one > 1)
  ) {
    problems.push(
      'PLATFORM_TRACE_SAMPLING is set, but traces in tables of a cluster (PLATFORM_CLICKHOUSE_CLUSTER) are not sampled: leave it out, and sample before they come here (docs/sampling.md).',
    );
  }
  for (const group of TOGETHER) {
    const missing = group.filter((name) => !settings.has(name));
    if (missing.length === 0 || missing.length === group.length) continue;
    problems.push(`${missing.join(' and ')} must be set too: ${group.join(', ')} belong together.`);
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
    allowedOrigins: [
      ...(settings.PLATFORM_ALLOWED_CORS_ORIGINS ?? []),
      ...(settings.PLATFORM_ALLOWED_ORIGINS ?? []),
    ],
    trustedProxies: settings.PLATFORM_TRUSTED_PROXIES ?? [],
    dataDir: settings.PLATFORM_DATA_DIR,
    databaseUrl: settings.PLATFORM_DATABASE_URL,
    clickhouseUrl: settings.PLATFORM_CLICKHOUSE_URL,
    clickhouseCluster: settings.PLATFORM_CLICKHOUSE_CLUSTER,
    vaultKeys: settings.PLATFORM_VAULT_KEY,
    backup:
      settings.PLATFORM_BACKUP_TARGET === undefined
        ? undefined
        : {
            target: settings.PLATFORM_BACKUP_TARGET,
            passphrase: settings.PLATFORM_BACKUP_PASSPHRASE,
            everyHours: settings.PLATFORM_BACKUP_HOURS,
            keep: settings.PLATFORM_BACKUP_KEEP,
            env: targetEnvOf(env),
          },
    bootstrapApiKey: settings.PLATFORM_BOOTSTRAP_API_KEY,
    auditRetentionDays: settings.PLATFORM_AUDIT_RETENTION_DAYS,
    ingestAnonymous: settings.PLATFORM_INGEST_ANONYMOUS,
    sessionIdleMs: settings.PLATFORM_SESSION_IDLE,
    sessionLifetimeMs: settings.PLATFORM_SESSION_LIFETIME,
    people: peopleOf(settings),
    otlpMaxBytes: settings.PLATFORM_OTLP_MAX_BYTES,
    mediaMaxBytes: settings.PLATFORM_MEDIA_MAX_BYTES,
    mediaProjectBytes: settings.PLATFORM_MEDIA_PROJECT_BYTES,
    logCapBytes: settings.PLATFORM_LOG_CAP_BYTES,
    minFreeDiskPercent: settings.PLATFORM_MIN_FREE_DISK_PERCENT,
    retention: {
      traces: settings.PLATFORM_RETENTION_DAYS_TRACES,
      logs: settings.PLATFORM_RETENTION_DAYS_LOGS,
      metrics: settings.PLATFORM_RETENTION_DAYS_METRICS,
    },
    sampling: {
      ...settings.PLATFORM_TRACE_SAMPLING,
      slowMs: settings.PLATFORM_TRACE_SAMPLING_SLOW,
      costUsd: settings.PLATFORM_TRACE_SAMPLING_COST,
      scoreBelow: settings.PLATFORM_TRACE_SAMPLING_SCORE,
      afterMs: settings.PLATFORM_TRACE_SAMPLING_AFTER,
    },
    rateLimitPerMinute: settings.PLATFORM_RATE_LIMIT,
    sdkRateLimitPerMinute: settings.PLATFORM_SDK_RATE_LIMIT,
    wrongKeysPerMinute: settings.PLATFORM_WRONG_KEY_LIMIT,
    queryTimeoutMs: settings.PLATFORM_QUERY_TIMEOUT,
    queryMaxRows: settings.PLATFORM_QUERY_MAX_ROWS,
    attributeColumns: settings.PLATFORM_ATTRIBUTE_COLUMNS,
    textIndex: settings.PLATFORM_TEXT_INDEX,
    queryMaxMemoryBytes: settings.PLATFORM_QUERY_MAX_MEMORY,
    maxStreams: settings.PLATFORM_MAX_STREAMS,
    maxStreamsPerClient: settings.PLATFORM_MAX_STREAMS_PER_CLIENT,
    streamStallMs: settings.PLATFORM_STREAM_STALL,
    tailRowsPerSecond: settings.PLATFORM_TAIL_ROWS_PER_SECOND,
    exportMaxRows: settings.PLATFORM_EXPORT_MAX_ROWS,
    codingContentCapture: settings.PLATFORM_CODING_CONTENT_CAPTURE,
    codingRepositories: settings.PLATFORM_CODING_REPOSITORIES,
    alertPrivateReceivers: settings.PLATFORM_ALERT_PRIVATE_RECEIVERS,
    scanners: {
      hosts: settings.PLATFORM_SCANNER_HOSTS ?? [],
      caFile: settings.PLATFORM_SCANNER_CA_FILE,
      ruleKeysFile: settings.PLATFORM_SCANNER_RULE_KEYS_FILE,
      osvDir: settings.PLATFORM_OSV_DIR,
    },
    shutdownGraceMs: settings.PLATFORM_SHUTDOWN_GRACE,
    clientDocuments: settings.PLATFORM_OAUTH_CLIENT_DOCUMENTS,
    localCollector: settings.PLATFORM_LOCAL_COLLECTOR,
    localCollectorEnv: collectorEnv(env),
    logLevel: settings.PLATFORM_LOG_LEVEL,
    logFormat: settings.PLATFORM_LOG_FORMAT,
    profile: profileOf(settings.PLATFORM_PROFILE),
    role: settings.PLATFORM_ROLE,
  };
}

const SMALL_BYTES = 1.5 * 2 ** 30;

const profileOf = (given: Settings['PLATFORM_PROFILE']): Config['profile'] =>
  given === 'auto' ? (machineMemory() <= SMALL_BYTES ? 'small' : 'standard') : given;

function peopleOf(settings: Settings): Config['people'] {
  const application = (clientId: string | undefined, clientSecret: string | undefined) =>
    clientId === undefined || clientSecret === undefined ? undefined : { clientId, clientSecret };
  const email = settings.PLATFORM_ADMIN_EMAIL;
  const password = settings.PLATFORM_ADMIN_PASSWORD;
  const issuer = settings.PLATFORM_OIDC_ISSUER;
  const oidc = application(settings.PLATFORM_OIDC_CLIENT_ID, settings.PLATFORM_OIDC_CLIENT_SECRET);
  return {
    admin: email === undefined || password === undefined ? undefined : { email, password },
    signInsPerMinute: settings.PLATFORM_SIGN_IN_LIMIT,
    oidc:
      issuer === undefined || oidc === undefined
        ? undefined
        : { ...oidc, issuer, name: settings.PLATFORM_OIDC_NAME },
    google: application(settings.PLATFORM_GOOGLE_CLIENT_ID, settings.PLATFORM_GOOGLE_CLIENT_SECRET),
    github: application(settings.PLATFORM_GITHUB_CLIENT_ID, settings.PLATFORM_GITHUB_CLIENT_SECRET),
    smtpUrl: settings.PLATFORM_SMTP_URL,
    mailFrom: settings.PLATFORM_MAIL_FROM,
  };
}

/** Planned for later parts of the platform: set today they have no effect and are no mistake. */
const RESERVED = new Set(['PLATFORM_URL', 'PLATFORM_API_KEY', 'PLATFORM_CODING_CONTENT_CAPTURE']);

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

Generated by \`npm run generate\` from \`apps/server/src/settings/\`. Do not edit.

Everything is set by environment variables. All of them are checked at the start: a wrong value stops it with the
variable's name, what it got and what it takes. An empty value counts as unset.

| variable | default | what it does | takes |
|---|---|---|---|
${rows.join('\n')}
`;
}
