import type { RouteDeclaration } from '../route.ts';
import { DATASET_ROUTES } from './datasets.ts';
import { EVALUATOR_ROUTES } from './evaluators.ts';
import { EXPERIMENT_ROUTES } from './experiments.ts';
import { OFFLINE_ROUTES } from './offline.ts';
import { PLAYGROUND_ROUTES } from './playground.ts';
import { QUEUE_ROUTES } from './queues.ts';
import { addFeedback, addScore, listScores, scoreAgreement, scoreAnalytics } from './scores.ts';

export { EVALUATION_TYPES } from './types.ts';
export type {
  EvaluationConfig,
  EvaluationResult,
  EvaluationRun,
  EvaluatorKindView,
  EvaluatorView,
} from './evaluators.ts';
export type { DatasetItem, DatasetView } from './datasets.ts';
export type { ExperimentItem, ExperimentView } from './experiments.ts';
export type {
  PlaygroundAnswer,
  PlaygroundMessage,
  PlaygroundRun,
  PlaygroundRunSummary,
} from './playground.ts';
export type { AnnotationItem, AnnotationQueue } from './queues.ts';
export { SCORE_LIMITS, SCORE_WHERE, type ScoreAnalytics, type ScoreView } from './scores.ts';

/** Every route of evaluators, their runs and scores. */
export const EVALUATION_ROUTES = {
  listScores,
  addScore,
  addFeedback,
  scoreAnalytics,
  scoreAgreement,
  ...EVALUATOR_ROUTES,
  ...OFFLINE_ROUTES,
} as const satisfies Record<string, RouteDeclaration>;

/** Routes of datasets, experiments, annotation and the playground. */
export const JUDGE_ROUTES = {
  ...DATASET_ROUTES,
  ...EXPERIMENT_ROUTES,
  ...QUEUE_ROUTES,
  ...PLAYGROUND_ROUTES,
} as const satisfies Record<string, RouteDeclaration>;
