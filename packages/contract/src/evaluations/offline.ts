import { z } from 'zod';
import { defineRoute, reads, writes } from '../route.ts';
import { evaluatorId } from './evaluators.ts';

/** Routes that shipped SDKs call: names, shapes and statuses are theirs. */

const tag = 'Evaluations';
const error = { err: z.string().optional(), error: z.string().optional() };

const evaluateOffline = defineRoute({
  id: 'evaluateOffline',
  method: 'POST',
  path: '/api/evaluation/offline',
  tag,
  summary: 'Judges a prompt and its response, and answers with the verdicts',
  permission: writes('evaluation'),
  pace: 'sdk',
  body: z.looseObject({
    prompt: z.string().min(1).max(500_000),
    response: z.string().min(1).max(500_000),
    contexts: z.array(z.string().max(200_000)).max(50).nullish(),
    eval_types: z.array(z.string().max(64)).max(50).nullish(),
    threshold_score: z.number().min(0).max(1).nullish(),
    store_results: z.boolean().nullish(),
    run_id: z.string().max(200).nullish(),
    metadata: z.record(z.string(), z.unknown()).nullish(),
    attributes: z.record(z.string(), z.unknown()).nullish(),
  }),
  response: z
    .object({
      success: z.boolean(),
      evaluations: z.array(
        z.object({
          type: z.string(),
          score: z.number(),
          verdict: z.enum(['yes', 'no']).meta({ description: '`yes`: a problem was found.' }),
          classification: z.string(),
          explanation: z.string(),
        }),
      ),
      context_applied: z.object({
        ruleMatched: z.boolean(),
        matchingRuleIds: z.array(z.string()),
        contextEntityIds: z.array(z.string()),
        userContextsCount: z.int(),
      }),
      metadata: z.object({
        model: z.string(),
        evalTypesRun: z.array(z.string()),
        thresholdScore: z.number(),
        runId: z.string().optional(),
        usage: z.object({ promptTokens: z.number(), completionTokens: z.number() }).optional(),
        cost: z.number().optional(),
      }),
      ...error,
    })
    .meta({ id: 'OfflineEvaluation' }),
  errors: ['refused', 'spend_cap', 'too_many_calls', 'provider_failed', 'metadata_unavailable'],
});

const offlineType = z.object({
  id: z.string(),
  label: z.string(),
  description: z.string(),
  enabled: z.boolean(),
  is_custom: z.boolean(),
  threshold_score: z.number().optional(),
});
const listOfflineTypes = defineRoute({
  id: 'listOfflineTypes',
  method: 'GET',
  path: '/api/evaluation/offline/types',
  tag,
  summary: 'The types that a prompt and response can be judged by',
  permission: reads('evaluation'),
  pace: 'sdk',
  response: z.object({ eval_types: z.array(offlineType), configured: z.boolean().optional(), ...error }),
  errors: ['metadata_unavailable'],
});

const changes = z.strictObject({
  enabled: z.boolean().optional(),
  prompt: z.string().max(30_000).optional(),
  thresholdScore: z.number().min(0).max(1).optional(),
  label: z.string().min(1).max(100).optional(),
  description: z.string().max(1_000).optional(),
  isCustom: z.boolean().optional(),
  rules: z.array(z.unknown()).max(100).optional(),
});
const upsertOfflineTypes = defineRoute({
  id: 'upsertOfflineTypes',
  method: 'POST',
  path: '/api/evaluation/offline/types',
  tag,
  summary: 'Adds or changes types by id',
  permission: writes('evaluation'),
  body: z.strictObject({ types: z.array(changes.extend({ id: evaluatorId })).max(100) }),
  response: z.object({ data: z.array(offlineType) }),
  errors: ['refused', 'conflict', 'metadata_unavailable'],
});
const updateOfflineType = defineRoute({
  id: 'updateOfflineType',
  method: 'PATCH',
  path: '/api/evaluation/offline/types/{id}',
  tag,
  summary: 'Changes one type',
  permission: writes('evaluation'),
  params: z.object({ id: evaluatorId }),
  body: changes,
  response: z.object({ data: offlineType }),
  errors: ['not_found', 'conflict', 'metadata_unavailable'],
});

export const OFFLINE_ROUTES = {
  evaluateOffline,
  listOfflineTypes,
  upsertOfflineTypes,
  updateOfflineType,
} as const;
