import { z } from 'zod';
import { defineRoute, manages, reads, writes } from '../route.ts';
import { isoTime } from '../telemetry/common.ts';

/** Bounds of evaluators. */
const EVALUATOR_LIMITS = {
  label: 100,
  description: 1_000,
  prompt: 30_000,
  testSpans: 20,
  runSpans: 500,
  runTraces: 100,
} as const;

export const evaluatorId = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-z][a-z0-9_]*$/, {
    error: 'Lower-case letters, digits and underscores, beginning with a letter.',
  });

const auto = z
  .strictObject({
    q: z.string().max(4_096).meta({ description: 'Filter of the spans that are judged.' }),
    sampleRate: z
      .number()
      .min(0)
      .max(1)
      .meta({ description: 'Part of the traces, chosen by their id: whole traces.' }),
    byRules: z.boolean().default(false).meta({
      description: 'Only spans for which an ACTIVE rule returns this evaluator; the others are skipped.',
    }),
  })
  .nullable()
  .meta({ description: 'Judges new spans by itself; null: only when asked.' });

const shape = {
  label: z.string().trim().min(1).max(EVALUATOR_LIMITS.label),
  description: z.string().max(EVALUATOR_LIMITS.description),
  enabled: z.boolean(),
  kind: z.string().min(1).max(64).meta({ description: '`judge`, or a deterministic kind.' }),
  prompt: z.string().max(EVALUATOR_LIMITS.prompt).meta({ description: 'Criteria that a judge is given.' }),
  modelId: z.string().max(64).nullable().meta({ description: 'Null: the model of the configuration.' }),
  threshold: z.number().min(0).max(1),
  settings: z.record(z.string().max(64), z.unknown()).meta({ description: 'Of a deterministic kind.' }),
  auto,
};

const evaluatorSchema = z
  .object({
    id: z.string(),
    ...shape,
    builtIn: z.boolean(),
    polarity: z.enum(['lower', 'higher']).meta({
      description:
        '`lower`: 0 is best and a score above the threshold fails; `higher`: 1 is best and one below it fails.',
    }),
    version: z.string().meta({ description: 'Hash of what decides a score.' }),
    lastRunAt: isoTime.nullable(),
    queue: z.object({ queued: z.int(), leased: z.int(), done: z.int(), failed: z.int() }),
    lastError: z.string().nullable(),
  })
  .meta({ id: 'Evaluator' });
export type EvaluatorView = z.output<typeof evaluatorSchema>;

const evaluatorKindSchema = z
  .object({
    id: z.string(),
    label: z.string(),
    description: z.string(),
    settings: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema.' }),
  })
  .meta({ id: 'EvaluatorKind' });
export type EvaluatorKindView = z.output<typeof evaluatorKindSchema>;

const configSchema = z
  .object({
    modelId: z.string().nullable().meta({ description: 'The model that judges.' }),
    dailyCapUsd: z.number().nullable(),
    spentTodayUsd: z.number(),
    unpricedToday: z.int().meta({ description: 'Calls of today without a known price: no cap counts them.' }),
    paused: z.string().nullable().meta({ description: 'Why automatic runs wait.' }),
    nextRunAt: isoTime.nullable(),
  })
  .meta({ id: 'EvaluationConfig' });
export type EvaluationConfig = z.output<typeof configSchema>;

const resultSchema = z
  .object({
    evaluator: z.string(),
    traceId: z.string().nullable(),
    spanId: z.string().nullable(),
    state: z.enum(['scored', 'skipped', 'failed']),
    value: z.number().nullable(),
    label: z.string().nullable(),
    verdict: z.enum(['pass', 'fail']).nullable(),
    explanation: z.string(),
    costUsd: z.number().nullable(),
  })
  .meta({ id: 'EvaluationResult' });
export type EvaluationResult = z.output<typeof resultSchema>;

const runSchema = z
  .object({
    id: z.string(),
    evaluator: z.string(),
    traceId: z.string(),
    spanId: z.string(),
    state: z.enum(['queued', 'leased', 'done', 'failed']),
    attempts: z.int(),
    result: z.unknown(),
    error: z.string().nullable(),
    updatedAt: isoTime,
  })
  .meta({ id: 'EvaluationRun' });
export type EvaluationRun = z.output<typeof runSchema>;

const tag = 'Evaluations';
const id = z.object({ id: evaluatorId });
const one = z.object({ data: evaluatorSchema });
const common = ['metadata_unavailable'] as const;
const spans = z.array(
  z.strictObject({
    traceId: z.string().regex(/^[0-9a-f]{32}$/i),
    spanId: z.string().regex(/^[0-9a-f]{16}$/i),
  }),
);

