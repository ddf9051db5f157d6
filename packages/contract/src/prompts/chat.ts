import { z } from 'zod';
import { MESSAGE_ROLES } from './messages.ts';

/** Bounds of the parts of a chat prompt. */
const CHAT_LIMITS = {
  messages: 200,
  tools: 128,
  stops: 16,
  /** Characters of settings, tools and response format as JSON, each. */
  json: 65_536,
} as const;

const noNul = { error: 'The text holds a NUL character. Leave it out.' };
const jsonBound = { error: `At most ${CHAT_LIMITS.json} characters as JSON.` };
const isWithin = (value: unknown): boolean => JSON.stringify(value).length <= CHAT_LIMITS.json;

const messageSchema = z
  .strictObject({
    role: z.enum(MESSAGE_ROLES),
    content: z.string().refine((text) => !text.includes('\0'), noNul),
  })
  .meta({ id: 'PromptMessage', description: 'Placeholders in `content` are `{{name}}`.' });

export const messagesSchema = z.array(messageSchema).min(1).max(CHAT_LIMITS.messages);

const modelSettingsSchema = z
  .strictObject({
    provider: z.string().trim().min(1).max(100).optional(),
    model: z.string().trim().min(1).max(200).optional(),
    temperature: z.number().min(0).max(2).optional(),
    topP: z.number().min(0).max(1).optional(),
    maxTokens: z.int().min(1).max(10_000_000).optional(),
    frequencyPenalty: z.number().min(-2).max(2).optional(),
    presencePenalty: z.number().min(-2).max(2).optional(),
    seed: z.int().optional(),
    stop: z.array(z.string().min(1).max(200)).max(CHAT_LIMITS.stops).optional(),
    reasoningEffort: z.string().trim().min(1).max(20).optional(),
  })
  .meta({
    id: 'PromptModelSettings',
    description: 'What the application passes to the model with the prompt.',
  });
export type PromptModelSettings = z.output<typeof modelSettingsSchema>;

const toolSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[\w.-]{1,128}$/, { error: 'A tool has a name of letters, digits, "_", "." and "-".' }),
  description: z.string().max(10_000).optional(),
  parameters: z.record(z.string(), z.unknown()).optional().meta({ description: 'A JSON Schema.' }),
});

const toolsSchema = z
  .array(toolSchema)
  .max(CHAT_LIMITS.tools)
  .refine((tools) => new Set(tools.map(({ name }) => name)).size === tools.length, {
    error: 'Two tools have one name.',
  })
  .refine(isWithin, jsonBound);

const responseFormatSchema = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('text') }),
    z.strictObject({ type: z.literal('json_object') }),
    z.strictObject({
      type: z.literal('json_schema'),
      name: z.string().min(1).max(100),
      schema: z.record(z.string(), z.unknown()),
      strict: z.boolean().optional(),
    }),
  ])
  .refine(isWithin, jsonBound);

/** What a version has beside its text; each is left out where it was not given. */
export const callShape = {
  modelSettings: modelSettingsSchema.optional(),
  tools: toolsSchema.optional(),
  responseFormat: responseFormatSchema.optional(),
};

/** The same, with the messages of a chat prompt. */
const chatSchema = z.object({ messages: messagesSchema.optional(), ...callShape });
export type PromptChat = z.output<typeof chatSchema>;
