import { z } from 'zod';
import { defineRoute, reads } from '../route.ts';
import { count, estimateShape, isoTime, sampleSchema, windowShape } from './common.ts';

/** Buckets of time that one answer may have. */
export const DURATION_MAX_BUCKETS = 200;

export const spanDurations = defineRoute({
  id: 'spanDurations',
  method: 'POST',
  path: '/api/telemetry/spans/durations',
  tag: 'Telemetry',
  summary:
    'How the durations of matching spans are spread over time: counts by bucket of time and of duration',
  permission: reads('telemetry'),
  shared: true,
  body: z.strictObject({
    ...windowShape,
    bucketSeconds: z
      .int()
      .min(1)
      .max(31_536_000)
      .meta({
        description: `Width of a time bucket; buckets begin at multiples of it since 1970 UTC. At most ${DURATION_MAX_BUCKETS} buckets.`,
      }),
    ...estimateShape,
  }),
  response: z.object({
    data: z.object({
      bucketSeconds: z.number(),
      cells: z.array(
        z.object({
          time: isoTime,
          lowMs: z.number().meta({ description: 'Inclusive.' }),
          highMs: z.number().meta({
            description:
              'Exclusive. Two buckets a doubling; everything below a microsecond is in the first one.',
          }),
          count,
          errors: count,
        }),
      ),
      running: count.meta({ description: 'Spans sent without an end: they have no duration and no cell.' }),
      sample: sampleSchema,
    }),
  }),
  errors: ['bad_query', 'query_too_expensive', 'store_unavailable'],
});
