import { z } from 'zod';
import { type Access, defineRoute, manages, reads, type RouteDeclaration } from '../route.ts';
import { isoTime } from '../telemetry/common.ts';
import { CONTROLLER_LIMITS, switchOff } from './schemas.ts';

/** Bounds of OpAMP: what is over is refused, and the connection goes on. */
export const FLEET_LIMITS = {
  messageBytes: 4_194_304,
  configBytes: 262_144,
  /** Parts whose health is kept. */
  parts: 200,
  attributes: CONTROLLER_LIMITS.attributes,
} as const;

/** Stands in the place of a secret. Sent back as it is it means: what was there. */
export const CONFIG_MASK = '••••••';

const partHealth = z.object({
  name: z.string(),
  healthy: z.boolean(),
  status: z.string(),
  error: z.string(),
});

const versionSchema = z.object({
  version: z.int(),
  hash: z.string(),
  state: z.enum(['offered', 'applying', 'applied', 'failed', 'superseded']),
  rollbackOf: z.int().nullable().meta({ description: 'The version that it goes back to.' }),
  reason: z.string(),
  by: z.string(),
  createdAt: isoTime,
  finishedAt: isoTime.nullable(),
  error: z.string().nullable(),
});

const collectorSchema = z
  .object({
    id: z.string(),
    instanceUid: z.string(),
    name: z.string(),
    version: z.string(),
    host: z.string(),
    environment: z.string(),
    attributes: z.record(z.string(), z.string()),
    connection: z.enum(['connected', 'late', 'gone']),
    healthy: z.boolean().nullable().meta({ description: 'Null: it does not say.' }),
    status: z.string(),
    lastError: z.string(),
    startedAt: isoTime.nullable(),
    acceptsConfig: z.boolean().meta({ description: 'A configuration can be pushed to it.' }),
    remoteStatus: z.enum(['unset', 'applied', 'applying', 'failed']),
    remoteError: z.string(),
    wanted: versionSchema.nullable(),
    createdAt: isoTime,
    lastSeenAt: isoTime,
  })
  .meta({ id: 'FleetCollector' });
export type FleetCollector = z.output<typeof collectorSchema>;

const detailSchema = collectorSchema.extend({
  parts: z.array(partHealth),
  effective: z
    .array(z.object({ name: z.string(), contentType: z.string(), text: z.string() }))
    .meta({ description: `Its effective configuration; secrets are ${CONFIG_MASK}.` }),
  versions: z.array(versionSchema),
});
export type FleetCollectorDetail = z.output<typeof detailSchema>;

const tag = 'Controller';
const BASE = '/api/controller/collectors';
const operates: Access = { key: 'controller', role: 'admin', on: 'project' };
const params = z.object({ id: z.string().min(1).max(200) });
const common = ['metadata_unavailable'] as const;
const reason = switchOff.shape.reason;
const pushed = z.object({ data: versionSchema });

const listCollectors = defineRoute({
  id: 'listCollectors',
  method: 'GET',
  path: BASE,
  tag,
  summary: 'OpenTelemetry Collectors that report by OpAMP, the ones heard of last first',
  permission: reads('controller'),
  response: z.object({ data: z.array(collectorSchema) }),
  errors: [...common],
});

const getCollector = defineRoute({
  id: 'getCollector',
  method: 'GET',
  path: `${BASE}/{id}`,
  tag,
  summary: 'One collector: health of its parts, effective configuration with secrets masked, versions',
  permission: reads('controller'),
  params,
  response: z.object({ data: detailSchema }),
  errors: ['not_found', ...common],
});

const pushCollectorConfig = defineRoute({
  id: 'pushCollectorConfig',
  method: 'POST',
  path: `${BASE}/{id}/config`,
  tag,
  summary: 'Pushes a configuration; where the collector cannot take it the last one that worked comes back',
  permission: operates,
  params,
  body: z.strictObject({
    config: z
      .string()
      .min(1)
      .max(FLEET_LIMITS.configBytes)
      .meta({
        description: `YAML. ${CONFIG_MASK} stands for the secret that the version before has in that place.`,
      }),
    ifHash: z.string().max(64).nullable().meta({
      description: 'Hash of the version that was read; null: there was none. 409 when it is another.',
    }),
    reason,
  }),
  response: pushed,
  errors: ['not_found', 'conflict', 'refused', 'overloaded', ...common],
});

const rollbackCollectorConfig = defineRoute({
  id: 'rollbackCollectorConfig',
  method: 'POST',
  path: `${BASE}/{id}/rollback`,
  tag,
  summary: 'Pushes an earlier version again, as a new one',
  permission: operates,
  params,
  body: z.strictObject({ version: z.int().min(1), reason }),
  response: pushed,
  errors: ['not_found', 'conflict', 'overloaded', ...common],
});

const forgetCollector = defineRoute({
  id: 'forgetCollector',
  method: 'DELETE',
  path: `${BASE}/{id}`,
  tag,
  summary: 'Forgets a collector and its versions; one that still reports comes back',
  permission: manages('admin'),
  params,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', ...common],
});

/** Every route of the fleet of collectors. */
export const COLLECTOR_ROUTES = {
  listCollectors,
  getCollector,
  pushCollectorConfig,
  rollbackCollectorConfig,
  forgetCollector,
} as const satisfies Record<string, RouteDeclaration>;
