import { EVENT_KINDS } from '../filter/records.ts';
import { z } from 'zod';
import { defineRoute, reads } from '../route.ts';
import {
  count,
  estimateShape,
  isoTime,
  LIST_LIMITS,
  sampleSchema,
  timeSchema,
  windowShape,
} from './common.ts';

/** What can be measured, of spans all of it. Tokens and cost count once: parents that repeat their children are left out. */
export const MEASURES = [
  'count',
  'errors',
  'error_rate',
  'traces',
  'sessions',
  'users',
  'duration_avg',
  'duration_p50',
  'duration_p90',
  'duration_p95',
  'duration_p99',
  'ttft_p50',
  'ttft_p95',
  'model_calls',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'total_tokens',
  'cost',
] as const;

/** What can be measured of log records; errors are those of severity error and fatal. */
export const LOG_MEASURES = ['count', 'errors', 'error_rate', 'traces', 'sessions', 'users'] as const;

export type Measure = (typeof MEASURES)[number];

const values = z.array(z.number().nullable());

export const aggregate = defineRoute({
  id: 'aggregate',
  method: 'POST',
  path: '/api/telemetry/aggregate',
  tag: 'Telemetry',
  summary:
    'Counts, errors, durations, tokens and cost of matching spans or log records, by time and by up to three fields',
  permission: reads('telemetry'),
  shared: true,
  body: z.strictObject({
    signal: z.enum(EVENT_KINDS).default('spans'),
    ...windowShape,
    groupBy: z.array(z.string().min(1).max(300)).max(3).default([]).meta({
      description: 'Short field names or `attributes.<key>`, `resource.<key>`, `scope.<key>`.',
    }),
    measures: z
      .array(z.enum(MEASURES))
      .min(1)
      .max(MEASURES.length)
      .default(['count', 'errors'])
      .meta({
        description: `Durations are milliseconds, quantiles within one percent, rates from 0 to 1, cost in USD. Of logs: ${LOG_MEASURES.join(', ')}.`,
      }),
    bucketSeconds: z
      .union([z.int().min(1).max(31_536_000), z.literal('auto')])
      .optional()
      .meta({
        description:
          'Width of a time bucket; buckets begin at multiples of it since 1970 UTC. `auto` takes about 60 buckets; omitted: no buckets.',
      }),
    limit: z.int().min(1).max(LIST_LIMITS.maxPage).default(LIST_LIMITS.defaultPage).meta({
      description: 'Groups to return, the largest by the first measure first.',
    }),
    ...estimateShape,
    comparePrevious: z
      .union([z.boolean(), z.strictObject({ from: timeSchema, to: timeSchema })])
      .default(false)
      .meta({
        description:
          'Also measure the period before: of whole calendar months (UTC) as many months before, else the same length right before `from`; or the period that is given, its begin moved onto `from`.',
      }),
  }),
  response: z.object({
    data: z.object({
      from: isoTime,
      to: isoTime,
      bucketSeconds: z.number().nullable().meta({ description: 'Null when no buckets were asked for.' }),
      rows: z.array(
        z.object({
          time: isoTime.nullable().meta({
            description: 'Start of the bucket; buckets without a row hold nothing. Null without buckets.',
          }),
          group: z.array(z.string()).meta({ description: 'Values in the order of `groupBy`.' }),
          values: values.meta({
            description: 'In the order of `measures`; null where there is nothing to measure.',
          }),
          previous: values.nullable().meta({
            description:
              'The same of the period before, its buckets moved onto these; null when it holds nothing, or was not asked for.',
          }),
        }),
      ),
      groups: count.meta({
        description:
          'Groups of the window, of which `limit` were returned. Those that only the period before has come besides, where `limit` leaves room.',
      }),
      previous: z
        .object({
          from: isoTime,
          to: isoTime,
          since: isoTime.nullable().meta({
            description:
              'The first span or log record in it, whatever the filter, where none is older than the period: before that nothing was received yet, or retention took it, and there is nothing to compare with. `to` when there is none in it; null when the whole period is covered. Rows that arrived days after the time of their clock count only where they are many, as those of an import are.',
          }),
        })
        .nullable()
        .meta({ description: 'The period before; null when it was not asked for.' }),
      source: z.enum(['rollup', 'rows']).meta({
        description:
          '`rollup`: from sums kept for five minutes each, and rows only at the edges of the period. Equal to `rows`, which reads them all.',
      }),
      sample: sampleSchema,
      maxRowsToRead: count.meta({ description: 'The query may read no more rows than this.' }),
    }),
  }),
  errors: ['bad_query', 'query_too_expensive', 'store_unavailable'],
});
