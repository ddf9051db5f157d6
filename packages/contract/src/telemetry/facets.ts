import { z } from 'zod';
import { defineRoute, reads } from '../route.ts';
import { count, windowShape } from './common.ts';

/** Fields whose values can be counted, by signal. */
export const SPAN_FACETS = [
  'service',
  'environment',
  'model',
  'provider',
  'operation',
  'status',
  'agent',
  'tool',
  'kind',
  'name',
  'error_type',
  'root',
  'workflow',
  'prompt_name',
  'prompt_version',
  'finish_reason',
  'convention',
  'scope_name',
] as const;
export const LOG_FACETS = [
  'service',
  'environment',
  'severity',
  'severity_text',
  'event',
  'scope_name',
  'model',
  'provider',
  'operation',
  'agent',
  'tool',
  'error_type',
  'convention',
] as const;

export const EXCEPTION_FACETS = [
  'error_type',
  'service',
  'environment',
  'model',
  'provider',
  'agent',
  'tool',
  'name',
] as const;

export const FACET_FIELDS = [...new Set([...SPAN_FACETS, ...LOG_FACETS, ...EXCEPTION_FACETS])] as const;
export type FacetField = (typeof FACET_FIELDS)[number];

const DEFAULT_FIELDS = {
  spans: ['service', 'environment', 'model', 'provider', 'operation', 'status', 'agent'],
  logs: ['service', 'environment', 'severity', 'event'],
  exceptions: ['error_type', 'service', 'environment', 'model', 'agent', 'tool'],
} as const satisfies Record<string, readonly FacetField[]>;

/** The fields counted when a request names none. */
export const defaultFacets = (signal: keyof typeof DEFAULT_FIELDS): readonly FacetField[] =>
  DEFAULT_FIELDS[signal];

export const facets = defineRoute({
  id: 'facets',
  method: 'POST',
  path: '/api/telemetry/facets',
  tag: 'Telemetry',
  summary: 'The most frequent values of each field among matching spans, log records or exceptions',
  permission: reads('telemetry'),
  body: z.strictObject({
    signal: z.enum(['spans', 'logs', 'exceptions']).default('spans'),
    ...windowShape,
    fields: z
      .array(z.enum(FACET_FIELDS))
      .min(1)
      .max(FACET_FIELDS.length)
      .optional()
      .meta({ description: 'Omitted: the usual ones of the signal.' }),
    search: z.string().max(200).optional().meta({
      description: 'Only values that hold this text, whatever its case.',
    }),
    limit: z.int().min(1).max(50).default(12),
  }),
  response: z.object({
    data: z.array(
      z.object({
        field: z.enum(FACET_FIELDS),
        values: z.array(z.object({ value: z.string(), count })),
        more: z.boolean().meta({ description: 'True when there are more values than `limit`.' }),
      }),
    ),
  }),
  errors: ['bad_query', 'query_too_expensive', 'store_unavailable'],
});
