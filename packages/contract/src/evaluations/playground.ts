import { z } from 'zod';
import { defineRoute, reads, writes } from '../route.ts';
import { isoTime } from '../telemetry/common.ts';

const toolCall = z.strictObject({ id: z.string().max(200), name: z.string().max(200), input: z.unknown() });
const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'user']), text: z.string().max(200_000) }),
  z.strictObject({
    role: z.literal('assistant'),
    text: z.string().max(200_000),
    toolCalls: z.array(toolCall).max(50).optional(),
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
    .meta({ description: 'A managed prompt, compiled with the variables: `messages` come after its own.' }),
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
const variables = z.record(z.string().max(200), z.unknown());

const answerSchema = z.object({
  text: z.string(),
  calls: z.array(toolCall),
  finish: z.string().nullable().meta({ description: 'Null: it failed or was stopped.' }),
  error: z.string().nullable(),
  usage: z.object({ input: z.number(), output: z.number() }).nullable(),
  costUsd: z.number().nullable(),
  firstTokenMs: z.number().nullable(),
  durationMs: z.number().nullable(),
});
export type PlaygroundAnswer = z.output<typeof answerSchema>;

const summary = {
  id: z.string(),
  createdAt: isoTime,
  title: z.string().meta({ description: 'The beginning of what was asked.' }),
  models: z.array(z.string()).meta({ description: 'Names, a column each.' }),
  costUsd: z.number(),
};
const runSummarySchema = z.object(summary).meta({ id: 'PlaygroundRunSummary' });
export type PlaygroundRunSummary = z.output<typeof runSummarySchema>;
const runSchema = z
  .object({
    ...summary,
    variables,
    columns: z.array(column.extend({ answer: answerSchema })),
  })
  .meta({ id: 'PlaygroundRun' });
export type PlaygroundRun = z.output<typeof runSchema>;

const tag = 'Playground';
const storage = 'platform';
const params = z.object({ id: z.string().min(1).max(64) });

const runPlayground = defineRoute({
  id: 'runPlayground',
  method: 'POST',
  path: '/api/playground/run',
  tag,
  summary:
    'Asks one to six models side by side: events `delta` {column, text}, `tool` {column, id, name, input}, `done` {column, usage, costUsd, firstTokenMs, durationMs, finish}, `failure` {column, err, code}, last `kept` {id, err}. Tools are never executed. Closing the connection ends all calls',
  permission: writes('prompts'),
  storage,
  stream: 'events',
  body: z.strictObject({ columns: z.array(column).min(1).max(6), variables: variables.default({}) }),
  response: z.looseObject({ column: z.int().optional() }),
  errors: [
    'not_found',
    'refused',
    'too_many_calls',
    'spend_cap',
    'secret_unreadable',
    'metadata_unavailable',
  ],
});
const listPlaygroundRuns = defineRoute({
  id: 'listPlaygroundRuns',
  method: 'GET',
  path: '/api/playground/runs',
  tag,
  summary: "The caller's own runs, newest first; the last 50 are kept",
  permission: reads('prompts'),
  storage,
  response: z.object({ data: z.array(runSummarySchema) }),
  errors: ['metadata_unavailable'],
});
const getPlaygroundRun = defineRoute({
  id: 'getPlaygroundRun',
  method: 'GET',
  path: '/api/playground/runs/{id}',
  tag,
  summary: "One of the caller's own runs: what was asked and answered",
  permission: reads('prompts'),
  storage,
  params,
  response: z.object({ data: runSchema }),
  errors: ['not_found', 'metadata_unavailable'],
});
const deletePlaygroundRun = defineRoute({
  id: 'deletePlaygroundRun',
  method: 'DELETE',
  path: '/api/playground/runs/{id}',
  tag,
  summary: "Deletes one of the caller's own runs",
  permission: writes('prompts'),
  storage,
  params,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', 'metadata_unavailable'],
});

export const PLAYGROUND_ROUTES = {
  runPlayground,
  listPlaygroundRuns,
  getPlaygroundRun,
  deletePlaygroundRun,
} as const;
