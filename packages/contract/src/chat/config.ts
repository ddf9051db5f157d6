import { z } from 'zod';
import { MODEL_LIMITS, MODEL_PROVIDERS } from '../models/models.ts';
import { defineRoute, manages, reads } from '../route.ts';
import { isoTime } from '../telemetry/common.ts';

const common = { tag: 'Assistant', storage: 'platform' } as const;
const usd = z.number().min(0).max(1_000_000).nullable();

export const chatConfigSchema = z
  .object({
    modelId: z.string().meta({ description: 'The configured model that answers.' }),
    provider: z.string(),
    model: z.string(),
    vaultId: z
      .string()
      .nullable()
      .meta({ description: 'Secret of the vault with the key; null: none needed.' }),
    dailyCapUsd: usd.meta({
      description: 'US dollars that the assistant may cost this project a day (UTC).',
    }),
    messageCapUsd: usd.meta({ description: 'US dollars after which one answer ends.' }),
    contextTokens: z.int(),
    updatedBy: z.string(),
    updatedAt: isoTime,
  })
  .meta({ id: 'AssistantSettings' });
export type ChatConfig = z.output<typeof chatConfigSchema>;

const getChatConfig = defineRoute({
  ...common,
  id: 'getChatConfig',
  method: 'GET',
  path: '/api/chat/config',
  summary: 'Settings of the assistant; null while there are none',
  permission: reads('chat'),
  response: z.object({
    data: chatConfigSchema.nullable(),
    missing: z
      .string()
      .nullable()
      .meta({ description: 'Why the assistant cannot work yet, as a sentence; null: it can.' }),
  }),
  errors: ['metadata_unavailable'],
});

const saveChatConfig = defineRoute({
  ...common,
  id: 'saveChatConfig',
  method: 'PUT',
  path: '/api/chat/config',
  summary:
    'Chooses who answers: a configured model (`modelId`), or `provider`, `model` and `vaultId`, which make or change the model "Assistant"',
  permission: manages('admin'),
  body: z.strictObject({
    modelId: z.string().min(1).max(64).optional(),
    provider: z.enum(MODEL_PROVIDERS).optional(),
    model: z.string().trim().min(1).max(MODEL_LIMITS.model).optional(),
    vaultId: z.string().min(1).max(64).optional(),
    baseUrl: z.string().trim().max(MODEL_LIMITS.baseUrl).nullable().default(null),
    dailyCapUsd: usd.default(null),
    messageCapUsd: usd.default(null),
    contextTokens: z.int().min(4_000).max(2_000_000).default(32_000).meta({
      description: 'How much the model reads at once, tokens.',
    }),
  }),
  response: z.object({ data: chatConfigSchema }),
  errors: ['not_found', 'refused', 'conflict', 'metadata_unavailable'],
});

export const CHAT_CONFIG_ROUTES = { getChatConfig, saveChatConfig };
