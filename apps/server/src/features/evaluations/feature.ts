import type { EVALUATION_ROUTES, JUDGE_ROUTES } from '@candela/contract';
import { createScoreQueries, createTelemetryQueries } from '@candela/telemetry-store';
import type { Handlers } from '../../http/handlers.ts';
import { annotationHandlers } from '../annotation/routes.ts';
import { datasetHandlers } from '../datasets/routes.ts';
import { experimentHandlers } from '../experiments/routes.ts';
import { createExperimentRuns } from '../experiments/runs.ts';
import type { Feature, FeatureParts } from '../feature.ts';
import { playgroundHandlers } from '../playground/routes.ts';
import { evaluatorHandlers } from './evaluator-routes.ts';
import { createEvaluators } from './evaluators.ts';
import { offlineHandlers } from './offline-routes.ts';
import { createRuleQuestions } from './rule-contexts.ts';
import { createRuns } from './runs.ts';
import { scoreHandlers } from './score-routes.ts';

/** Evaluators, their runs and scores, and what stands on them: datasets, experiments, annotation, playground. */
export function evaluationFeature(
  parts: FeatureParts,
): Feature<Pick<Handlers, keyof typeof EVALUATION_ROUTES | keyof typeof JUDGE_ROUTES>> {
  const { metadata, models, ingest, clock, reads, limits, jobs, prompts } = parts;
  const queries = createTelemetryQueries(reads, limits);
  const scores = createScoreQueries(reads, limits);
  const evaluators = createEvaluators({ metadata, models });
  const rules = createRuleQuestions(parts.handlers);
  const runs = createRuns({ metadata, evaluators, queries, ingest, jobs, rules });
  const experiments = createExperimentRuns({ metadata, evaluators, models, prompts, ingest, jobs });
  return {
    name: 'evaluations',
    jobs: [runs.job, experiments.job],
    handlers: {
      ...scoreHandlers({ scores, queries, ingest, clock, metadata }),
      ...evaluatorHandlers({ metadata, evaluators, queries, runs, clock, rules }),
      ...offlineHandlers({ metadata, evaluators, ingest, clock, rules }),
      ...datasetHandlers({ metadata, queries }),
      ...experimentHandlers({ metadata, evaluators, runs: experiments }),
      ...annotationHandlers({ metadata, queries, ingest, clock }),
      ...playgroundHandlers({ metadata, models, prompts }),
    },
  };
}
