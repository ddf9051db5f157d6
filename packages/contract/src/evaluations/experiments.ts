import { z } from 'zod';
import { messagesSchema } from '../prompts/chat.ts';
import { defineRoute, reads, writes } from '../route.ts';
import { isoTime } from '../telemetry/common.ts';
import { evaluatorId } from './evaluators.ts';

/** Bounds of experiments. */
const EXPERIMENT_LIMITS = { name: 200, template: 100_000, evaluators: 20, external: 200 } as const;

const target = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('prompt'),
    prompt: z.string().min(1).max(200).meta({ description: 'Id or name of a managed prompt.' }),
    version: z.string().min(1).max(64).default('latest'),
    modelId: z.string().min(1).max(64),
  }),
  z.strictObject({
    kind: z.literal('template'),
    text: z.string().min(1).max(EXPERIMENT_LIMITS.template),
    modelId: z.string().min(1).max(64),
  }),
  z.strictObject({
    kind: z.literal('messages').meta({ description: 'A chat; placeholders are filled from the input.' }),
    messages: messagesSchema,
    modelId: z.string().min(1).max(64),
  }),
  z.strictObject({ kind: z.literal('external') }),
]);

const figures = z.object({
  evaluator: z.string(),
  judged: z.int(),
  of: z.int(),
  passed: z.int(),
  failed: z.int(),
  mean: z.number().nullable(),
  passRate: z.number().nullable(),
  interval: z.object({ low: z.number(), high: z.number() }).nullable(),
});

const experimentSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    datasetId: z.string(),
    dataset: z.string(),
    revision: z.int().meta({ description: 'Of the dataset.' }),
    target,
    evaluators: z.array(z.string()),
    capUsd: z.number().nullable(),
    status: z.enum(['running', 'done', 'paused']),
    counts: z.object({ total: z.int(), done: z.int(), failed: z.int(), waiting: z.int() }),
    costUsd: z.number().nullable().meta({ description: 'Null: no price is known of what was called.' }),
    results: z.array(figures),
    createdAt: isoTime,
  })
  .meta({ id: 'Experiment' });
export type ExperimentView = z.output<typeof experimentSchema>;

const verdict = z.object({
  state: z.enum(['scored', 'skipped', 'failed']),
  value: z.number().nullable(),
  verdict: z.enum(['pass', 'fail']).nullable(),
  explanation: z.string(),
});
const experimentItemSchema = z
  .object({
    id: z.string(),
    status: z.enum(['queued', 'done', 'failed']),
    input: z.unknown(),
    expectedOutput: z.unknown(),
    output: z.string().nullable(),
    error: z.string().nullable(),
    durationMs: z.number().nullable(),
    costUsd: z.number().nullable(),
    scores: z.record(z.string(), verdict),
  })
  .meta({ id: 'ExperimentItem' });
export type ExperimentItem = z.output<typeof experimentItemSchema>;

const compared = z
  .object({
    evaluator: z.string(),
    pairs: z.int().meta({ description: 'Items that both have judged.' }),
    of: z.int(),
    better: z.int(),
    worse: z.int(),
    p: z.number().nullable().meta({ description: 'McNemar, exact, two-sided; null below 20 pairs.' }),
    difference: z.object({ mean: z.number(), low: z.number(), high: z.number() }).nullable(),
  })
  .meta({ id: 'ExperimentComparison' });

const tag = 'Experiments';
const common = ['metadata_unavailable'] as const;
const id = z.object({ id: z.string().min(1).max(200) });
const one = z.object({ data: experimentSchema });
const name = z.string().trim().min(1).max(EXPERIMENT_LIMITS.name);

