import { z } from 'zod';
import { defineRoute, reads } from '../route.ts';
import { CODING_CLASSES } from './coding-disputes.ts';
import { count, isoTime, LIST_LIMITS, pageShape, timeSchema } from './common.ts';

/** A user with fewer sessions in the window is not shown to viewers by the routes of coding agents. */
export const CODING_FLOOR = 5;

export const CODING_SESSION_SORTS = ['-start', 'start', '-duration', '-cost', '-tokens', '-tools'] as const;
export type CodingSessionSort = (typeof CODING_SESSION_SORTS)[number];
export const CODING_USER_SORTS = ['-last', '-sessions', '-cost', '-tokens', '-tools'] as const;
export type CodingUserSort = (typeof CODING_USER_SORTS)[number];

const nullableText = z.string().nullable();
const text = z.string().min(1).max(512).optional();
const selection = {
  from: timeSchema.default('-24h'),
  to: timeSchema.default('now'),
  agent: text,
  user: text.meta({
    description: 'A user below the floor has no sessions for a viewer, like one who is not known.',
  }),
  repository: text,
};

const figures = {
  turns: count,
  toolCalls: count,
  failedToolCalls: count,
  tokens: z.object({ input: count, cacheRead: count, cacheWrite: count, output: count, reasoning: count }),
  costUsd: z
    .number()
    .nullable()
    .meta({ description: 'Estimate at list price; null where no model has a price.' }),
  unpricedCalls: count.meta({ description: 'Calls of models without a price.' }),
  lines: z.object({ added: count, removed: count }),
  edits: z.object({ accept: count, autoAccepted: count, modify: count, reject: count }),
  acceptance: z.number().nullable().meta({
    description:
      'Accepted and automatically accepted of those and the rejected, 0 to 1; null without decisions.',
  }),
  commits: count,
  pullRequests: count,
  costBySource: z.object({ main: z.number(), subagent: z.number(), side: z.number() }).meta({
    description: 'USD of the conversation, of its sub-agents, and of calls beside it (titles, summaries).',
  }),
  cacheHitRatio: z.number().nullable().meta({
    description: 'Input tokens read from the cache of all input tokens, 0 to 1; null without any.',
  }),
  waitedMs: count.meta({ description: 'Milliseconds that tools waited for a permission.' }),
  compactions: count,
};
export type CodingFigures = z.output<z.ZodObject<typeof figures>>;

export const codingSessionSchema = z
  .object({
    sessionId: z.string(),
    agent: z.string(),
    user: nullableText.meta({ description: 'Null where it is not known or below the floor.' }),
    startedAt: isoTime,
    endedAt: isoTime.meta({ description: 'Of the last event.' }),
    state: z.enum(['running', 'idle', 'ended', 'lost']),
    durationMs: z.number(),
    ...figures,
    subagents: count,
    repository: nullableText,
    branch: nullableText,
    workingFolder: nullableText,
    model: nullableText,
    captureMode: nullableText,
    outcome: nullableText,
    classification: z.enum(CODING_CLASSES).meta({
      description:
        'Work where its repository is on the list of the platform, personal where it is not; as an accepted dispute says.',
    }),
    openFindings: count.nullable().meta({
      description:
        'Findings of scanners in its repository that are neither fixed nor ignored; null where no scanner has looked at it.',
    }),
    traceId: z.string(),
  })
  .meta({ id: 'CodingSession' });
export type CodingSession = z.output<typeof codingSessionSchema>;

export const codingUserSchema = z
  .object({
    user: nullableText.meta({ description: 'Null: all users below the floor together, at least two.' }),
    users: count.meta({ description: 'How many users the row is.' }),
    sessions: count,
    lastSeen: isoTime,
    topAgent: z.string(),
    ...figures,
  })
  .meta({ id: 'CodingUser' });
export type CodingUser = z.output<typeof codingUserSchema>;

const summed = { sessions: count, users: count, ...figures };

/** What sessions are grouped by in a summary. */
export const CODING_GROUPS = ['agent', 'repository', 'model', 'captureMode'] as const;

export const codingPeriodSchema = z
  .object({
    from: isoTime,
    to: isoTime,
    totals: z.object(summed),
    groups: z.array(
      z.object({
        by: z.enum(CODING_GROUPS),
        name: nullableText.meta({ description: 'Null where sessions do not tell it.' }),
        ...summed,
      }),
    ),
    series: z.array(z.object({ start: isoTime, ...summed })).meta({
      description:
        'Sessions by the time of their start, in steps of `stepSeconds`; empty steps are left out.',
    }),
    stepSeconds: count,
  })
  .meta({ id: 'CodingPeriod' });
export type CodingPeriod = z.output<typeof codingPeriodSchema>;

