import { z } from 'zod';
import { defineRoute, manages, reads } from '../route.ts';
import { isoTime } from '../telemetry/common.ts';

/** Who answers. `openai-compatible`: any server that speaks OpenAI's chat completions, at a base URL of its own. */
export const MODEL_PROVIDERS = ['openai', 'anthropic', 'google', 'mistral', 'openai-compatible'] as const;
export type ModelProvider = (typeof MODEL_PROVIDERS)[number];

/** Bounds of configured models. */
export const MODEL_LIMITS = {
  name: 100,
  model: 200,
  baseUrl: 2_048,
  outputTokens: 32_768,
  defaultOutputTokens: 1_024,
  perPlace: 100,
  /** Calls that one person or key, and the platform, may have under way at once. */
  callsPerClient: 4,
  /** Of them and of the columns of a playground together. */
  callsOfPlayground: 6,
  calls: 32,
} as const;

const oneLine = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}]*$/u, { error: 'One line, without control characters.' });

const settings = {
  name: oneLine(MODEL_LIMITS.name),
  provider: z.enum(MODEL_PROVIDERS),
  model: oneLine(MODEL_LIMITS.model).meta({ description: 'Name of the model as the provider spells it.' }),
  baseUrl: z.string().trim().max(MODEL_LIMITS.baseUrl).nullable().meta({
    description:
      "Where the provider's API begins, e.g. http://127.0.0.1:11434/v1. Null: the provider's own address; `openai-compatible` needs one.",
  }),
  allowInsecure: z.boolean().meta({
    description: 'Says that plain http to another machine is meant.',
  }),
  secretId: z.string().min(1).max(64).nullable().meta({
    description: 'Secret of the vault that holds the API key; null: the server wants none.',
  }),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .nullable()
    .meta({ description: 'Null: left to the provider. Some models take no other.' }),
  maxOutputTokens: z.int().min(1).max(MODEL_LIMITS.outputTokens),
};

export const modelConfigSchema = z
  .object({
    id: z.string(),
    ...settings,
    version: z.int().meta({ description: 'Goes up with every change; send it with a change.' }),
    createdBy: z.string().nullable(),
    createdAt: isoTime,
    updatedBy: z.string().nullable(),
    updatedAt: isoTime,
  })
  .meta({ id: 'ModelConfig' });
export type ModelConfig = z.output<typeof modelConfigSchema>;

export const modelCheckSchema = z
  .object({
    ok: z.boolean(),
    checkedAt: isoTime,
    detail: z.string().meta({ description: 'What the model answered, or what is wrong and what to do.' }),
    durationMs: z.number(),
  })
  .meta({ id: 'ModelCheck' });
export type ModelCheck = z.output<typeof modelCheckSchema>;

const id = z.object({ id: z.string().min(1).max(64) });
const common = ['metadata_unavailable', 'signal_unbound'] as const;
const one = z.object({ data: modelConfigSchema });

export const listModels = defineRoute({
  id: 'listModels',
  method: 'GET',
  path: '/api/models',
  tag: 'Models',
  summary: 'Language models that are configured, by name; the keys of their vendors stay in the vault',
  permission: reads('prompts'),
  storage: 'platform',
  response: z.object({ data: z.array(modelConfigSchema), nextCursor: z.null() }),
  errors: [...common],
});

export const createModel = defineRoute({
  id: 'createModel',
  method: 'POST',
  path: '/api/models',
  tag: 'Models',
  summary: 'Configures a language model',
  permission: manages('admin'),
  storage: 'platform',
  success: 201,
  body: z.strictObject({
    ...settings,
    baseUrl: settings.baseUrl.default(null),
    allowInsecure: settings.allowInsecure.default(false),
    secretId: settings.secretId.default(null),
    temperature: settings.temperature.default(null),
    maxOutputTokens: settings.maxOutputTokens.default(MODEL_LIMITS.defaultOutputTokens),
  }),
  response: one,
  errors: ['not_found', 'conflict', 'refused', ...common],
});

export const updateModel = defineRoute({
  id: 'updateModel',
  method: 'PUT',
  path: '/api/models/{id}',
  tag: 'Models',
  summary: 'Replaces the settings of a model',
  permission: manages('admin'),
  storage: 'platform',
  params: id,
  body: z.strictObject({
    version: z
      .int()
      .min(1)
      .meta({ description: 'The `version` that was read: another one meanwhile is a 409.' }),
    ...settings,
  }),
  response: one,
  errors: ['not_found', 'conflict', 'refused', ...common],
});

export const deleteModel = defineRoute({
  id: 'deleteModel',
  method: 'DELETE',
  path: '/api/models/{id}',
  tag: 'Models',
  summary: 'Forgets a configured model; its secret stays in the vault',
  permission: manages('admin'),
  storage: 'platform',
  params: id,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', ...common],
});

export const checkModel = defineRoute({
  id: 'checkModel',
  method: 'POST',
  path: '/api/models/{id}/check',
  tag: 'Models',
  summary: 'Asks the model for a word and says what happened; costs a few tokens',
  permission: manages('admin'),
  storage: 'platform',
  params: id,
  response: z.object({ data: modelCheckSchema }),
  errors: ['not_found', 'secret_unreadable', 'too_many_calls', ...common],
});
