import { z } from 'zod';
import { defineRoute, reads } from '../route.ts';

/** Spans that one search inside a trace names at most. */
export const MAX_TRACE_HITS = 1_000;

const traceHitSchema = z
  .object({
    spanId: z.string(),
    where: z
      .enum(['span', 'log'])
      .meta({ description: 'In the span itself, or in a log record that names it.' }),
    excerpt: z.string().meta({ description: 'The text around the first term, as it was sent.' }),
    repeats: z.boolean().meta({
      description:
        'True of a model call in which only the history holds them: messages that an earlier call of the trace was told or said.',
    }),
  })
  .meta({ id: 'TraceHit' });
export type TraceHit = z.output<typeof traceHitSchema>;

export const searchTrace = defineRoute({
  id: 'searchTrace',
  method: 'GET',
  path: '/api/telemetry/traces/{traceId}/search',
  tag: 'Telemetry',
  summary: 'Spans of one trace whose names, attributes, events, messages or log records hold all the terms',
  permission: reads('telemetry'),
  params: z.object({ traceId: z.string().regex(/^[0-9a-fA-F]{32}$/, 'A trace id is 32 hex digits.') }),
  query: z.object({
    q: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .meta({
        description: 'Words, each anywhere in the span, whatever their case; texts in quotes as they are.',
        examples: ['refund "order 4711"'],
      }),
  }),
  response: z.object({
    data: z.object({
      hits: z.array(traceHitSchema).meta({ description: 'By the start of the span.' }),
      truncated: z.boolean().meta({ description: `True when more than ${MAX_TRACE_HITS} spans hold them.` }),
    }),
  }),
  errors: ['not_found', 'query_too_expensive', 'store_unavailable'],
});