/** What a session's events are: the kinds of spans that hooks make of them. */
export const CODING_EVENTS = [
  'turn',
  'model',
  'tool',
  'edit',
  'commit',
  'pull_request',
  'subagent',
  'compaction',
  'mode',
  'end',
  'other',
] as const;

export const codingEventSchema = z
  .object({
    id: z.string(),
    parentId: nullableText,
    traceId: z.string(),
    kind: z.enum(CODING_EVENTS),
    at: isoTime,
    durationMs: z.number(),
    failed: z.boolean(),
    error: nullableText,
    name: nullableText.meta({
      description: 'Tool, model, type of sub-agent, sha of a commit, address of a pull request, mode.',
    }),
    path: nullableText,
    command: nullableText,
    input: nullableText.meta({
      description: 'Prompt of a turn, arguments of a tool; at most 4,000 characters.',
    }),
    output: nullableText.meta({ description: 'Answer, result of a tool; at most 4,000 characters.' }),
    diff: nullableText,
    decision: nullableText,
    lines: z.object({ added: count, removed: count }).nullable(),
    tokens: z
      .object({ input: count, cacheRead: count, cacheWrite: count, output: count, reasoning: count })
      .nullable(),
    costUsd: z.number().nullable(),
    source: nullableText,
    waitedMs: z.number().nullable(),
  })
  .meta({ id: 'CodingEvent' });
export type CodingEvent = z.output<typeof codingEventSchema>;

const errors = ['bad_query', 'query_too_expensive', 'store_unavailable'] as const;

export const searchCodingSessions = defineRoute({
  id: 'searchCodingSessions',
  method: 'POST',
  path: '/api/coding-agents/sessions/search',
  tag: 'Telemetry',
  summary: 'Sessions of coding agents with what they did in the window, in whole hours, and what it cost',
  permission: reads('telemetry'),
  body: z.strictObject({ ...selection, ...pageShape, sort: z.enum(CODING_SESSION_SORTS).default('-start') }),
  response: z.object({ data: z.array(codingSessionSchema), nextCursor: nullableText }),
  errors: [...errors],
});

export const searchCodingUsers = defineRoute({
  id: 'searchCodingUsers',
  method: 'POST',
  path: '/api/coding-agents/users/search',
  tag: 'Telemetry',
  summary: 'Users of coding agents with their sessions summed up; viewers see those below the floor together',
  permission: reads('telemetry'),
  body: z.strictObject({
    ...selection,
    ...pageShape,
    sort: z.enum(CODING_USER_SORTS).default('-last'),
    silent: z.boolean().default(false).meta({
      description: 'Only users whose last event lies more than seven days before the end of the window.',
    }),
  }),
  response: z.object({ data: z.array(codingUserSchema), nextCursor: nullableText }),
  errors: [...errors],
});

export const summariseCodingAgents = defineRoute({
  id: 'summariseCodingAgents',
  method: 'POST',
  path: '/api/coding-agents/summary',
  tag: 'Telemetry',
  summary:
    'What coding agents did in the window and what it cost: totals, groups, course, and the window before it',
  permission: reads('telemetry'),
  body: z.strictObject({
    ...selection,
    compare: z
      .boolean()
      .default(false)
      .meta({ description: 'Also of the window of the same length before.' }),
  }),
  response: z.object({ data: codingPeriodSchema, previous: codingPeriodSchema.nullable() }),
  errors: [...errors],
});

export const getCodingSession = defineRoute({
  id: 'getCodingSession',
  method: 'GET',
  path: '/api/coding-agents/sessions/{sessionId}',
  tag: 'Telemetry',
  summary: 'A session of a coding agent: what it did in sum, and its events in their order',
  permission: reads('telemetry'),
  params: z.object({ sessionId: z.string().min(1).max(512) }),
  query: z.strictObject({
    agent: text,
    from: timeSchema.default('-30d'),
    to: timeSchema.default('now'),
    limit: z.coerce.number().int().min(1).max(LIST_LIMITS.maxPage).default(200),
    cursor: pageShape.cursor,
  }),
  response: z.object({
    data: codingSessionSchema,
    events: z.array(codingEventSchema),
    nextCursor: nullableText,
  }),
  errors: ['not_found', ...errors],
});

export const getCodingPolicy = defineRoute({
  id: 'getCodingPolicy',
  method: 'GET',
  path: '/api/coding-agents/policy',
  tag: 'Telemetry',
  summary:
    'What may be captured of coding agents; the command-line tool takes the stricter of this and its own',
  permission: reads('ingest'),
  response: z.object({
    capture: z.enum(['minimal', 'metadata_only', 'full']),
    repositories: z.array(z.string()).meta({ description: 'Only sessions in these are sent; empty: all.' }),
    floor: count,
  }),
});
