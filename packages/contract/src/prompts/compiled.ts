import { z } from 'zod';
import { defineRoute, reads } from '../route.ts';
import { callShape, messagesSchema } from './chat.ts';
import { TEMPLATE_LIMITS } from './template.ts';

const text = (max: number) => z.string().max(max).nullish();
const flag = z.boolean().nullish();

/**
 * Shipped clients spell what they send in several ways, and send more than is read: `id` (TypeScript), `promptId`
 * (Python); `shouldCompile` (both), `compile` (documented). Null counts as not sent.
 */
const request = z.object({
  name: text(200).meta({ description: 'Name of the prompt. Given with an id: both must hold.' }),
  promptId: text(200).meta({ description: 'Id of the prompt. `id` and `prompt_id` mean the same.' }),
  id: text(200),
  prompt_id: text(200),
  version: text(200).meta({
    description: 'An exact version, `latest` (also when absent), a label, or a range such as `1.x`.',
  }),
  compile: flag.meta({
    description:
      'Whether variables are put in; default false. `shouldCompile` and `should_compile` mean the same.',
  }),
  shouldCompile: flag,
  should_compile: flag,
  variables: z
    .record(z.string(), z.unknown())
    .refine((variables) => Object.keys(variables).length <= TEMPLATE_LIMITS.variables, {
      error: `At most ${TEMPLATE_LIMITS.variables} variables.`,
    })
    .nullish()
    .meta({
      description:
        'Values by name of the placeholder. Scalars become their text, objects JSON; null counts as not given.',
    }),
  metaProperties: z.record(z.string(), z.unknown()).nullish().meta({ description: 'Accepted; not kept.' }),
  meta_properties: z.record(z.string(), z.unknown()).nullish(),
  source: text(200).meta({ description: 'What the client calls itself; downloads are counted by it.' }),
});
export type CompiledPromptRequest = z.output<typeof request>;

const compiledPromptSchema = z
  .object({
    promptId: z.string(),
    versionId: z.string(),
    name: z.string(),
    version: z.string(),
    tags: z.array(z.string()),
    metaProperties: z.record(z.string(), z.unknown()),
    prompt: z.string(),
    compiledPrompt: z.string().meta({ description: 'Equal to `prompt` when nothing was compiled.' }),
    missing: z.array(z.string()).meta({
      description: 'Placeholders that got no value: they stay in the text. Empty when not compiled.',
    }),
    unused: z
      .array(z.string())
      .meta({ description: 'Variables that the prompt does not hold. Empty when not compiled.' }),
    messages: messagesSchema.optional().meta({
      description:
        'Only of a chat prompt: its messages, compiled when that is asked for. `prompt` and `compiledPrompt` are the same as one text.',
    }),
    ...callShape,
  })
  .meta({ id: 'CompiledPrompt' });
export type CompiledPrompt = z.output<typeof compiledPromptSchema>;

export const getCompiledPrompt = defineRoute({
  id: 'getCompiledPrompt',
  method: 'POST',
  path: '/api/prompt/get-compiled',
  tag: 'Prompts',
  summary: 'A published prompt, on request with variables put in; always 200, what went wrong is in `err`',
  permission: reads('prompts'),
  storage: 'platform',
  envelope: { onFailure: null },
  crossOrigin: 'unread',
  pace: 'sdk',
  body: request,
  response: z.object({ err: z.string().nullable(), res: compiledPromptSchema.nullable() }),
  errors: ['not_found', 'refused', 'metadata_unavailable'],
});
