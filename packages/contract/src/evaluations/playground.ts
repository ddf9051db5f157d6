import { z } from 'zod';
import { defineRoute, writes } from '../route.ts';

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'user']), text: z.string().max(200_000) }),
  z.strictObject({
    role: z.literal('assistant'),
    text: z.string().max(200_000),
    toolCalls: z
      .array(z.strictObject({ id: z.string().max(200), name: z.string().max(200), input: z.unknown() }))
      .max(50)
      .optional(),
  }),
  z.strictObject({
    role: z.literal('tool'),
    id: z.string().max(200),
    name: z.string().max(200),
    output: z.string().max(200_000),
  }),
]);
export type PlaygroundMessage = z.output<typeof message>;

const column = z.strictObject({
  modelId: z.string().min(1).max(64),
  messages: z.array(message).max(200).default([]),
  prompt: z
    .strictObject({ id: z.string().min(1).max(64), version: z.string().min(1).max(64).default('latest') })
    .optional()
    .meta({ description: 'A managed prompt, compiled with the variables; comes as the last user message.' }),
  tools: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
        description: z.string().max(2_000).default(''),
        schema: z.record(z.string(), z.unknown()).default({ type: 'object' }),
      }),
    )
    .max(50)
    .default([]),
  responseSchema: z.record(z.string(), z.unknown()).nullable().default(null),
  temperature: z.number().min(0).max(2).nullable().optional(),
  maxOutputTokens: z.int().min(1).max(100_000).optional(),
});

const runPlayground = defineRoute({
  id: 'runPlayground',
  method: 'POST',
  path: '/api/playground/run',
  tag: 'Playground',
  summary:
    'Asks one to six models side by side: events `delta` {column, text}, `tool` {column, id, name, input}, `done` {column, usage, costUsd, firstTokenMs, durationMs, finish}, `failure` {column, err, code}. Tools are never executed. Closing the connection ends all calls.',
  permission: writes('prompts'),
  storage: 'platform',
  stream: 'events',
  body: z.strictObject({
    columns: z.array(column).min(1).max(6),
    variables: z.record(z.string().max(200), z.unknown()).default({}),
  }),
  response: z.looseObject({ column: z.int() }),
  errors: [
    'not_found',
    'refused',
    'too_many_calls',
    'spend_cap',
    'secret_unreadable',
    'metadata_unavailable',
  ],
});

export const PLAYGROUND_ROUTES = { runPlayground } as const;
