import { z } from 'zod';
import { MAX_ROW_FIELDS } from '../filter/keys.ts';
import { defineRoute, reads } from '../route.ts';
import {
  count,
  isoTime,
  LIST_LIMITS,
  MAX_PREVIEWS,
  earlyShape,
  listSampleSchema,
  pageShape,
  previewSchema,
  spanSummaryShape,
  windowShape,
} from './common.ts';
import { conversationSchema } from './conversation.ts';

export const TRACE_SORTS = [
  '-start',
  'start',
  '-duration',
  'duration',
  '-cost',
  'cost',
  '-tokens',
  'tokens',
  '-spanCount',
  'spanCount',
] as const;
export type TraceSort = (typeof TRACE_SORTS)[number];

export const SPAN_SORTS = [
  '-start',
  'start',
  '-duration',
  'duration',
  '-cost',
  'cost',
  '-tokens',
  'tokens',
] as const;
export type SpanSort = (typeof SPAN_SORTS)[number];

const traceId = z.string().regex(/^[0-9a-fA-F]{32}$/, 'A trace id is 32 hex digits.');
const spanId = z.string().regex(/^[0-9a-fA-F]{16}$/, 'A span id is 16 hex digits.');
const nullableText = z.string().nullable();
/** A hundred years: longer is no trace, and a time that far away is none of the store's. */
const MAX_TRACE_MS = 3_155_760_000_000;

const usageTotals = {
  inputTokens: count.nullable(),
  outputTokens: count.nullable(),
  costUsd: z.number().nullable(),
};

/** Classes that a cost is made of: of tokens, and searches of the web. */
const COST_CLASSES = [
  'input',
  'inputAudio',
  'inputImage',
  'cacheRead',
  'cacheWrite',
  'cacheWrite1h',
  'output',
  'outputAudio',
  'outputImage',
  'reasoning',
  'webSearch',
] as const;

/** Where the cost of a call comes from. */
export const costOriginSchema = z
  .object({
    kind: z.enum(['custom', 'list', 'earlier', 'person', 'sender']).meta({
      description:
        '`custom`: a price that somebody set for the project or the organisation; `list`: the price list; `earlier`: the list as it was when the span arrived; `person`: somebody set it in the application; `sender`: reckoned by the SDK, where the list has no price.',
    }),
    priceId: nullableText.meta({ description: '`provider/model` of the list.' }),
    priceDate: nullableText.meta({
      description: 'The day from which these rates hold, or on which they were seen.',
    }),
    source: nullableText.meta({ description: 'Address of the page that states them.' }),
    parts: z
      .array(
        z.object({
          of: z.enum(COST_CLASSES),
          amount: count.meta({ description: 'Tokens or searches.' }),
          rate: z.number().meta({
            description: 'USD per million tokens, tier, region and hour included; of a search per thousand.',
          }),
          costUsd: z.number(),
        }),
      )
      .meta({ description: 'What each class of tokens adds; none where no price is known.' }),
  })
  .meta({ id: 'CostOrigin' });
export type CostOrigin = z.output<typeof costOriginSchema>;

export const traceRowSchema = z
  .object({
    traceId: z.string(),
    rootName: z.string(),
    rootService: z.string(),
    environment: z.string(),
    startTime: isoTime,
    durationMs: z.number(),
    unfinished: z.boolean().meta({
      description:
        'The root was sent without an end, while it ran: the duration reaches to the last end known.',
    }),
    spanCount: count,
    errorCount: count,
    status: z.enum(['ok', 'error']).meta({ description: '`error` when the root span failed.' }),
    models: z.array(z.string()),
    ...usageTotals,
    sessionId: nullableText,
    userId: nullableText,
    openingNs: nullableText.meta({
      description: 'Start of the span that shows the conversation, nanoseconds; asks for its preview.',
    }),
    preview: previewSchema,
  })
  .meta({ id: 'TraceRow' });
export type TraceRow = z.output<typeof traceRowSchema>;

