import { isEnvironmentName, SCOPES } from '@candela/kernel';
import { z } from 'zod';
import { defineRoute, manages } from '../route.ts';
import { isoTime } from '../telemetry/common.ts';
import { idSchema, keyNameSchema, nextCursor, pagingShape } from './common.ts';

const scopes = z
  .array(z.enum(SCOPES))
  .min(1)
  .max(SCOPES.length)
  .meta({ description: 'What the key may do; default: everything.' });
const environments = z
  .array(z.string().refine(isEnvironmentName, { error: 'The name of an environment.' }))
  .min(1)
  .max(100)
  .nullable()
  .meta({ description: 'Environments it reaches; null: all of the project.' });

const keyShape = {
  id: z.string(),
  name: z.string(),
  prefix: z.string().meta({ description: 'How the key begins; it says nothing of the rest.' }),
  scopes: z.array(z.enum(SCOPES)),
  environments,
  expiresAt: isoTime.nullable(),
  createdAt: isoTime,
};
const apiKeySchema = z
  .object({
    ...keyShape,
    createdBy: z.string().nullable().meta({ description: 'E-mail; null: the configuration.' }),
    lastUsedAt: isoTime.nullable().meta({ description: 'To the minute.' }),
    replacedBy: z
      .string()
      .nullable()
      .meta({ description: 'After a rotation: id of the key that follows; until `expiresAt` both work.' }),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.output<typeof apiKeySchema>;

const made = z.object({
  data: z.object({
    ...keyShape,
    apiKey: z.string().meta({ description: 'The whole key: shown now and never again.' }),
  }),
});

const params = z.object({ id: idSchema });
const errors = ['metadata_unavailable'] as const;

export const listApiKeys = defineRoute({
  id: 'listApiKeys',
  method: 'GET',
  path: '/api/api-key',
  tag: 'API keys',
  summary: 'Keys of the project, latest first; never the keys themselves',
  permission: manages('admin'),
  query: z.strictObject(pagingShape),
  response: z.object({ data: z.array(apiKeySchema), nextCursor }),
  errors: ['bad_query', ...errors],
});

export const createApiKey = defineRoute({
  id: 'createApiKey',
  method: 'POST',
  path: '/api/api-key',
  tag: 'API keys',
  summary: 'Makes a key; the answer is the only place where it is whole',
  permission: manages('admin'),
  success: 201,
  body: z.strictObject({
    name: keyNameSchema,
    projectId: idSchema.optional().meta({ description: 'Default: the project of the request.' }),
    environments: environments.optional(),
    scopes: scopes.optional(),
    expiresAt: isoTime.nullable().optional().meta({ description: 'In the future; null or left out: never.' }),
  }),
  response: made,
  errors: ['not_found', 'refused', ...errors],
});

export const updateApiKey = defineRoute({
  id: 'updateApiKey',
  method: 'PATCH',
  path: '/api/api-key/{id}',
  tag: 'API keys',
  summary: 'Changes name, scopes or environments of a key; in force within a second',
  permission: manages('admin'),
  params,
  body: z.strictObject({
    name: keyNameSchema.optional(),
    scopes: scopes.optional(),
    environments: environments.optional(),
  }),
  response: z.object({ data: apiKeySchema }),
  errors: ['not_found', ...errors],
});

export const rotateApiKey = defineRoute({
  id: 'rotateApiKey',
  method: 'POST',
  path: '/api/api-key/{id}/rotate',
  tag: 'API keys',
  summary: 'Makes a key that follows this one; the old one goes on for the overlap',
  permission: manages('admin'),
  success: 201,
  params,
  body: z.strictObject({
    overlapSeconds: z.int().min(0).max(2_592_000).default(86_400).meta({ description: '0: void at once.' }),
  }),
  response: made,
  errors: ['not_found', 'conflict', 'refused', ...errors],
});

export const deleteApiKey = defineRoute({
  id: 'deleteApiKey',
  method: 'DELETE',
  path: '/api/api-key/{id}',
  tag: 'API keys',
  summary: 'Revokes a key; refused everywhere within a second',
  permission: manages('admin'),
  params,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', ...errors],
});
