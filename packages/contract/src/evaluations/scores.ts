import { z } from 'zod';
import { defineRoute, reads, writes } from '../route.ts';
import { isoTime, timeSchema } from '../telemetry/common.ts';
import { whereParameter } from '../telemetry/where.ts';

const SCORE_SOURCES = ['judge', 'code', 'human', 'user', 'api', 'otel'] as const;
const VERDICTS = ['pass', 'fail'] as const;
export const SCORE_GROUPINGS = [
  'name',
  'evaluator',
  'version',
  'source',
  'model',
  'agent',
  'service',
  'prompt_version',
  'label',
] as const;

/** What scores are narrowed by; named as the fields of spans that they come from. */
export const SCORE_WHERE = [
  'service',
  'agent',
  'model',
  'session',
  'user',
  'prompt_name',
  'prompt_version',
  'environment',
] as const;

/** Bounds of a score that is sent. */
export const SCORE_LIMITS = { name: 256, label: 500, comment: 8_000, id: 200, page: 500 } as const;

const text = z.string().nullable();
const traceId = z
  .string()
  .regex(/^[0-9a-f]{32}$/i)
  .transform((id) => id.toLowerCase());
const spanId = z
  .string()
  .regex(/^[0-9a-f]{16}$/i)
  .transform((id) => id.toLowerCase());

const scoreSchema = z
  .object({
    id: z.string(),
    time: isoTime,
    environment: z.string(),
    name: z.string(),
    source: z.enum(SCORE_SOURCES).meta({
      description:
        '`judge` a model, `code` a deterministic evaluator, `human` a reviewer, `user` feedback, `otel` a sender.',
    }),
    value: z.number().nullable(),
    label: text,
    verdict: z.enum(VERDICTS).nullable(),
    explanation: text,
    errorType: text.meta({ description: 'Why there is no score: the evaluation failed.' }),
    traceId: text,
    spanId: text,
    sessionId: text,
    userId: text,
    service: text,
    agent: text,
    model: text.meta({ description: 'The model that was judged.' }),
    promptName: text,
    promptVersion: text,
    evaluator: text,
    version: text.meta({ description: 'Hash of prompt, settings and model of the evaluator.' }),
    judgeModel: text,
    runId: text,
    item: text.meta({ description: 'Item of a dataset.' }),
    reviewer: text,
    costUsd: z.number().nullable().meta({ description: 'Null: a model judged and no price is known.' }),
  })
  .meta({ id: 'Score' });
export type ScoreView = z.output<typeof scoreSchema>;

const selection = {
  from: timeSchema.default('-24h'),
  to: timeSchema.default('now'),
  name: z.string().max(SCORE_LIMITS.name).optional(),
  evaluator: z.string().max(SCORE_LIMITS.name).optional(),
  source: z.enum(SCORE_SOURCES).optional(),
  verdict: z.enum(VERDICTS).optional(),
  of: z.enum(['telemetry', 'experiments']).optional().meta({
    description:
      '`telemetry`: of what applications sent; `experiments`: of items of datasets. Default: both.',
  }),
};

const tag = 'Evaluations';
const common = [
  'store_unavailable',
  'signal_unbound',
  'connector_unavailable',
  'query_too_expensive',
] as const;

export const listScores = defineRoute({
  id: 'listScores',
  method: 'GET',
  path: '/api/evaluation/scores',
  tag,
  summary: 'Scores of spans, traces and sessions, newest first, from every source',
  permission: reads('evaluation'),
  pace: 'sdk',
  query: z.strictObject({
    ...selection,
    traceId: traceId.optional(),
    spanId: spanId.optional(),
    sessionId: z.string().max(512).optional(),
    runId: z.string().max(200).optional(),
    limit: z.coerce.number().int().min(1).max(SCORE_LIMITS.page).default(50),
    cursor: z.string().max(1_024).optional(),
  }),
  response: z.object({ data: z.array(scoreSchema), nextCursor: z.string().nullable() }),
  errors: ['bad_query', ...common],
});