const getEvaluationConfig = defineRoute({
  id: 'getEvaluationConfig',
  method: 'GET',
  path: '/api/evaluation/config',
  tag,
  summary: 'Which model judges, the daily cap, what was spent today, and whether runs wait',
  permission: reads('evaluation'),
  response: z.object({ data: configSchema }),
  errors: common,
});
const setEvaluationConfig = defineRoute({
  id: 'setEvaluationConfig',
  method: 'PUT',
  path: '/api/evaluation/config',
  tag,
  summary: 'Sets the model that judges and the daily cap',
  permission: manages('admin'),
  body: z.strictObject({
    modelId: z.string().min(1).max(64).nullable(),
    dailyCapUsd: z.number().min(0).max(1_000_000).nullable(),
  }),
  response: z.object({ data: configSchema }),
  errors: ['not_found', ...common],
});
const listEvaluators = defineRoute({
  id: 'listEvaluators',
  method: 'GET',
  path: '/api/evaluation/evaluators',
  tag,
  summary: 'Evaluators with their versions and queues, built-in ones first; and the kinds there are',
  permission: reads('evaluation'),
  response: z.object({ data: z.array(evaluatorSchema), kinds: z.array(evaluatorKindSchema) }),
  errors: common,
});
const createEvaluator = defineRoute({
  id: 'createEvaluator',
  method: 'POST',
  path: '/api/evaluation/evaluators',
  tag,
  summary: 'Makes an evaluator',
  permission: writes('evaluation'),
  success: 201,
  body: z.strictObject({
    id: evaluatorId,
    ...shape,
    description: shape.description.default(''),
    enabled: shape.enabled.default(true),
    kind: shape.kind.default('judge'),
    prompt: shape.prompt.default(''),
    modelId: shape.modelId.default(null),
    threshold: shape.threshold.default(0.5),
    settings: shape.settings.default({}),
    auto: auto.default(null),
  }),
  response: one,
  errors: ['conflict', 'refused', 'bad_query', 'not_found', ...common],
});
const updateEvaluator = defineRoute({
  id: 'updateEvaluator',
  method: 'PATCH',
  path: '/api/evaluation/evaluators/{id}',
  tag,
  summary: 'Changes an evaluator, also a built-in one; what decides a score makes a new version',
  permission: writes('evaluation'),
  params: id,
  body: z.strictObject(shape).omit({ kind: true }).partial(),
  response: one,
  errors: ['not_found', 'refused', 'bad_query', 'conflict', ...common],
});
const deleteEvaluator = defineRoute({
  id: 'deleteEvaluator',
  method: 'DELETE',
  path: '/api/evaluation/evaluators/{id}',
  tag,
  summary: 'Deletes an evaluator; a built-in one goes back to how it came. Its scores stay',
  permission: writes('evaluation'),
  params: id,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', ...common],
});
const testEvaluator = defineRoute({
  id: 'testEvaluator',
  method: 'POST',
  path: '/api/evaluation/evaluators/{id}/test',
  tag,
  summary: 'Judges up to 20 spans and stores nothing; with `draft` as it would be once saved',
  permission: writes('evaluation'),
  params: id,
  body: z
    .strictObject({
      spans: spans.min(1).max(EVALUATOR_LIMITS.testSpans).optional(),
      q: z
        .string()
        .max(4_096)
        .optional()
        .meta({ description: 'Instead of `spans`: the newest that match, of the last 7 days.' }),
      limit: z.int().min(1).max(EVALUATOR_LIMITS.testSpans).default(5),
      draft: z
        .strictObject({
          kind: shape.kind,
          prompt: shape.prompt.default(''),
          modelId: shape.modelId.default(null),
          threshold: shape.threshold.default(0.5),
          settings: shape.settings.default({}),
        })
        .optional(),
    })
    .refine(({ spans: chosen, q }) => (chosen === undefined) !== (q === undefined), {
      error: 'Name spans or a filter q: one of them.',
    }),
  response: z.object({ data: z.array(resultSchema) }),
  errors: [
    'not_found',
    'refused',
    'bad_query',
    'spend_cap',
    'too_many_calls',
    'store_unavailable',
    'query_too_expensive',
    ...common,
  ],
});
const startEvaluation = defineRoute({
  id: 'startEvaluation',
  method: 'POST',
  path: '/api/evaluation/runs',
  tag,
  summary:
    'Judges spans, or the model calls of traces or of a session; each evaluator version judges a span once',
  permission: writes('evaluation'),
  body: z
    .strictObject({
      evaluators: z.array(evaluatorId).min(1).max(50),
      spans: spans.max(EVALUATOR_LIMITS.runSpans).optional(),
      traceId: z
        .string()
        .regex(/^[0-9a-f]{32}$/i)
        .optional(),
      traceIds: z
        .array(z.string().regex(/^[0-9a-f]{32}$/i))
        .min(1)
        .max(EVALUATOR_LIMITS.runTraces)
        .optional(),
      sessionId: z.string().min(1).max(512).optional(),
    })
    .refine(
      ({ spans: chosen, traceId, traceIds, sessionId }) =>
        [chosen, traceId, traceIds, sessionId].filter((one) => one !== undefined).length === 1,
      { error: 'Name spans, a traceId, traceIds or a sessionId: one of them.' },
    ),
  response: z.object({ data: z.object({ queued: z.int(), known: z.int() }) }),
  errors: ['not_found', 'refused', ...common],
});
const listEvaluationRuns = defineRoute({
  id: 'listEvaluationRuns',
  method: 'GET',
  path: '/api/evaluation/runs',
  tag,
  summary: 'What waits, runs, was judged, skipped or failed, by evaluator',
  permission: reads('evaluation'),
  query: z.strictObject({
    evaluator: evaluatorId,
    state: z.enum(['queued', 'leased', 'done', 'failed']).optional(),
    limit: z.coerce.number().int().min(1).max(500).default(100),
  }),
  response: z.object({ data: z.array(runSchema) }),
  errors: common,
});

export const EVALUATOR_ROUTES = {
  getEvaluationConfig,
  setEvaluationConfig,
  listEvaluators,
  createEvaluator,
  updateEvaluator,
  deleteEvaluator,
  testEvaluator,
  startEvaluation,
  listEvaluationRuns,
} as const;