export const spanRowSchema = z
  .object({
    traceId: z.string(),
    ...spanSummaryShape,
    fields: z.array(nullableText).optional().meta({
      description:
        'Values of the `fields` asked for, in their order, as text of at most 300 characters; null where the span has none. Absent when none were asked for.',
    }),
  })
  .meta({ id: 'SpanRow' });
export type SpanRow = z.output<typeof spanRowSchema>;

const lightSpanShape = {
  ...spanSummaryShape,
  offsetMs: z.number().meta({
    description: 'Start after the start of the trace, in milliseconds with fractions; for drawing.',
  }),
};

export const lightSpanSchema = z.object(lightSpanShape).meta({ id: 'LightSpan' });
export type LightSpan = z.output<typeof lightSpanSchema>;

export const traceSchema = z
  .object({
    traceId: z.string(),
    rootName: z.string(),
    rootService: z.string(),
    environment: z.string(),
    startTime: isoTime,
    durationMs: z.number(),
    spanCount: count,
    errorCount: count,
    services: z.array(z.string()),
    models: z.array(z.string()),
    ...usageTotals,
    sessionId: nullableText,
    userId: nullableText,
    /** True when this page does not hold all spans. */
    truncated: z.boolean(),
    spans: z.array(lightSpanSchema),
  })
  .meta({ id: 'Trace' });
export type Trace = z.output<typeof traceSchema>;

export const attributeSchema = z
  .object({
    key: z.string(),
    type: z.enum(['string', 'int', 'double', 'bool', 'json', 'bytes', 'null']),
    value: z.unknown().meta({
      description:
        'As its type says. Integers beyond 2^53 and special doubles are text; bytes are base64; json is the array or object itself.',
    }),
  })
  .meta({ id: 'Attribute', description: 'A list, not an object: keys are whatever the sender chose.' });
export type Attribute = z.output<typeof attributeSchema>;

export const spanDetailSchema = z
  .object({
    traceId: z.string(),
    ...spanSummaryShape,
    startTimeUnixNano: z.string(),
    endTimeUnixNano: z.string(),
    traceState: nullableText,
    flags: count,
    usage: z
      .object({ input: count, cacheRead: count, cacheWrite: count, output: count, reasoning: count })
      .nullable()
      .meta({ description: 'Token classes; no token is in two of them.' }),
    emitterCostUsd: z.number().nullable(),
    costOrigin: costOriginSchema.nullable(),
    requestModel: nullableText,
    responseModel: nullableText,
    responseId: nullableText,
    workflow: nullableText,
    promptName: nullableText,
    promptVersion: nullableText,
    finishReason: nullableText,
    convention: nullableText,
    scope: z.object({ name: z.string(), version: z.string(), attributes: z.array(attributeSchema) }),
    resource: z.array(attributeSchema),
    attributes: z.array(attributeSchema),
    events: z.array(
      z.object({
        name: z.string(),
        time: isoTime,
        offsetMs: z.number(),
        attributes: z.array(attributeSchema),
      }),
    ),
    links: z.array(
      z.object({
        traceId: z.string(),
        spanId: z.string(),
        traceState: nullableText,
        attributes: z.array(attributeSchema),
      }),
    ),
    conversation: conversationSchema,
  })
  .meta({ id: 'SpanDetail' });
export type SpanDetail = z.output<typeof spanDetailSchema>;

export type HierarchyNode = LightSpan & { readonly children: readonly HierarchyNode[] };
export const hierarchyNodeSchema: z.ZodType<HierarchyNode> = z
  .lazy(() => z.object({ ...lightSpanShape, children: z.array(hierarchyNodeSchema) }))
  .meta({ id: 'HierarchyNode' });

export const searchTraces = defineRoute({
  id: 'searchTraces',
  method: 'POST',
  path: '/api/telemetry/traces/search',
  tag: 'Telemetry',
  summary: 'Traces of which at least one span matches',
  permission: reads('telemetry'),
  shared: true,
  body: z.strictObject({
    ...windowShape,
    ...pageShape,
    ...earlyShape,
    sort: z.enum(TRACE_SORTS).default('-start'),
    previews: z.boolean().default(true).meta({
      description: 'False: rows come without first words, sooner; `/api/telemetry/traces/previews` has them.',
    }),
  }),
  response: z.object({ data: z.array(traceRowSchema), nextCursor: nullableText, sample: listSampleSchema }),
  errors: ['bad_query', 'query_too_expensive', 'store_unavailable'],
});

