import { z } from 'zod';
import { count, isoTime, LIST_LIMITS, timeSchema } from './common.ts';

/** What sessions and users can be sorted by; `-` puts the largest or latest first. */
export const ACTIVITY_SORTS = [
  '-last',
  'last',
  '-first',
  'first',
  '-duration',
  'duration',
  '-cost',
  'cost',
  '-tokens',
  'tokens',
  '-errors',
  'errors',
  '-traces',
  'traces',
] as const;
export type ActivitySort = (typeof ACTIVITY_SORTS)[number];

/** Id of a session, a user or an agent in a path. */
export const entityKeySchema = z.string().min(1).max(12_000).meta({
  description:
    'The id as it is when it consists of letters, digits and `._:@-`; else `~` and the base64url of its UTF-8, as `key` of the rows has it.',
});

/** Window and filter of a list that is asked for by GET. */
export const listQueryShape = {
  from: timeSchema.default('-24h'),
  to: timeSchema.default('now'),
  q: z.string().max(4_096).optional().meta({ description: 'Filter over spans, as text.' }),
  filter: z
    .string()
    .max(16_384)
    .optional()
    .meta({ description: 'Filter over spans, as the JSON of the filter object. With `q`: both must hold.' }),
  limit: z.coerce.number().int().min(1).max(LIST_LIMITS.maxPage).default(LIST_LIMITS.defaultPage),
  cursor: z.string().min(1).max(1_024).optional().meta({
    description:
      '`nextCursor` of the page before. To read all pages while spans arrive, give `to` as a time: with `now` a row that grew moves, past a page that was read.',
  }),
};

/** As text, for a query. */
export const earlyQueryShape = {
  early: z.enum(['true', 'false']).default('false').meta({
    description:
      'With a filter on texts, or on attributes that have no column, of very many spans: answer with what a part of the spans has, at times nothing; others may belong in between. `sample` then says how large that part is; ask without it for the list itself.',
  }),
};

/** Window of one thing. Omitted: all of it. */
export const wholeWindowShape = {
  from: timeSchema.optional(),
  to: timeSchema.default('now'),
};

/** Figures of the spans that carry an id. Sums count every call once, as those of traces do. */
export const activityShape = {
  firstSeen: isoTime,
  lastSeen: isoTime.meta({ description: 'End of the last span.' }),
  durationMs: z.number(),
  traces: count,
  spans: count,
  modelCalls: count.meta({ description: 'Model calls whose usage counts.' }),
  errors: count.meta({ description: 'Failed spans.' }),
  inputTokens: count.nullable(),
  outputTokens: count.nullable(),
  usage: z.object({
    input: count,
    cacheRead: count,
    cacheWrite: count,
    output: count,
    reasoning: count,
  }),
  costUsd: z.number().nullable(),
  models: z.array(z.string()).meta({ description: 'At most 50, sorted.' }),
  agents: z.array(z.string()).meta({ description: 'At most 50, sorted.' }),
};
