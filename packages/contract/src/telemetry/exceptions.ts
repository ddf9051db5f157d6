import { z } from 'zod';
import { defineRoute, reads, writes } from '../route.ts';
import { count, isoTime, pageShape, timeSchema, windowShape } from './common.ts';

export const EXCEPTION_SORTS = [
  '-lastSeen',
  'lastSeen',
  '-firstSeen',
  'firstSeen',
  '-count',
  'count',
  '-users',
  'users',
] as const;
export type ExceptionSort = (typeof EXCEPTION_SORTS)[number];

/** Points of the trend of a row and of a group's page; values of each breakdown. */
export const EXCEPTION_LIMITS = { rowTrend: 24, trend: 60, top: 8 } as const;

const nullableText = z.string().nullable();
const fingerprint = z.string().regex(/^[0-9a-f]{16}$/, 'A fingerprint is 16 lower-case hex digits.');

const trendSchema = z
  .object({
    fromMs: z.number().meta({ description: 'Start of the first bucket, epoch milliseconds.' }),
    bucketSeconds: z.number(),
    counts: z.array(count),
  })
  .meta({ id: 'ExceptionTrend' });
export type ExceptionTrend = z.output<typeof trendSchema>;

const groupShape = {
  fingerprint: z.string(),
  type: z.string().meta({ description: 'Empty when the sender names none.' }),
  message: z.string().meta({ description: 'Of the latest occurrence.' }),
  service: z.string().meta({ description: 'Of the latest occurrence.' }),
  count: count.meta({ description: 'Occurrences in the window; one exception counts once on a span.' }),
  traces: count,
  users: count,
  services: count,
  models: z.array(z.string()).meta({ description: 'At most eight.' }),
  firstSeen: isoTime.meta({ description: 'In all that is kept, whatever the window and the filter.' }),
  lastSeen: isoTime.meta({ description: 'In the window.' }),
  isNew: z.boolean().meta({ description: 'First seen within the window.' }),
  sampleTraceId: nullableText,
  sampleSpanId: nullableText,
};

export const exceptionGroupSchema = z
  .object({ ...groupShape, trend: trendSchema })
  .meta({ id: 'ExceptionGroup' });
export type ExceptionGroup = z.output<typeof exceptionGroupSchema>;

export const exceptionOccurrenceSchema = z
  .object({
    id: z.string(),
    timestamp: isoTime,
    source: z.enum(['event', 'log', 'status']).meta({
      description:
        'A span event, a log record, or a failed span that names its error type and records no exception.',
    }),
    message: z.string(),
    escaped: z.boolean().meta({ description: 'The exception left the scope of its span.' }),
    service: z.string(),
    version: nullableText,
    environment: z.string(),
    traceId: nullableText,
    spanId: nullableText,
    spanName: nullableText,
    model: nullableText,
    provider: nullableText,
    agent: nullableText,
    tool: nullableText,
    userId: nullableText,
    sessionId: nullableText,
  })
  .meta({ id: 'ExceptionOccurrence' });
export type ExceptionOccurrence = z.output<typeof exceptionOccurrenceSchema>;

const BREAKDOWNS = ['service', 'version', 'model', 'agent', 'tool', 'user', 'span'] as const;
export type ExceptionBreakdown = (typeof BREAKDOWNS)[number];

export const exceptionDetailSchema = z
  .object({
    ...groupShape,
    lastSeen: isoTime.meta({ description: 'In the window; in all that is kept when the window holds none.' }),
    messageCut: z.boolean().meta({
      description: 'The message is as long as a group keeps of one; its span or log record has it whole.',
    }),
    stacktrace: nullableText.meta({
      description: 'Of the latest occurrence that has one. Only on the first page of occurrences.',
    }),
    stacktraceCut: z.boolean().meta({
      description:
        'The stack trace is too long to be given whole: a line between its beginning and its end says how much is missing. Where its span or log record is gone, only the beginning is left.',
    }),
    trend: trendSchema,
    breakdowns: z
      .array(
        z.object({
          field: z.enum(BREAKDOWNS),
          values: z.array(z.object({ value: z.string(), count })),
          more: z.boolean(),
        }),
      )
      .meta({ description: 'Empty on further pages of occurrences: the first has them.' }),
    occurrences: z.array(exceptionOccurrenceSchema),
  })
  .meta({ id: 'ExceptionDetail' });
export type ExceptionDetail = z.output<typeof exceptionDetailSchema>;

/** What a group of exceptions is: `regressed` was resolved and happened again. */
export const TRIAGE_STATUSES = ['open', 'regressed', 'resolved', 'ignored'] as const;

const triageSchema = z
  .object({
    status: z.enum(TRIAGE_STATUSES),
    assignee: nullableText,
    changedBy: nullableText,
    changedAt: isoTime.nullable().meta({ description: 'Null where nobody decided anything.' }),
  })
  .meta({ id: 'ExceptionTriage' });
export type ExceptionTriage = z.output<typeof triageSchema>;

const triagedGroupSchema = exceptionGroupSchema
  .extend({ triage: triageSchema })
  .meta({ id: 'TriagedException' });
export type TriagedException = z.output<typeof triagedGroupSchema>;

export const triageException = defineRoute({
  id: 'triageException',
  method: 'PATCH',
  path: '/api/telemetry/exceptions/{fingerprint}/triage',
  tag: 'Exceptions',
  summary: 'Resolves, ignores, reopens or assigns a group of exceptions',
  permission: writes('telemetry'),
  params: z.object({ fingerprint }),
  body: z.strictObject({
    status: z.enum(['open', 'resolved', 'ignored']).optional(),
    assignee: z.string().trim().min(1).max(200).nullable().optional().meta({
      description: 'Name or e-mail address; null: nobody.',
    }),
  }),
  response: z.object({ data: triageSchema }),
  errors: ['refused', 'metadata_unavailable'],
});

export const searchExceptions = defineRoute({
  id: 'searchExceptions',
  method: 'POST',
  path: '/api/telemetry/exceptions/search',
  tag: 'Telemetry',
  summary: 'Exceptions grouped by type and message, with their trend and whom they affect',
  permission: reads('telemetry'),
  shared: true,
  body: z.strictObject({
    ...windowShape,
    ...pageShape,
    sort: z.enum(EXCEPTION_SORTS).default('-lastSeen'),
    status: z
      .enum(['any', ...TRIAGE_STATUSES])
      .default('any')
      .meta({
        description: '`open` holds those that came back after they were resolved, `regressed` these alone.',
      }),
  }),
  response: z.object({ data: z.array(triagedGroupSchema), nextCursor: nullableText }),
  errors: ['bad_query', 'query_too_expensive', 'store_unavailable'],
});

export const getException = defineRoute({
  id: 'getException',
  method: 'GET',
  path: '/api/telemetry/exceptions/{fingerprint}',
  tag: 'Telemetry',
  summary:
    'One group of exceptions: figures, trend, breakdowns, and its occurrences page by page, newest first',
  permission: reads('telemetry'),
  params: z.object({ fingerprint }),
  query: z.object({
    from: timeSchema.default('-24h'),
    to: timeSchema.default('now'),
    q: windowShape.q,
    cursor: pageShape.cursor,
    limit: z.coerce.number().int().min(1).max(200).default(50),
  }),
  response: z.object({
    data: exceptionDetailSchema.extend({ triage: triageSchema }),
    nextCursor: nullableText,
  }),
  errors: ['bad_query', 'not_found', 'query_too_expensive', 'store_unavailable'],
});
