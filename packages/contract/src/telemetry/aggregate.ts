import { z } from 'zod';
import { defineRoute } from '../route.ts';
import { count, isoTime, LIST_LIMITS, windowShape } from './common.ts';

export const MEASURES = [
  'count',
  'errors',
  'traces',
  'duration_avg',
  'duration_p50',
  'duration_p95',
  'duration_p99',
  'input_tokens',
  'output_tokens',
  'cost',
] as const;
export type Measure = (typeof MEASURES)[number];

export const aggregate = defineRoute({
  id: 'aggregate',
  method: 'POST',
  path: '/api/telemetry/aggregate',
  tag: 'Telemetry',
  summary: 'Counts, errors, durations, tokens and cost of matching spans, by time and by up to three fields',
  permission: 'telemetry',
  body: z.strictObject({
    signal: z.literal('spans').default('spans'),
    ...windowShape,
    groupBy: z.array(z.string().min(1).max(300)).max(3).default([]),
    measures: z.array(z.enum(MEASURES)).min(1).max(MEASURES.length).default(['count', 'errors']),
    bucketSeconds: z
      .union([z.int().min(1).max(31_536_000), z.literal('auto')])
      .optional()
      .meta({ description: 'Width of a time bucket; `auto` takes about 60 buckets; omitted: no buckets.' }),
    limit: z.int().min(1).max(LIST_LIMITS.maxPage).default(LIST_LIMITS.defaultPage).meta({
      description: 'Groups to return, the largest first.',
    }),
  }),
  response: z.object({
    data: z.object({
      from: isoTime,
      to: isoTime,
      /** Null when no buckets were asked for. */
      bucketSeconds: z.number().nullable(),
      rows: z.array(
        z.object({
          /** Start of the bucket; buckets without a row hold nothing. Null without buckets. */
          time: isoTime.nullable(),
          /** Values in the order of `groupBy`. */
          group: z.array(z.string()),
          /** Values in the order of `measures`; null where there is nothing to measure. */
          values: z.array(z.number().nullable()),
        }),
      ),
      /** Groups that exist, of which `limit` were returned. */
      groups: count,
    }),
  }),
  errors: ['bad_query', 'query_too_expensive', 'store_unavailable'],
});

export const FACET_FIELDS = [
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
] as const;
export type FacetField = (typeof FACET_FIELDS)[number];

export const facets = defineRoute({
  id: 'facets',
  method: 'POST',
  path: '/api/telemetry/facets',
  tag: 'Telemetry',
  summary: 'The most frequent values of each field among matching spans',
  permission: 'telemetry',
  body: z.strictObject({
    ...windowShape,
    fields: z
      .array(z.enum(FACET_FIELDS))
      .min(1)
      .max(FACET_FIELDS.length)
      .default(['service', 'environment', 'model', 'provider', 'operation', 'status', 'agent']),
    limit: z.int().min(1).max(50).default(12),
  }),
  response: z.object({
    data: z.array(
      z.object({
        field: z.enum(FACET_FIELDS),
        values: z.array(z.object({ value: z.string(), count })),
        /** True when there are more values than `limit`. */
        more: z.boolean(),
      }),
    ),
  }),
  errors: ['bad_query', 'query_too_expensive', 'store_unavailable'],
});
