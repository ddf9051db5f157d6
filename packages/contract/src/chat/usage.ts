import { z } from 'zod';
import { defineRoute, reads } from '../route.ts';
import { timeSchema } from '../telemetry/common.ts';
import { whereParameter } from '../telemetry/where.ts';

export const USAGE_WINDOWS = ['24H', '7D', '1M', '3M', 'CUSTOM'] as const;
export const USAGE_GROUPS = ['feature', 'provider', 'model', 'date'] as const;
/** What usage is narrowed by; named as the fields of spans. */
export const USAGE_WHERE = ['provider', 'model', 'environment'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

const figures = {
  calls: z.int(),
  failed: z.int(),
  inputTokens: z.int().meta({ description: 'Without cached ones.' }),
  cacheReadTokens: z.int(),
  cacheWriteTokens: z.int(),
  outputTokens: z.int().meta({ description: 'Without reasoning.' }),
  reasoningTokens: z.int(),
  costUsd: z.number(),
  unpricedCalls: z.int().meta({ description: 'Calls with tokens whose price is not known.' }),
  unknownCalls: z.int().meta({ description: 'Calls of which the provider said no usage.' }),
};
export const usageFiguresSchema = z.object(figures).meta({ id: 'UsageFigures' });
export type UsageFigures = z.output<typeof usageFiguresSchema>;

const getChatUsage = defineRoute({
  id: 'getChatUsage',
  method: 'GET',
  path: '/api/chat/usage',
  tag: 'Assistant',
  summary: 'Tokens and estimated cost of what the platform asked of models, exact to the token',
  permission: reads('chat'),
  query: z
    .strictObject({
      window: z.enum(USAGE_WINDOWS).default('7D'),
      from: timeSchema.optional(),
      to: timeSchema.optional(),
      where: whereParameter(USAGE_WHERE),
      groupBy: z
        .string()
        .max(60)
        .default('feature')
        .transform((text) => [...new Set(text.split(',').filter((part) => part !== ''))])
        .pipe(z.array(z.enum(USAGE_GROUPS)).min(1).max(4))
        .meta({ description: 'feature, provider, model, date (UTC), with commas.' }),
    })
    .refine(({ window, from }) => window !== 'CUSTOM' || from !== undefined, {
      error: 'A CUSTOM window needs "from".',
    }),
  response: z.object({
    data: z.object({
      from: z.string(),
      to: z.string(),
      totals: usageFiguresSchema,
      rows: z.array(
        usageFiguresSchema.extend({
          feature: z.string().nullable(),
          provider: z.string().nullable(),
          model: z.string().nullable(),
          date: z.string().nullable(),
        }),
      ),
      truncated: z.boolean(),
    }),
  }),
  errors: ['bad_query', 'metadata_unavailable'],
});

export const CHAT_USAGE_ROUTES = { getChatUsage };
