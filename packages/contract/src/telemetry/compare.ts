import { z } from 'zod';
import { EVENT_KINDS } from '../filter/records.ts';
import { filterSchema } from '../filter/schema.ts';
import { shapeTrouble } from '../filter/shape.ts';
import { defineRoute, reads } from '../route.ts';
import { count, isoTime, timeSchema, windowShape } from './common.ts';

const share = z.number().min(0).max(1);
const side = z.object({
  rows: count.meta({ description: 'Matching rows in the window.' }),
  sampled: count.meta({ description: 'Of which so many were looked at, spread evenly over the window.' }),
});
const quantiles = z.object({
  count: count.meta({ description: 'Sampled rows that have a number here.' }),
  p50: z.number().nullable(),
  p90: z.number().nullable(),
  p99: z.number().nullable(),
});

export const compareFieldSchema = z
  .object({
    field: z.string().meta({ description: 'As a filter writes it.' }),
    difference: share.meta({
      description:
        'Half the sum of how far the shares of each value lie apart; differences that chance explains in samples of this size count as none, and rows without the field count as a value. 0 is the same, 1 nothing in common. Ids do not rank.',
    }),
    values: z.array(
      z.object({
        value: z.string().nullable().meta({ description: 'Null: rows without the field.' }),
        cut: z.boolean().meta({
          description:
            'True: only the first 200 characters that values begin with, so that a filter needs `starts_with`.',
        }),
        selection: share,
        rest: share,
      }),
    ),
    more: z.boolean().meta({ description: 'True when there are more values than are listed.' }),
  })
  .meta({ id: 'ComparedField' });
export type ComparedField = z.output<typeof compareFieldSchema>;

export const compareNumberSchema = z
  .object({
    field: z.string(),
    unit: z.enum(['ms', 'tokens', 'usd', 'number']),
    selection: quantiles,
    rest: quantiles,
    difference: share.meta({
      description:
        'Largest distance of the two distributions (Kolmogorov-Smirnov): 0 is the same, or no more than chance explains in samples of this size; 1 no overlap.',
    }),
  })
  .meta({ id: 'ComparedNumber' });
export type ComparedNumber = z.output<typeof compareNumberSchema>;

export const compare = defineRoute({
  id: 'compare',
  method: 'POST',
  path: '/api/telemetry/compare',
  tag: 'Telemetry',
  summary:
    'What differs: a selection of the matching rows against the rest, or against a period before, over all fields and attributes',
  permission: reads('telemetry'),
  shared: true,
  body: z.strictObject({
    signal: z.enum(EVENT_KINDS).default('spans'),
    ...windowShape,
    selection: z
      .union([filterSchema, z.string().min(1).max(4_096)], {
        error: ({ input }) =>
          typeof input === 'string' ? 'A text has 1 to 4,096 characters.' : shapeTrouble(input),
      })
      .optional()
      .meta({
        description:
          'Which of the rows are the selection: a filter, or the same as text. Against a period it may be left out: all of them.',
      }),
    against: z
      .union([z.enum(['rest', 'before']), z.strictObject({ from: timeSchema, to: timeSchema })])
      .default('rest')
      .meta({
        description:
          'What the selection is compared with: the other matching rows of the window; or the selection of the period before (of whole calendar months, UTC, as many months before, else the same length right before `from`), or of the period that is given, which has no time in common with the window.',
      }),
    limit: z
      .int()
      .min(1)
      .max(100)
      .default(30)
      .meta({ description: 'Fields to return, the most different first.' }),
  }),
  response: z.object({
    data: z.object({
      selection: side,
      rest: side.meta({ description: 'What it is compared with: the other rows, or those of the period.' }),
      against: z
        .object({ from: isoTime, to: isoTime })
        .nullable()
        .meta({ description: 'The period that it is compared with; null when that is the rest.' }),
      estimated: z.boolean().meta({
        description:
          'True when the rows of a side are estimated: conditions on attributes and texts are not worked out on all rows of a large window. A side of 0 rows then has none in the part that was looked at.',
      }),
      fields: z.array(compareFieldSchema),
      numbers: z.array(compareNumberSchema),
    }),
  }),
  errors: ['bad_query', 'query_too_expensive', 'store_unavailable'],
});