export const tracePreviews = defineRoute({
  id: 'tracePreviews',
  method: 'POST',
  path: '/api/telemetry/traces/previews',
  tag: 'Telemetry',
  summary:
    'First words of the conversations of traces, by what their rows say; those without any are left out',
  permission: reads('telemetry'),
  body: z.strictObject({
    traces: z
      .array(
        z.strictObject({
          traceId,
          startTime: isoTime,
          durationMs: z.number().min(0).max(MAX_TRACE_MS),
          openingNs: z
            .string()
            .regex(/^\d{1,19}$/)
            .nullable(),
        }),
      )
      .max(MAX_PREVIEWS),
  }),
  response: z.object({
    data: z.array(z.object({ traceId: z.string(), preview: previewSchema })),
  }),
  errors: ['query_too_expensive', 'store_unavailable'],
});

export const searchSpans = defineRoute({
  id: 'searchSpans',
  method: 'POST',
  path: '/api/telemetry/spans/search',
  tag: 'Telemetry',
  summary: 'Matching spans, without their messages',
  permission: reads('telemetry'),
  shared: true,
  body: z.strictObject({
    ...windowShape,
    ...pageShape,
    ...earlyShape,
    sort: z.enum(SPAN_SORTS).default('-start'),
    fields: z
      .array(z.string().min(1).max(300))
      .max(MAX_ROW_FIELDS)
      .default([])
      .meta({
        description: 'Fields that each row carries besides its own, as a filter writes them.',
        examples: [['attributes.http.route', 'resource.host.name', 'finish_reason']],
      }),
  }),
  response: z.object({ data: z.array(spanRowSchema), nextCursor: nullableText, sample: listSampleSchema }),
  errors: ['bad_query', 'query_too_expensive', 'store_unavailable'],
});

export const getTrace = defineRoute({
  id: 'getTrace',
  method: 'GET',
  path: '/api/telemetry/traces/{traceId}',
  tag: 'Telemetry',
  summary: 'One trace with its spans, oldest first, paged when there are more than 5,000',
  permission: reads('telemetry'),
  params: z.object({ traceId }),
  query: z.object({
    cursor: z.string().min(1).max(1_024).optional(),
    limit: z.coerce.number().int().min(1).max(LIST_LIMITS.tracePage).default(LIST_LIMITS.tracePage),
  }),
  response: z.object({ data: traceSchema, nextCursor: nullableText }),
  errors: ['not_found', 'query_too_expensive', 'store_unavailable'],
});

export const getSpan = defineRoute({
  id: 'getSpan',
  method: 'GET',
  path: '/api/telemetry/traces/{traceId}/spans/{spanId}',
  tag: 'Telemetry',
  summary: 'One span whole: attributes, events, links, messages, tools, scope, resource',
  permission: reads('telemetry'),
  params: z.object({ traceId, spanId }),
  query: z.object({
    start: isoTime
      .optional()
      .meta({ description: 'Of several spans with that id the one with this `startTime`; else the first.' }),
  }),
  response: z.object({ data: spanDetailSchema }),
  errors: ['not_found', 'store_unavailable'],
});

export const getHierarchy = defineRoute({
  id: 'getHierarchy',
  method: 'GET',
  path: '/api/telemetry/spans/{spanId}/hierarchy',
  tag: 'Telemetry',
  summary: "The tree of the span's trace; several roots and orphans are kept, cycles broken",
  permission: reads('telemetry'),
  params: z.object({ spanId }),
  response: z.object({
    data: z.object({
      traceId: z.string(),
      roots: z.array(hierarchyNodeSchema),
      orphans: count.meta({ description: 'Roots whose parent was never received.' }),
      truncated: z.boolean().meta({
        description:
          'True when the trace has more than 5,000 spans: the first of them are here, this span and those it lies below.',
      }),
    }),
  }),
  errors: ['not_found', 'query_too_expensive', 'store_unavailable'],
});
