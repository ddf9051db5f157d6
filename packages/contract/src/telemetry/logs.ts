import { z } from 'zod';
import { SEVERITIES } from '../filter/severities.ts';
import { defineRoute, reads } from '../route.ts';
import { count, earlyShape, isoTime, pageShape, windowShape } from './common.ts';
import { conversationSchema } from './conversation.ts';
import { attributeSchema } from './traces.ts';

export const LOG_SORTS = ['-time', 'time'] as const;
export type LogSort = (typeof LOG_SORTS)[number];

/** Characters of a body that a row shows, and lines of context around a record. */
export const LOG_LIMITS = { rowBody: 2_000, context: 200, defaultContext: 20 } as const;

const nullableText = z.string().nullable();

const logRowShape = {
  id: z.string().meta({ description: 'Opaque and exact: the same record, for as long as it is kept.' }),
  timestamp: isoTime,
  timeUnixNano: z.string().meta({ description: 'The same time in nanoseconds, as text.' }),
  severity: z
    .enum(SEVERITIES)
    .meta({ description: 'By severity number; by its text where the number is missing.' }),
  severityText: nullableText.meta({ description: 'As the sender spells it.' }),
  service: z.string(),
  environment: z.string(),
  body: z
    .string()
    .meta({ description: `At most ${LOG_LIMITS.rowBody} characters. What was no text is JSON.` }),
  bodyTruncated: z.boolean(),
  traceId: nullableText,
  spanId: nullableText,
  eventName: nullableText,
  scopeName: z.string(),
};

export const logRowSchema = z.object(logRowShape).meta({ id: 'LogRow' });
export type LogRow = z.output<typeof logRowSchema>;

export const logDetailSchema = z
  .object({
    ...logRowShape,
    body: z.string().meta({ description: 'Whole, as stored.' }),
    observedTimestamp: isoTime,
    severityNumber: count.nullable(),
    flags: count,
    attributes: z.array(attributeSchema),
    resource: z.array(attributeSchema),
    resourceSchemaUrl: nullableText,
    scope: z.object({
      name: z.string(),
      version: z.string(),
      schemaUrl: nullableText,
      attributes: z.array(attributeSchema),
    }),
    convention: nullableText,
    operation: nullableText,
    provider: nullableText,
    model: nullableText,
    agent: nullableText,
    tool: nullableText,
    sessionId: nullableText,
    userId: nullableText,
    errorType: nullableText,
    inputTokens: count.nullable(),
    outputTokens: count.nullable(),
    costUsd: z.number().nullable(),
    conversation: conversationSchema.nullable().meta({
      description: 'Messages of a GenAI event in the one model; null when the record is none.',
    }),
  })
  .meta({ id: 'LogDetail' });
export type LogDetail = z.output<typeof logDetailSchema>;

const logId = z.object({ id: z.string().min(1).max(64) });

export const searchLogs = defineRoute({
  id: 'searchLogs',
  method: 'POST',
  path: '/api/telemetry/logs/search',
  tag: 'Telemetry',
  summary: 'Matching log records, newest first or oldest first',
  permission: reads('telemetry'),
  shared: true,
  body: z.strictObject({
    ...windowShape,
    ...pageShape,
    ...earlyShape,
    sort: z.enum(LOG_SORTS).default('-time'),
  }),
  response: z.object({ data: z.array(logRowSchema), nextCursor: nullableText }),
  errors: ['bad_query', 'query_too_expensive', 'store_unavailable'],
});

export const getLog = defineRoute({
  id: 'getLog',
  method: 'GET',
  path: '/api/telemetry/logs/{id}',
  tag: 'Telemetry',
  summary: 'One log record whole: body, attributes, resource, scope, messages',
  permission: reads('telemetry'),
  params: logId,
  response: z.object({ data: logDetailSchema }),
  errors: ['not_found', 'query_too_expensive', 'store_unavailable'],
});

const lines = z.coerce.number().int().min(0).max(LOG_LIMITS.context).default(LOG_LIMITS.defaultContext);

export const getLogContext = defineRoute({
  id: 'getLogContext',
  method: 'GET',
  path: '/api/telemetry/logs/{id}/context',
  tag: 'Telemetry',
  summary: 'The lines before and after a log record, of the same service instance, within a day of it',
  permission: reads('telemetry'),
  params: logId,
  query: z.object({ before: lines, after: lines }),
  response: z.object({
    data: z.object({
      /** Oldest first, ending right before the record. */
      before: z.array(logRowSchema),
      log: logRowSchema,
      /** Oldest first, beginning right after the record. */
      after: z.array(logRowSchema),
      instance: z
        .array(z.object({ key: z.string(), value: z.string() }))
        .meta({ description: 'The resource attributes that the lines have in common with the record.' }),
    }),
  }),
  errors: ['not_found', 'query_too_expensive', 'store_unavailable'],
});