export const addScore = defineRoute({
  id: 'addScore',
  method: 'POST',
  path: '/api/evaluation/scores',
  tag,
  summary: 'Records a score or feedback of a user. With `id`, the same score again replaces it',
  permission: writes('evaluation'),
  pace: 'sdk',
  body: z
    .strictObject({
      id: z
        .string()
        .min(1)
        .max(SCORE_LIMITS.id)
        .regex(/^[\x21-\x7e]+$/)
        .optional()
        .meta({ description: 'Idempotency key.' }),
      traceId: traceId.optional(),
      spanId: spanId.optional(),
      sessionId: z.string().min(1).max(512).optional(),
      name: z.string().trim().min(1).max(SCORE_LIMITS.name),
      value: z.union([z.number(), z.boolean()]).optional().meta({ description: 'Thumbs: true or false.' }),
      label: z.string().min(1).max(SCORE_LIMITS.label).optional(),
      comment: z.string().max(SCORE_LIMITS.comment).optional(),
      verdict: z.enum(VERDICTS).optional(),
      source: z.enum(['user', 'human', 'api', 'code', 'judge']).default('user'),
      userId: z.string().max(512).optional(),
      metadata: z.record(z.string().max(100), z.string().max(500)).optional(),
    })
    .refine(({ value, label }) => value !== undefined || label !== undefined, {
      error: 'A score has a value or a label.',
    })
    .refine(({ traceId: trace, sessionId }) => trace !== undefined || sessionId !== undefined, {
      error: 'A score belongs to a trace (traceId, and spanId for one span) or a session (sessionId).',
    })
    .refine(({ traceId: trace, spanId: span }) => span === undefined || trace !== undefined, {
      error: 'A span is named with its trace: add traceId.',
    }),
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['overloaded', ...common],
});

/** Feedback is held to less than a score: whoever sends it may be anybody. */
const FEEDBACK_LIMITS = { value: 1_000_000, comment: 2_000 } as const;

export const addFeedback = defineRoute({
  id: 'addFeedback',
  method: 'POST',
  path: '/api/evaluation/feedback',
  tag,
  summary:
    'Feedback of a user, straight from a web page: with a key of the scope `feedback` that everybody may see. It is of source `user`, replaces only feedback with the same `id`, and may not use the name of an evaluator',
  permission: { key: 'feedback', role: 'member', on: 'project' },
  pace: 'sdk',
  crossOrigin: 'refused',
  body: z
    .strictObject({
      id: z
        .string()
        .min(1)
        .max(100)
        .regex(/^[\x21-\x7e]+$/)
        .optional(),
      traceId,
      spanId: spanId.optional(),
      name: z.string().trim().min(1).max(100),
      value: z
        .union([z.number().min(-FEEDBACK_LIMITS.value).max(FEEDBACK_LIMITS.value), z.boolean()])
        .optional()
        .meta({ description: 'Thumbs: true or false.' }),
      label: z.string().min(1).max(100).optional(),
      comment: z.string().max(FEEDBACK_LIMITS.comment).optional(),
    })
    .refine(({ value, label }) => value !== undefined || label !== undefined, {
      error: 'Feedback has a value or a label.',
    }),
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['overloaded', 'refused', ...common],
});

const figures = {
  scores: z.number(),
  passed: z.number(),
  failed: z.number(),
  errors: z.number(),
  mean: z.number().nullable(),
  costUsd: z.number().nullable().meta({ description: 'Null: a model judged and no price is known.' }),
  passRate: z.number().nullable().meta({ description: 'Passed of all with a verdict, 0 to 1.' }),
  interval: z.object({ low: z.number(), high: z.number() }).nullable().meta({ description: 'Wilson, 95 %.' }),
  enough: z.boolean().meta({ description: 'At least 20 verdicts: fewer tell nothing.' }),
};

const scoreAnalyticsSchema = z
  .object({
    totals: z.object(figures),
    groups: z.array(z.object({ key: z.string(), ...figures })),
    series: z.array(z.object({ time: isoTime, ...figures })),
    stepMs: z.number(),
  })
  .meta({ id: 'ScoreAnalytics' });
export type ScoreAnalytics = z.output<typeof scoreAnalyticsSchema>;

export const scoreAnalytics = defineRoute({
  id: 'scoreAnalytics',
  method: 'GET',
  path: '/api/evaluation/analytics',
  tag,
  summary: 'Pass rate, mean and cost of scores by what they are grouped by, and over time',
  permission: reads('evaluation'),
  query: z.strictObject({
    ...selection,
    by: z.enum(SCORE_GROUPINGS).default('name'),
    where: whereParameter(SCORE_WHERE),
  }),
  response: z.object({ data: scoreAnalyticsSchema }),
  errors: ['bad_query', ...common],
});

export const scoreAgreement = defineRoute({
  id: 'scoreAgreement',
  method: 'GET',
  path: '/api/evaluation/agreement',
  tag,
  summary: 'How far an evaluator and people agree on the same spans: Cohen kappa',
  permission: reads('evaluation'),
  query: z.strictObject({
    from: selection.from,
    to: selection.to,
    name: z.string().min(1).max(SCORE_LIMITS.name),
  }),
  response: z.object({
    data: z
      .object({
        pairs: z.number(),
        kappa: z.number().nullable().meta({ description: 'Null: undefined, all verdicts are alike.' }),
        calibrated: z.boolean().meta({ description: 'At least 50 spans and a kappa of 0.6.' }),
        table: z.object({
          bothPass: z.number(),
          bothFail: z.number(),
          onlyJudge: z.number(),
          onlyHuman: z.number(),
        }),
      })
      .meta({ id: 'ScoreAgreement' }),
  }),
  errors: ['bad_query', ...common],
});
