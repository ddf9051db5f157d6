import { z } from 'zod';
import { type Access, defineRoute, manages, reads } from '../route.ts';
import { isoTime } from '../telemetry/common.ts';
import { MAX_SECRET_KEY, secretKeyOf, secretKeyProblem } from './key.ts';

/** Bounds of secrets. */
export const VAULT_LIMITS = {
  key: MAX_SECRET_KEY,
  /** Of a name as it is sent, before it is brought into form. */
  keyInput: 512,
  valueBytes: 131_072,
  tag: 64,
  tags: 32,
  /** API keys that one secret is granted to by name. */
  grants: 200,
  /** Versions of a secret that are kept, the newest. */
  versions: 50,
  /** Secrets of one place: a project and its database configuration. */
  perPlace: 5_000,
  /** Secrets of one answer to an application, and their values together. */
  fetched: 1_000,
  fetchedBytes: 8_388_608,
  source: 100,
} as const;

const keySchema = z
  .string()
  .max(VAULT_LIMITS.keyInput)
  .transform((text, context) => {
    const key = secretKeyOf(text);
    const problem = secretKeyProblem(key);
    if (problem === undefined) return key;
    context.addIssue({ code: 'custom', message: problem });
    return z.NEVER;
  })
  .meta({ description: 'Kept in UPPER_SNAKE_CASE: `dbPassword` and `db-password` are `DB_PASSWORD`.' });

const valueSchema = z
  .string()
  .min(1)
  .max(VAULT_LIMITS.valueBytes)
  .refine((text) => text.isWellFormed() && !text.includes('\0'), {
    error:
      'Text without NUL characters and without halves of characters. Encode other bytes, e.g. as base64.',
  })
  .refine((text) => new TextEncoder().encode(text).byteLength <= VAULT_LIMITS.valueBytes, {
    error: `At most ${VAULT_LIMITS.valueBytes} bytes in UTF-8.`,
  })
  .meta({ description: 'Comes back byte for byte, and only where it is asked for by name.' });

const tagSchema = z
  .string()
  .trim()
  .min(1)
  .max(VAULT_LIMITS.tag)
  .regex(/^[^\p{Cc}\p{Cs},]*$/u, { error: 'One line, without control characters and commas.' });
const tagsSchema = z
  .array(tagSchema)
  .max(VAULT_LIMITS.tags)
  .transform((tags) => [...new Map(tags.map((tag) => [tag.normalize('NFKC').toLowerCase(), tag])).values()])
  .meta({ description: 'Compared whatever their case.' });

const grantsSchema = z
  .array(z.string().min(1).max(64))
  .max(VAULT_LIMITS.grants)
  .transform((ids) => [...new Set(ids)])
  .nullable()
  .meta({
    description:
      'Ids of the API keys and applications that may read it, each with the scope `vault`; empty: none; null: every key of the project with that scope.',
  });

const revision = z.int().min(1).optional().meta({
  description:
    'The `revision` that was read: another one meanwhile is a 409. Left out: whatever is there now.',
});
const version = z.int().min(1).meta({ description: 'Of the value: 1 is the first one.' });

const secretSchema = z
  .object({
    id: z.string(),
    key: z.string(),
    tags: z.array(z.string()),
    grants: z.array(z.string()).nullable().meta({
      description: 'As they were given; null: every key of the project with the scope `vault`.',
    }),
    version: z.int().meta({ description: 'Of the value that is in force.' }),
    revision: z.int().meta({ description: 'Goes up with every change; send it with a change.' }),
    bytes: z.int().meta({ description: 'Length of the value in UTF-8.' }),
    createdAt: isoTime,
    createdBy: z.string().nullable().meta({ description: 'E-mail address as it was then.' }),
    updatedAt: isoTime,
    updatedBy: z.string().nullable(),
  })
  .meta({ id: 'Secret' });
export type Secret = z.output<typeof secretSchema>;

const secretVersionSchema = z
  .object({
    version: z.int(),
    current: z.boolean(),
    bytes: z.int(),
    createdAt: isoTime,
    createdBy: z.string().nullable(),
  })
  .meta({ id: 'SecretVersion' });
export type SecretVersion = z.output<typeof secretVersionSchema>;

const params = z.object({ id: z.string().min(1).max(64) });
const one = z.object({ data: secretSchema });
const errors = ['signal_unbound', 'metadata_unavailable'] as const;
const common = { tag: 'Vault', storage: 'platform' } as const;
/** Keys with the scope, for what they were granted, and people who may see and change values anyway. */
const trusted: Access = { key: 'vault', role: 'admin', on: 'project' };

const listSecrets = defineRoute({
  ...common,
  id: 'listSecrets',
  method: 'GET',
  path: '/api/vault',
  summary: 'Secrets by name, without their values; a key sees those that it may read',
  permission: reads('vault'),
  query: z.strictObject({
    search: z.string().max(VAULT_LIMITS.keyInput).optional().meta({ description: 'Part of the name.' }),
    tag: tagSchema.optional(),
    limit: z.coerce.number().int().min(1).max(500).default(50),
    cursor: z.string().min(1).max(1_024).optional(),
  }),
  response: z.object({ data: z.array(secretSchema), nextCursor: z.string().nullable() }),
  errors: ['bad_query', ...errors],
});

