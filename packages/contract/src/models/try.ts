import { z } from 'zod';
import { messagesSchema } from '../prompts/chat.ts';
import { promptTextSchema, selectorSchema } from '../prompts/schemas.ts';
import { TEMPLATE_LIMITS } from '../prompts/template.ts';
import { defineRoute, writes } from '../route.ts';
import { MODEL_LIMITS } from './models.ts';

const tokens = z.int().min(0);

export const tryUsageSchema = z
  .object({
    input: tokens.meta({ description: 'Fresh input, without what came from the cache or went into it.' }),
    cacheRead: tokens,
    cacheWrite: tokens,
    output: tokens.meta({ description: 'Output without reasoning.' }),
    reasoning: tokens,
  })
  .meta({ id: 'TryUsage' });
export type TryUsage = z.output<typeof tryUsageSchema>;

/** `event: start`: what was sent. */
export const tryStartSchema = z.object({
  version: z.string().nullable().meta({ description: 'Version that was tried; null: the text of the body.' }),
  compiledPrompt: z.string(),
  missing: z.array(z.string()).meta({ description: 'Variables without a value: they stay as written.' }),
  unused: z.array(z.string()).meta({ description: 'Values that the text has no variable for.' }),
});
export type TryStart = z.output<typeof tryStartSchema>;

/** `event: delta`: the next part of the answer. */
export const tryDeltaSchema = z.object({ text: z.string() });
export type TryDelta = z.output<typeof tryDeltaSchema>;

/** `event: done`: the end of a whole answer. */
export const tryDoneSchema = z.object({
  finish: z.enum(['stop', 'length', 'content_filter', 'other']).meta({
    description: '`length`: it was cut at the most tokens or characters it may have.',
  }),
  usage: tryUsageSchema.nullable().meta({ description: 'Null: the vendor did not say.' }),
  costUsd: z.number().nullable().meta({ description: 'By the price list; null: no price is known.' }),
  firstTokenMs: z.number().nullable(),
  durationMs: z.number(),
});
export type TryDone = z.output<typeof tryDoneSchema>;

export const tryPrompt = defineRoute({
  id: 'tryPrompt',
  method: 'POST',
  path: '/api/prompt/{id}/try',
  tag: 'Models',
  summary:
    'Asks a configured model with a prompt: server-sent events `start` (what was sent), `delta` ({text}, many), `done` (usage, cost, times), or `failure` ({err, code, status}) before an early end. Closing the connection ends the call.',
  permission: writes('prompts'),
  storage: 'platform',
  stream: 'events',
  params: z.object({ id: z.string().min(1).max(64) }),
  body: z
    .strictObject({
      modelId: z.string().min(1).max(64),
      version: selectorSchema.optional().meta({ description: 'Default: `latest`.' }),
      text: promptTextSchema
        .optional()
        .meta({ description: 'Text that is not saved, instead of a version.' }),
      messages: messagesSchema
        .optional()
        .meta({ description: 'Messages of a chat that is not saved, instead of a version.' }),
      variables: z
        .record(z.string(), z.unknown())
        .refine((variables) => Object.keys(variables).length <= TEMPLATE_LIMITS.variables, {
          error: `At most ${TEMPLATE_LIMITS.variables} variables.`,
        })
        .default({}),
      maxOutputTokens: z
        .int()
        .min(1)
        .max(MODEL_LIMITS.outputTokens)
        .optional()
        .meta({ description: "At most what the model's settings allow." }),
    })
    .refine(
      ({ version, text, messages }) =>
        [version, text, messages].filter((one) => one !== undefined).length < 2,
      { error: 'Give one of a version, a text and messages.' },
    ),
  response: z
    .union([tryStartSchema, tryDeltaSchema, tryDoneSchema])
    .meta({ description: 'Data of the events `start`, `delta` and `done`.' }),
  errors: [
    'not_found',
    'refused',
    'provider_failed',
    'secret_unreadable',
    'too_many_streams',
    'too_many_calls',
    'metadata_unavailable',
    'signal_unbound',
    'shutting_down',
  ],
});
