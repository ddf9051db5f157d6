import { z } from 'zod';
import { defineRoute, reads } from '../route.ts';
import {
  ACTIVITY_SORTS,
  activityShape,
  earlyQueryShape,
  entityKeySchema,
  listQueryShape,
  wholeWindowShape,
} from './activity.ts';
import { count, isoTime, listSampleSchema, MAX_PREVIEWS, previewSchema } from './common.ts';
import { messageSchema } from './conversation.ts';

const nullableText = z.string().nullable();

export const sessionRowSchema = z
  .object({
    sessionId: z.string(),
    key: z.string().meta({ description: 'The id for a path.' }),
    users: z.array(z.string()).meta({ description: 'The first 20 by name.' }),
    userCount: count.meta({ description: 'All of them, also those that `users` leaves out.' }),
    ...activityShape,
    openingNs: nullableText.meta({
      description: 'Time of the first span with messages, nanoseconds; asks for its preview.',
    }),
  })
  .meta({ id: 'SessionRow' });
export type SessionRow = z.output<typeof sessionRowSchema>;

export const listSessions = defineRoute({
  id: 'listSessions',
  method: 'GET',
  path: '/api/telemetry/sessions',
  tag: 'Telemetry',
  summary:
    'Sessions of which a span lies in the window; with a filter, of which at least one span matches. The figures are those of all spans of the session in the window.',
  permission: reads('telemetry'),
  shared: true,
  query: z.strictObject({
    ...listQueryShape,
    ...earlyQueryShape,
    user: z.string().min(1).max(4_096).optional().meta({ description: 'Only sessions of this user.' }),
    sort: z.enum(ACTIVITY_SORTS).default('-last'),
  }),
  response: z.object({
    data: z.array(sessionRowSchema),
    nextCursor: z.string().nullable(),
    sample: listSampleSchema,
  }),
  errors: ['bad_query', 'query_too_expensive', 'store_unavailable'],
});

export const sessionPreviews = defineRoute({
  id: 'sessionPreviews',
  method: 'POST',
  path: '/api/telemetry/sessions/previews',
  tag: 'Telemetry',
  summary: 'First words of sessions, by id and `openingNs` of their rows',
  permission: reads('telemetry'),
  body: z.strictObject({
    sessions: z
      .array(
        z.strictObject({
          sessionId: z.string().min(1).max(4_096),
          openingNs: z.string().regex(/^\d{1,19}$/),
        }),
      )
      .max(MAX_PREVIEWS),
  }),
  response: z.object({
    data: z.array(z.object({ sessionId: z.string(), preview: previewSchema })),
  }),
  errors: ['query_too_expensive', 'store_unavailable'],
});

export const sessionTraceSchema = z
  .object({
    traceId: z.string(),
    name: z.string().meta({ description: 'Name of its root, else of its earliest span of the session.' }),
    startTime: isoTime,
    durationMs: z.number(),
    gapMs: z.number().nullable().meta({
      description: 'Since the end of the trace before, negative when they overlap; null of the first.',
    }),
    spans: count,
    errors: count,
    inputTokens: count.nullable(),
    outputTokens: count.nullable(),
    costUsd: z.number().nullable(),
    models: z.array(z.string()),
    agents: z.array(z.string()),
    users: z.array(z.string()).meta({
      description: 'Who its spans of the session name as their user, sorted; at most 10.',
    }),
  })
  .meta({ id: 'SessionTrace', description: 'A turn: the spans of one trace that carry the session.' });
export type SessionTrace = z.output<typeof sessionTraceSchema>;

/** Traces of a session that one answer lists. */
export const MAX_SESSION_TRACES = 5_000;

export const getSession = defineRoute({
  id: 'getSession',
  method: 'GET',
  path: '/api/telemetry/sessions/{session}',
  tag: 'Telemetry',
  summary: 'One session: its figures and its traces in order',
  permission: reads('telemetry'),
  params: z.object({ session: entityKeySchema }),
  query: z.strictObject(wholeWindowShape),
  response: z.object({
    data: z
      .object({
        sessionId: z.string(),
        key: z.string(),
        users: z.array(z.string()).meta({ description: 'The first 20 by name.' }),
        userCount: count.meta({ description: 'All of them, also those that `users` leaves out.' }),
        services: z.array(z.string()),
        environments: z.array(z.string()),
        ...activityShape,
        turns: z.array(sessionTraceSchema).meta({ description: `The first ${MAX_SESSION_TRACES} traces.` }),
        truncated: z.boolean().meta({ description: 'True when there are more traces than `turns` lists.' }),
      })
      .meta({ id: 'Session' }),
  }),
  errors: ['bad_query', 'not_found', 'query_too_expensive', 'store_unavailable'],
});

const said = {
  /** Where it was said: a span of the turn's trace. */
  spanId: z.string(),
  agent: nullableText,
  model: nullableText,
};

export const turnEntrySchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('message'),
    ...said,
    side: z.enum(['input', 'output']).meta({ description: 'What the model was given, or what it answered.' }),
    message: messageSchema,
  }),
  z.object({
    kind: z.literal('tool'),
    ...said,
    callId: z.string(),
    name: z.string(),
    arguments: z.string(),
    result: nullableText.meta({ description: 'Null when none was recorded.' }),
    failed: z.boolean(),
    durationMs: z.number().nullable().meta({ description: 'Of the span that ran it; null without one.' }),
  }),
  z.object({ kind: z.literal('failure'), ...said, name: z.string(), message: nullableText }),
]);
export type TurnEntry = z.output<typeof turnEntrySchema>;

export const turnSchema = z
  .object({
    traceId: z.string(),
    entries: z.array(turnEntrySchema).meta({
      description: 'What this trace adds to the conversation: history that later calls repeat is left out.',
    }),
    truncated: z.boolean().meta({ description: 'True when the trace says more than is shown here.' }),
  })
  .meta({ id: 'Turn' });
export type Turn = z.output<typeof turnSchema>;

/** Turns whose contents one answer holds. */
export const TURN_PAGE = { default: 20, max: 50 } as const;

export const getSessionTurns = defineRoute({
  id: 'getSessionTurns',
  method: 'GET',
  path: '/api/telemetry/sessions/{session}/turns',
  tag: 'Telemetry',
  summary: 'The conversation of a session, trace by trace',
  permission: reads('telemetry'),
  params: z.object({ session: entityKeySchema }),
  query: z.strictObject({
    ...wholeWindowShape,
    trace: z
      .string()
      .regex(/^[0-9a-fA-F]{32}$/, 'A trace id is 32 hex digits.')
      .optional()
      .meta({ description: 'The trace to begin at. Omitted: the first.' }),
    limit: z.coerce.number().int().min(1).max(TURN_PAGE.max).default(TURN_PAGE.default),
    cursor: z.string().min(1).max(1_024).optional(),
  }),
  response: z.object({ data: z.array(turnSchema), nextCursor: nullableText }),
  errors: ['bad_query', 'not_found', 'query_too_expensive', 'store_unavailable'],
});