const listExperiments = defineRoute({
  id: 'listExperiments',
  method: 'GET',
  path: '/api/evaluation/experiments',
  tag,
  summary: 'Experiments, newest first',
  permission: reads('evaluation'),
  query: z.strictObject({ dataset: z.string().max(200).optional() }),
  response: z.object({ data: z.array(experimentSchema) }),
  errors: ['not_found', ...common],
});
const createExperiment = defineRoute({
  id: 'createExperiment',
  method: 'POST',
  path: '/api/evaluation/experiments',
  tag,
  summary:
    'Runs a dataset through a prompt and model, or takes the outputs of an application, and judges them',
  permission: writes('evaluation'),
  success: 201,
  body: z.strictObject({
    name: name.optional(),
    dataset: z.string().min(1).max(200).meta({ description: 'Id or name.' }),
    revision: z.int().min(1).optional(),
    target,
    evaluators: z.array(evaluatorId).max(EXPERIMENT_LIMITS.evaluators).default([]),
    capUsd: z.number().min(0).nullable().default(null),
  }),
  response: one,
  errors: ['not_found', 'conflict', 'refused', ...common],
});
const getExperiment = defineRoute({
  id: 'getExperiment',
  method: 'GET',
  path: '/api/evaluation/experiments/{id}',
  tag,
  summary: 'One experiment with its figures',
  permission: reads('evaluation'),
  params: id,
  response: one,
  errors: ['not_found', ...common],
});
const resumeExperiment = defineRoute({
  id: 'resumeExperiment',
  method: 'POST',
  path: '/api/evaluation/experiments/{id}/resume',
  tag,
  summary:
    'Runs what failed and what waits once more, on request with another cap; what is done stays. Of an external one: failed items take an output again',
  permission: writes('evaluation'),
  params: id,
  body: z.strictObject({
    capUsd: z.number().min(0).nullable().optional().meta({ description: 'Left out: as it is.' }),
  }),
  response: one,
  errors: ['not_found', 'conflict', ...common],
});
const deleteExperiment = defineRoute({
  id: 'deleteExperiment',
  method: 'DELETE',
  path: '/api/evaluation/experiments/{id}',
  tag,
  summary: 'Deletes an experiment; what waits is not run',
  permission: writes('evaluation'),
  params: id,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', ...common],
});
const listExperimentItems = defineRoute({
  id: 'listExperimentItems',
  method: 'GET',
  path: '/api/evaluation/experiments/{id}/items',
  tag,
  summary: 'Outputs and verdicts by item',
  permission: reads('evaluation'),
  params: id,
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(500).default(100),
    cursor: z
      .string()
      .regex(/^\d{1,15}$/)
      .optional(),
  }),
  response: z.object({ data: z.array(experimentItemSchema), nextCursor: z.string().nullable() }),
  errors: ['not_found', ...common],
});
const addExperimentItems = defineRoute({
  id: 'addExperimentItems',
  method: 'POST',
  path: '/api/evaluation/experiments/{id}/items',
  tag,
  summary: 'Outputs of an application for items of an external experiment; each is then judged',
  permission: writes('evaluation'),
  params: id,
  body: z.strictObject({
    items: z
      .array(
        z.strictObject({
          itemId: z.string().min(1).max(200),
          output: z.string().max(200_000).optional(),
          error: z.string().max(2_000).optional(),
          durationMs: z.number().min(0).optional(),
          costUsd: z.number().min(0).optional(),
          traceId: z
            .string()
            .regex(/^[0-9a-f]{32}$/i)
            .optional(),
        }),
      )
      .min(1)
      .max(EXPERIMENT_LIMITS.external),
  }),
  response: z.object({ data: z.object({ taken: z.int() }) }),
  errors: ['not_found', 'refused', ...common],
});
const compareExperiments = defineRoute({
  id: 'compareExperiments',
  method: 'GET',
  path: '/api/evaluation/experiments/{id}/compare',
  tag,
  summary: 'What became better and worse against another experiment on the same items; regressions first',
  permission: reads('evaluation'),
  params: id,
  query: z.strictObject({ with: z.string().min(1).max(200) }),
  response: z.object({
    data: z.object({
      evaluators: z.array(compared),
      items: z.array(
        z.object({
          id: z.string(),
          evaluator: z.string(),
          change: z.enum(['worse', 'better', 'unjudged']),
          before: verdict.nullable(),
          after: verdict.nullable(),
          input: z.unknown(),
          outputBefore: z.string().nullable(),
          outputAfter: z.string().nullable(),
        }),
      ),
    }),
  }),
  errors: ['not_found', 'refused', ...common],
});

export const EXPERIMENT_ROUTES = {
  listExperiments,
  createExperiment,
  getExperiment,
  resumeExperiment,
  deleteExperiment,
  listExperimentItems,
  addExperimentItems,
  compareExperiments,
} as const;
