import { z } from 'zod';
import { defineRoute, reads } from '../route.ts';
import { count, isoTime, pageShape, timeSchema } from './common.ts';

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
};

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
  body: z.strictObject({ ...selection, ...pageShape, sort: z.enum(CODING_USER_SORTS).default('-last') }),
  response: z.object({ data: z.array(codingUserSchema), nextCursor: nullableText }),
  errors: [...errors],
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
