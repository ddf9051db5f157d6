import { z } from 'zod';
import { isoTime } from '../telemetry/common.ts';

/** Bounds of controllers and what they report. What is over is cut and said, never refused. */
export const CONTROLLER_LIMITS = {
  instanceId: 256,
  services: 500,
  results: 200,
  text: 1_024,
  ports: 64,
  attributes: 128,
  /** Of the result of an action: the diff of a dry run. */
  snapshot: 65_536,
  reason: 500,
  waitSeconds: 50,
  customHosts: 256,
  /** How long an instance has for an action before it is offered again. */
  leaseMs: 60_000,
  /** How long an action waits for its instance. */
  actionMs: 86_400_000,
} as const;

export const CONTROLLER_MODES = ['linux', 'docker', 'kubernetes'] as const;

const reason = z
  .string()
  .trim()
  .min(3)
  .max(CONTROLLER_LIMITS.reason)
  .meta({ description: 'Why; it stands in the audit log.' });

export const switchOn = z.strictObject({
  reason,
  content: z
    .boolean()
    .default(false)
    .meta({ description: 'Keep what is said, too: messages, not only model, tokens and sizes.' }),
  confirmContent: z
    .boolean()
    .default(false)
    .meta({ description: 'Has to be true together with `content`: the second confirmation.' }),
});
export const switchOff = z.strictObject({ reason });

const wishSchema = z.object({
  enabled: z.boolean(),
  content: z.boolean(),
  reason: z.string(),
  by: z.string(),
  at: isoTime,
});

const possibleSchema = z.object({
  possible: z.boolean(),
  detail: z.string().meta({ description: 'How, or why not and what to do instead.' }),
});

export const controllerServiceSchema = z
  .object({
    id: z.string(),
    instanceId: z.string(),
    cluster: z.string(),
    environment: z.string(),
    workload: z.string().meta({ description: 'What it is known by across restarts: `linux:systemd:app`.' }),
    name: z.string(),
    namespace: z.string(),
    runtime: z.string(),
    vendors: z.array(z.string()),
    hosts: z.array(z.string()).meta({ description: 'Who it called, by SNI and `Host`, once the tap is on.' }),
    packages: z.array(z.string()).meta({ description: 'Packages that call models which it can load.' }),
    evidence: z
      .array(z.string())
      .meta({ description: 'Why it is listed: connection, server_name, package, command.' }),
    pid: z.int().nullable(),
    exePath: z.string(),
    container: z.string(),
    pod: z.string(),
    firstSeen: z.string(),
    tap: possibleSchema,
    sdk: possibleSchema,
    status: z.enum(['discovered', 'instrumented']),
    statusDetail: z.string(),
    content: z.boolean().meta({ description: 'What is said is kept right now.' }),
    agentStatus: z.string(),
    wanted: wishSchema.nullable(),
    wantedSdk: wishSchema.nullable(),
    state: z
      .enum(['off', 'switching_on', 'on', 'switching_off', 'failed'])
      .meta({ description: 'Of the tap: an open action counts before what is wanted, that before what is.' }),
    spans: z.int(),
    lost: z.int().meta({ description: 'Events of the kernel that were lost.' }),
  })
  .meta({ id: 'ControllerService' });
export type ControllerService = z.output<typeof controllerServiceSchema>;

export const controllerInstanceSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    cluster: z.string(),
    environment: z.string(),
    node: z.string(),
    mode: z.string(),
    version: z.string(),
    health: z.enum(['active', 'degraded', 'inactive', 'revoked']),
    services: z.int(),
    instrumented: z.int(),
    truncated: z
      .array(z.string())
      .meta({ description: 'What its last report held too much of, a sentence each.' }),
    tap: z.string().meta({ description: 'Whether the tap runs there, or why not.' }),
    createdAt: isoTime,
    lastSeenAt: isoTime,
  })
  .meta({ id: 'ControllerInstance' });
export type ControllerInstance = z.output<typeof controllerInstanceSchema>;

export const controllerActionSchema = z
  .object({
    id: z.string(),
    instanceId: z.string(),
    workload: z.string(),
    type: z.string(),
    dryRun: z.boolean(),
    state: z.enum(['pending', 'leased', 'running', 'succeeded', 'failed', 'expired', 'superseded']),
    attempt: z.int(),
    reason: z.string(),
    by: z.string(),
    createdAt: isoTime,
    expiresAt: isoTime,
    finishedAt: isoTime.nullable(),
    error: z.string().nullable(),
    snapshot: z.string().nullable().meta({ description: 'Of a dry run: the diff.' }),
  })
  .meta({ id: 'ControllerAction' });
export type ControllerAction = z.output<typeof controllerActionSchema>;

export const controllerTokenSchema = z
  .object({
    id: z.string(),
    cluster: z.string(),
    environment: z.string(),
    uses: z.int(),
    usesLeft: z.int(),
    createdBy: z.string(),
    createdAt: isoTime,
    expiresAt: isoTime,
    revokedAt: isoTime.nullable(),
  })
  .meta({ id: 'ControllerToken' });
export type ControllerToken = z.output<typeof controllerTokenSchema>;

const host = z
  .string()
  .max(255)
  .regex(/^[A-Za-z0-9._:[\]-]+$/, { error: 'host or host:port.' });
export const controllerConfig = z.strictObject({
  poll_interval_seconds: z.int().min(5).max(300),
  custom_llm_hosts: z.array(host).max(CONTROLLER_LIMITS.customHosts),
});
export type ControllerConfig = z.output<typeof controllerConfig>;

/** What a controller sends: the field's spellings; more than the limits is cut by the server, which says so. */
export const pollBody = z.looseObject({
  instance_id: z.string().min(1),
  cluster_id: z.string().default('default'),
  version: z.string().default(''),
  mode: z.string().default('linux'),
  node_name: z.string().default(''),
  services: z.array(z.unknown()).default([]),
  action_results: z.array(z.unknown()).default([]),
  resource_attributes: z.record(z.string(), z.unknown()).default({}),
  config_hash: z.string().default(''),
});

export const polledAction = z
  .object({
    id: z.string(),
    action_type: z.string(),
    service_key: z.string(),
    payload: z.string().meta({ description: 'JSON.' }),
    dry_run: z.boolean(),
    attempt: z.int(),
    lease_until: isoTime,
    expires_at: isoTime,
    signature: z.string().meta({
      description:
        'Ed25519, base64, of the UTF-8 JSON list ["candela-action-1", instance_id, id, action_type, service_key, payload, dry_run, expires_at].',
    }),
  })
  .meta({ id: 'ControllerPolledAction' });