const getSecret = defineRoute({
  ...common,
  id: 'getSecret',
  method: 'GET',
  path: '/api/vault/{id}',
  summary: 'One secret, without its value',
  permission: reads('vault'),
  params,
  response: one,
  errors: ['not_found', ...errors],
});

const createSecret = defineRoute({
  ...common,
  id: 'createSecret',
  method: 'POST',
  path: '/api/vault',
  summary: 'Stores a secret; an `Idempotency-Key` makes a repeated call safe',
  permission: trusted,
  success: 201,
  body: z.strictObject({
    key: keySchema,
    value: valueSchema,
    tags: tagsSchema.default([]),
    grants: grantsSchema.default(null),
  }),
  response: one,
  errors: ['conflict', 'refused', ...errors],
});

const updateSecret = defineRoute({
  ...common,
  id: 'updateSecret',
  method: 'PUT',
  path: '/api/vault/{id}',
  summary: 'Changes what is named; a new value becomes the next version, the former ones stay in the history',
  permission: trusted,
  params,
  body: z.strictObject({
    revision,
    value: valueSchema.optional(),
    tags: tagsSchema.optional(),
    grants: grantsSchema.optional(),
  }),
  response: one,
  errors: ['not_found', 'conflict', 'refused', 'forbidden', ...errors],
});

const deleteSecret = defineRoute({
  ...common,
  id: 'deleteSecret',
  method: 'DELETE',
  path: '/api/vault/{id}',
  summary: 'Deletes a secret with its history',
  permission: trusted,
  params,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', ...errors],
});

const listSecretVersions = defineRoute({
  ...common,
  id: 'listSecretVersions',
  method: 'GET',
  path: '/api/vault/{id}/history',
  summary: 'Versions of the value that are kept, newest first; never the values',
  permission: reads('vault'),
  params,
  response: z.object({ data: z.array(secretVersionSchema), nextCursor: z.null() }),
  errors: ['not_found', ...errors],
});

const revealSecret = defineRoute({
  ...common,
  id: 'revealSecret',
  method: 'POST',
  path: '/api/vault/{id}/reveal',
  summary: 'The value, for a person; the audit log says who looked before it leaves',
  permission: manages('admin'),
  params,
  body: z.strictObject({ version: version.optional() }),
  response: z.object({
    data: z.object({ key: z.string(), version: z.int(), value: z.string() }),
  }),
  errors: ['not_found', 'secret_unreadable', ...errors],
});

const restoreSecret = defineRoute({
  ...common,
  id: 'restoreSecret',
  method: 'POST',
  path: '/api/vault/{id}/restore',
  summary: 'The value of a former version becomes the newest one',
  permission: manages('admin'),
  params,
  body: z.strictObject({ revision, version }),
  response: one,
  errors: ['not_found', 'conflict', 'secret_unreadable', ...errors],
});

/** One text is a list that is separated by commas. */
const wantedTags = z.union([z.string(), z.array(z.string())]).transform((given, context) => {
  const texts = typeof given === 'string' ? given.split(',') : given;
  const tags = texts.map((text) => text.trim()).filter((text) => text !== '');
  if (tags.length <= VAULT_LIMITS.tags && tags.every((tag) => tag.length <= VAULT_LIMITS.tag)) return tags;
  context.addIssue({
    code: 'custom',
    message: `At most ${VAULT_LIMITS.tags} tags of ${VAULT_LIMITS.tag} characters.`,
  });
  return z.NEVER;
});

const getSecrets = defineRoute({
  ...common,
  id: 'getSecrets',
  method: 'POST',
  path: '/api/vault/get-secrets',
  summary: 'Values of the secrets that the credential may read, by name or by any of some tags',
  permission: trusted,
  pace: 'sdk',
  envelope: { onFailure: {} },
  crossOrigin: 'refused',
  body: z.object({
    key: z.string().max(VAULT_LIMITS.keyInput).nullish().meta({
      description: 'Brought into UPPER_SNAKE_CASE like the names. With tags both must fit.',
    }),
    tags: wantedTags.nullish().meta({ description: 'Any of them; neither key nor tags: all.' }),
    source: z
      .string()
      .max(VAULT_LIMITS.source)
      .nullish()
      .meta({ description: 'What asks, for the audit log.' }),
    metaProperties: z.unknown().optional(),
  }),
  response: z.object({
    err: z.string().nullable(),
    res: z.record(z.string(), z.string()).meta({ description: 'Value by name; empty when nothing fits.' }),
  }),
  errors: ['refused', 'secret_unreadable', ...errors],
});

/** Routes of secrets. */
export const VAULT_ROUTES = {
  listSecrets,
  getSecret,
  createSecret,
  updateSecret,
  deleteSecret,
  listSecretVersions,
  revealSecret,
  restoreSecret,
  getSecrets,
} as const;
