import { z } from 'zod';
import { filterSchema } from '../filter/schema.ts';

/** Page sizes and window sizes of every list. */
export const LIST_LIMITS = { defaultPage: 50, maxPage: 500, tracePage: 5_000, maxBuckets: 1_000 } as const;

export const timeSchema = z.union([z.string().min(1).max(40), z.number()]).meta({
  description:
    'ISO 8601 time (without a zone: UTC), epoch milliseconds, `now`, or relative to now: `-15m`, `-24h`, `-7d`.',
  examples: ['-24h', '2026-11-20T10:00:00Z'],
});

/** Window and filter of every search. Omitted: the last 24 hours, no filter. */
export const windowShape = {
  from: timeSchema.default('-24h'),
  to: timeSchema.default('now'),
  filter: filterSchema.optional(),
  q: z
    .string()
    .max(4_096)
    .optional()
    .meta({
      description: 'The filter as text. Both given: both must hold.',
      examples: ['service:checkout model:(gpt-4o or claude-*) duration>2s -status:ok'],
    }),
};

export const pageShape = {
  limit: z.int().min(1).max(LIST_LIMITS.maxPage).default(LIST_LIMITS.defaultPage),
  cursor: z.string().min(1).max(1_024).optional().meta({ description: '`nextCursor` of the page before.' }),
};

export const earlyShape = {
  early: z.boolean().default(false).meta({
    description:
      'With a filter on texts or attributes: answer with some rows when more of them take long to find. In the order of time these are the first ones: such a page has at least one row, may have fewer than `limit`, and `nextCursor` leads on; the pages after it are full unless they are asked for so, too. In any other order they are what a part of the spans has, at times nothing, and others may belong in between: `sample` then says how large that part is; ask without it for the list itself.',
  }),
};

/** What a row of spans holds of a long text. */
export const SPAN_LIMITS = { rowMessage: 2_000 } as const;

/** The part of the spans that a list was made of. */
export const listSampleSchema = z.number().nullable().meta({
  description:
    'With `early`: about the part of the spans that the rows were found in, from 0 to 1, where not all were looked at; there is no `nextCursor` then. Else null.',
});

export const estimateShape = {
  early: z.boolean().default(false).meta({
    description:
      'Where texts, or attributes that have no column, of very many rows would be read, which takes seconds: answer with an estimate from a sample of the rows. `sample` then says how large a part of them that is; ask without it for the exact figures.',
  }),
};

export const sampleSchema = z.number().nullable().meta({
  description:
    'The part of the rows that was looked at, from 0 to 1, where the answer is estimated from these; null when it is exact.',
});

export const isoTime = z.iso.datetime().meta({ description: 'UTC with milliseconds.' });
export const count = z.number().meta({ description: 'A whole number.' });
const nullableText = z.string().nullable();

export const statusSchema = z.enum(['unset', 'ok', 'error']);
export const kindSchema = z.enum(['internal', 'server', 'client', 'producer', 'consumer', 'unspecified']);

/** Traces or sessions whose first words are asked for at once. */
export const MAX_PREVIEWS = 100;

export const previewSchema = z
  .object({ input: nullableText, output: nullableText })
  .meta({ description: 'First words of the conversation, at most 240 characters each.' });

/** What every view of a span carries. Null means the emitter did not say. */
export const spanSummaryShape = {
  spanId: z.string(),
  parentSpanId: nullableText,
  name: z.string(),
  kind: kindSchema,
  service: z.string(),
  environment: z.string(),
  startTime: isoTime,
  durationMs: z.number().meta({ description: 'Milliseconds with fractions.' }),
  unfinished: z
    .boolean()
    .meta({ description: 'Sent without an end, while it ran: its duration of 0 says nothing.' }),
  status: statusSchema,
  statusMessage: nullableText.meta({
    description: `At most ${SPAN_LIMITS.rowMessage} characters in rows; whole in the span by its id and in exports.`,
  }),
  operation: nullableText,
  provider: nullableText,
  model: nullableText,
  agent: nullableText,
  tool: nullableText,
  inputTokens: count.nullable().meta({ description: 'Fresh, cache read and cache written together.' }),
  outputTokens: count.nullable().meta({ description: 'Reasoning included.' }),
  costUsd: z.number().nullable(),
  /** False on parents that repeat what their children used: leave these out of sums. */
  countsUsage: z.boolean(),
  timeToFirstTokenMs: z.number().nullable(),
  errorType: nullableText,
  sessionId: nullableText,
  userId: nullableText,
};
