import { z } from 'zod';
import { defineRoute, governs } from '../route.ts';
import { isoTime } from '../telemetry/common.ts';

/** Bounds of connectors. */
export const CONNECTOR_LIMITS = {
  name: 100,
  url: 2_048,
  user: 128,
  password: 1_024,
  database: 64,
  /** PEM texts: a certificate with its chain, a key. */
  pem: 65_536,
  perOrganisation: 100,
} as const;

/** What a connector leads to: a database of the embedded engine, or one of a ClickHouse server. */
export const CONNECTOR_KINDS = ['embedded', 'clickhouse'] as const;
export type ConnectorKind = (typeof CONNECTOR_KINDS)[number];

const oneLine = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}]*$/u, { error: 'One line, without control characters.' });

const name = oneLine(CONNECTOR_LIMITS.name);
const projectId = z.string().min(1).max(64).nullable().meta({
  description: 'The only project that may be bound to it; null: every project of the organisation.',
});
const pem = z
  .string()
  .max(CONNECTOR_LIMITS.pem)
  .regex(/^\s*-----BEGIN [A-Z0-9 ]+-----/, { error: 'A PEM text, beginning with -----BEGIN.' });

const serverShape = {
  url: z
    .string()
    .max(CONNECTOR_LIMITS.url)
    .meta({
      description: 'http or https, host and port; user, password and database have fields of their own.',
      examples: ['https://clickhouse.example.com:8443'],
    }),
  username: oneLine(CONNECTOR_LIMITS.user),
  database: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, {
    error: 'A database name: a letter or "_", then letters, digits and "_", 64 at most.',
  }),
  allowInsecure: z.boolean().meta({
    description:
      'Says that plain http to another machine, or https to a server whose certificate is not verified, is meant.',
  }),
};

/** What is sent and never comes back. */
const secretShape = {
  password: z.string().max(CONNECTOR_LIMITS.password),
  ca: pem.nullable().meta({ description: 'Certificate authority to trust instead of the public ones.' }),
  clientCertificate: pem.nullable(),
  clientKey: pem.nullable(),
};

export const connectorSchema = z
  .object({
    id: z.string().meta({ description: 'Also the id of the database configuration.' }),
    name: z.string(),
    kind: z.enum(CONNECTOR_KINDS),
    builtIn: z.boolean().meta({
      description: 'The one of the installation, set by the configuration: it cannot be changed or deleted.',
    }),
    projectId,
    url: z.string().nullable().meta({ description: 'Null for the embedded engine.' }),
    username: z.string().nullable(),
    database: z.string(),
    allowInsecure: z.boolean(),
    hasPassword: z.boolean(),
    hasCa: z.boolean(),
    hasClientCertificate: z.boolean(),
    version: z.int().meta({ description: 'Goes up with every change; send it with a change.' }),
    boundTo: z
      .int()
      .meta({ description: 'Bindings that name it; while there are any it cannot be deleted.' }),
    createdAt: isoTime,
    updatedAt: isoTime,
  })
  .meta({ id: 'Connector' });
export type Connector = z.output<typeof connectorSchema>;

const checkStepSchema = z.object({
  what: z
    .enum(['reach', 'sign_in', 'version', 'functions', 'privileges', 'schema'])
    .meta({ description: 'In this order; steps after one that failed are left out.' }),
  ok: z.boolean(),
  detail: z.string().meta({ description: 'What was found, or what is wrong and what to do.' }),
});

export const connectorCheckSchema = z
  .object({
    ok: z.boolean(),
    checkedAt: isoTime,
    engineVersion: z.string().nullable(),
    steps: z.array(checkStepSchema),
    schema: z
      .object({ applied: z.int(), needed: z.int() })
      .nullable()
      .meta({ description: 'Migrations that the database has and that this version needs; null: unknown.' }),
  })
  .meta({ id: 'ConnectorCheck' });
export type ConnectorCheck = z.output<typeof connectorCheckSchema>;

const id = z.object({ id: z.string().min(1).max(64) });
const common = ['metadata_unavailable'] as const;
const one = z.object({ data: connectorSchema });

export const listConnectors = defineRoute({
  id: 'listConnectors',
  method: 'GET',
  path: '/api/connectors',
  tag: 'Connectors',
  summary: 'Databases that telemetry may be kept in: the built-in one first, the others by name',
  permission: governs('admin'),
  response: z.object({ data: z.array(connectorSchema), nextCursor: z.null() }),
  errors: [...common],
});

export const getConnector = defineRoute({
  id: 'getConnector',
  method: 'GET',
  path: '/api/connectors/{id}',
  tag: 'Connectors',
  summary: 'One connector, without its secrets',
  permission: governs('admin'),
  params: id,
  response: one,
  errors: ['not_found', ...common],
});

export const createConnector = defineRoute({
  id: 'createConnector',
  method: 'POST',
  path: '/api/connectors',
  tag: 'Connectors',
  summary: 'Adds a connector; its database is made when it is first bound or migrated',
  permission: governs('admin'),
  success: 201,
  body: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('embedded'), name, projectId: projectId.default(null) }),
    z.strictObject({
      kind: z.literal('clickhouse'),
      name,
      projectId: projectId.default(null),
      url: serverShape.url,
      username: serverShape.username.default('default'),
      database: serverShape.database.default('candela'),
      allowInsecure: serverShape.allowInsecure.default(false),
      password: secretShape.password.default(''),
      ca: secretShape.ca.default(null),
      clientCertificate: secretShape.clientCertificate.default(null),
      clientKey: secretShape.clientKey.default(null),
    }),
  ]),
  response: one,
  errors: ['conflict', 'refused', ...common],
});

export const updateConnector = defineRoute({
  id: 'updateConnector',
  method: 'PATCH',
  path: '/api/connectors/{id}',
  tag: 'Connectors',
  summary: 'Changes what is named; secrets that are left out stay',
  permission: governs('admin'),
  params: id,
  body: z.strictObject({
    version: z
      .int()
      .min(1)
      .meta({ description: 'The `version` that was read: another one meanwhile is a 409.' }),
    name: name.optional(),
    url: serverShape.url.optional(),
    username: serverShape.username.optional(),
    allowInsecure: serverShape.allowInsecure.optional(),
    password: secretShape.password.optional(),
    ca: secretShape.ca.optional(),
    clientCertificate: secretShape.clientCertificate.optional(),
    clientKey: secretShape.clientKey.optional(),
  }),
  response: one,
  errors: ['not_found', 'conflict', 'refused', ...common],
});

export const deleteConnector = defineRoute({
  id: 'deleteConnector',
  method: 'DELETE',
  path: '/api/connectors/{id}',
  tag: 'Connectors',
  summary: 'Forgets a connector that nothing is bound to; the database itself stays as it is',
  permission: governs('admin'),
  params: id,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', 'conflict', 'refused', ...common],
});

export const checkConnector = defineRoute({
  id: 'checkConnector',
  method: 'POST',
  path: '/api/connectors/{id}/check',
  tag: 'Connectors',
  summary: 'Whether the database answers, can do what is needed and has the schema; changes nothing',
  permission: governs('admin'),
  params: id,
  response: z.object({ data: connectorCheckSchema }),
  errors: ['not_found', ...common],
});

export const migrateConnector = defineRoute({
  id: 'migrateConnector',
  method: 'POST',
  path: '/api/connectors/{id}/migrate',
  tag: 'Connectors',
  summary: 'Makes the database and brings its schema up to date, then checks it',
  permission: governs('admin'),
  params: id,
  response: z.object({ data: connectorCheckSchema }),
  errors: ['not_found', 'connector_unavailable', ...common],
});
