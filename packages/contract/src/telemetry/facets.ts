import { EVENT_KINDS } from '../filter/records.ts';
import { z } from 'zod';
import type { FieldName } from '../filter/fields.ts';
import { MAX_COUNTED_KEYS } from '../filter/keys.ts';
import { defineRoute, reads } from '../route.ts';
import { count, estimateShape, sampleSchema, windowShape } from './common.ts';

/** Fields that one question may count. */
const MAX_FACETS = 24;

/** Longer values are no facets: nobody reads them, or filters by them. */
export const MAX_FACET_BYTES = 1_024;

const DEFAULT_FIELDS = {
  spans: ['service', 'environment', 'model', 'provider', 'operation', 'status', 'agent'],
  logs: ['service', 'environment', 'severity', 'event'],
  exceptions: ['error_type', 'service', 'environment', 'model', 'agent', 'tool'],
} as const satisfies Record<string, readonly FieldName[]>;

/** The fields counted when a request names none. */
export const defaultFacets = (signal: keyof typeof DEFAULT_FIELDS): readonly FieldName[] =>
  DEFAULT_FIELDS[signal];

export const facets = defineRoute({
  id: 'facets',
  method: 'POST',
  path: '/api/telemetry/facets',
  tag: 'Telemetry',
  summary: 'The most frequent values of each field among matching spans, log records or exceptions',
  permission: reads('telemetry'),
  shared: true,
  body: z.strictObject({
    signal: z.enum([...EVENT_KINDS, 'exceptions']).default('spans'),
    ...windowShape,
    fields: z
      .array(z.string().min(1).max(300))
      .min(1)
      .max(MAX_FACETS)
      .optional()
      .meta({
        description: `As a filter writes them, each once: short names of texts, or \`attributes.<key>\`, \`resource.<key>\`, \`scope.<key>\` of spans and log records, at most ${MAX_COUNTED_KEYS} of these. Omitted: the usual ones of the signal.`,
        examples: [['service', 'attributes.customer.tier']],
      }),
    search: z.string().max(200).optional().meta({
      description: 'Only values that hold this text, whatever its case.',
    }),
    limit: z.int().min(1).max(50).default(12),
    ...estimateShape,
  }),
  response: z.object({
    data: z.array(
      z.object({
        field: z.string().meta({ description: 'As it was asked for.' }),
        values: z.array(z.object({ value: z.string(), count })).meta({
          description: `The most frequent first. Rows without the field, with an empty value or one of more than ${MAX_FACET_BYTES} bytes are left out.`,
        }),
        more: z.boolean().meta({ description: 'True when there are more values than `limit`.' }),
      }),
    ),
    sample: sampleSchema,
  }),
  errors: ['bad_query', 'query_too_expensive', 'store_unavailable'],
});
