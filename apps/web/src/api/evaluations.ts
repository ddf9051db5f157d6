import type {
  AnnotationItem,
  AnnotationQueue,
  DatasetItem,
  DatasetView,
  EvaluationConfig,
  EvaluationRun,
  EvaluatorKindView,
  EvaluatorView,
  ExperimentItem,
  ExperimentView,
  PlaygroundRun,
  PlaygroundRunSummary,
  RequestBodyOf,
  ROUTES,
  ScoreAnalytics,
  ScoreView,
} from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { eventReader } from '../lib/event-stream.ts';
import { brokenOff } from './broken-off.ts';
import type { ScoreDimension } from '../lib/score-dimensions.ts';
import { call, openStream } from './client.ts';

type Environment = string | undefined;
type Body<Id extends keyof typeof ROUTES> = RequestBodyOf<(typeof ROUTES)[Id]>;

/** What all queries of evaluations begin with. */
export const JUDGE_KEY = ['evaluations'] as const;
const AGAIN_MS = 4_000;

export const configQuery = (environment: Environment) =>
  queryOptions({
    queryKey: [...JUDGE_KEY, 'config', environment],
    queryFn: ({ signal }): Promise<EvaluationConfig> =>
      call('getEvaluationConfig', { environment, signal }).then(({ data }) => data),
  });
export const evaluatorsQuery = (environment: Environment) =>
  queryOptions({
    queryKey: [...JUDGE_KEY, 'evaluators', environment],
    queryFn: ({ signal }): Promise<{ data: EvaluatorView[]; kinds: EvaluatorKindView[] }> =>
      call('listEvaluators', { environment, signal }),
    refetchInterval: ({ state }) =>
      state.data?.data.some(({ queue }) => queue.queued + queue.leased > 0) === true ? AGAIN_MS : false,
  });
/** Figures of scores of what applications sent; experiments have their own page. */
export const analyticsQuery = (
  environment: Environment,
  query: { by: ScoreDimension; from: string; name?: string; verdict?: 'fail' },
) =>
  queryOptions({
    queryKey: [...JUDGE_KEY, 'analytics', environment, query],
    queryFn: ({ signal }): Promise<ScoreAnalytics> =>
      call('scoreAnalytics', { environment, signal, query: { ...query, of: 'telemetry' } }).then(
        ({ data }) => data,
      ),
  });
export const agreementQuery = (environment: Environment, name: string) =>
  queryOptions({
    queryKey: [...JUDGE_KEY, 'agreement', environment, name],
    queryFn: ({ signal }) =>
      call('scoreAgreement', { environment, signal, query: { name, from: '-90d' } }).then(({ data }) => data),
  });
interface ScoreFilter {
  readonly name?: string;
  readonly verdict?: 'pass' | 'fail';
  readonly traceId?: string;
  readonly sessionId?: string;
  readonly of?: 'telemetry';
}
export const scoresQuery = (environment: Environment, filter: ScoreFilter) =>
  queryOptions({
    queryKey: [...JUDGE_KEY, 'scores', environment, filter],
    queryFn: ({ signal }): Promise<ScoreView[]> =>
      call('listScores', { environment, signal, query: { ...filter, from: '-90d', limit: 100 } }).then(
        ({ data }) => data,
      ),
  });
export const runsQuery = (environment: Environment, evaluator: string) =>
  queryOptions({
    queryKey: [...JUDGE_KEY, 'runs', environment, evaluator],
    queryFn: ({ signal }): Promise<EvaluationRun[]> =>
      call('listEvaluationRuns', { environment, signal, query: { evaluator, limit: 50 } }).then(
        ({ data }) => data,
      ),
  });
export const saveConfig = (environment: Environment, body: Body<'setEvaluationConfig'>) =>
  call('setEvaluationConfig', { environment, body });
export const createEvaluator = (environment: Environment, body: Body<'createEvaluator'>) =>
  call('createEvaluator', { environment, body });
export const updateEvaluator = (environment: Environment, id: string, body: Body<'updateEvaluator'>) =>
  call('updateEvaluator', { environment, params: { id }, body });
export const testEvaluator = (environment: Environment, id: string, body: Body<'testEvaluator'>) =>
  call('testEvaluator', { environment, params: { id }, body }).then(({ data }) => data);
export const startEvaluation = (environment: Environment, body: Body<'startEvaluation'>) =>
  call('startEvaluation', { environment, body });
export const deleteEvaluator = (environment: Environment, id: string) =>
  call('deleteEvaluator', { environment, params: { id } });

export const datasetsQuery = (environment: Environment) =>
  queryOptions({
    queryKey: [...JUDGE_KEY, 'datasets', environment],
    queryFn: ({ signal }): Promise<DatasetView[]> =>
      call('listDatasets', { environment, signal }).then(({ data }) => data),
  });
/** `revision` undefined: the newest. */
export const datasetItemsQuery = (environment: Environment, id: string, revision?: number) =>
  queryOptions({
    queryKey: [...JUDGE_KEY, 'dataset-items', environment, id, revision],
    queryFn: ({ signal }): Promise<DatasetItem[]> =>
      call('listDatasetItems', {
        environment,
        signal,
        params: { id },
        query: { limit: 100, ...(revision === undefined ? {} : { revision }) },
      }).then(({ data }) => data),
  });
export const createDataset = (environment: Environment, body: Body<'createDataset'>) =>
  call('createDataset', { environment, body });
export const addDatasetItems = (environment: Environment, id: string, body: Body<'addDatasetItems'>) =>
  call('addDatasetItems', { environment, params: { id }, body }).then(({ data }) => data);
/** The items of a dataset as JSON lines, which import to the same hash. */
export const exportDataset = async (environment: Environment, id: string): Promise<Blob> => {
  const { body } = await openStream('exportDataset', { environment, params: { id }, query: {} });
  return new Response(body).blob();
};
export const deleteDataset = (environment: Environment, id: string) =>
  call('deleteDataset', { environment, params: { id } });
export const importDataset = (environment: Environment, id: string, body: Body<'importDataset'>) =>
  call('importDataset', { environment, params: { id }, body }).then(({ data }) => data);

export const experimentsQuery = (environment: Environment) =>
  queryOptions({
    queryKey: [...JUDGE_KEY, 'experiments', environment],
    queryFn: ({ signal }): Promise<ExperimentView[]> =>
      call('listExperiments', { environment, signal }).then(({ data }) => data),
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === 'running') === true ? AGAIN_MS : false,
  });
export const experimentItemsQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: [...JUDGE_KEY, 'experiment-items', environment, id],
    queryFn: ({ signal }): Promise<ExperimentItem[]> =>
      call('listExperimentItems', { environment, signal, params: { id }, query: { limit: 200 } }).then(
        ({ data }) => data,
      ),
  });
export const comparisonQuery = (environment: Environment, id: string, other: string) =>
  queryOptions({
    queryKey: [...JUDGE_KEY, 'comparison', environment, id, other],
    queryFn: ({ signal }) =>
      call('compareExperiments', { environment, signal, params: { id }, query: { with: other } }).then(
        ({ data }) => data,
      ),
  });
export const createExperiment = (environment: Environment, body: Body<'createExperiment'>) =>
  call('createExperiment', { environment, body });
export const resumeExperiment = (environment: Environment, id: string, body: Body<'resumeExperiment'>) =>
  call('resumeExperiment', { environment, params: { id }, body });
export const deleteExperiment = (environment: Environment, id: string) =>
  call('deleteExperiment', { environment, params: { id } });

export const queuesQuery = (environment: Environment) =>
  queryOptions({
    queryKey: [...JUDGE_KEY, 'queues', environment],
    queryFn: ({ signal }): Promise<AnnotationQueue[]> =>
      call('listQueues', { environment, signal }).then(({ data }) => data),
  });
export const queueAgreementQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: [...JUDGE_KEY, 'queue-agreement', environment, id],
    queryFn: ({ signal }) =>
      call('queueAgreement', { environment, signal, params: { id } }).then(({ data }) => data),
  });
export const queueItemsQuery = (environment: Environment, id: string, status?: AnnotationItem['status']) =>
  queryOptions({
    queryKey: [...JUDGE_KEY, 'queue-items', environment, id, status],
    queryFn: ({ signal }): Promise<AnnotationItem[]> =>
      call('listQueueItems', {
        environment,
        signal,
        params: { id },
        query: status === undefined ? {} : { status },
      }).then(({ data }) => data),
  });
export const createQueue = (environment: Environment, body: Body<'createQueue'>) =>
  call('createQueue', { environment, body });
export const deleteQueue = (environment: Environment, id: string) =>
  call('deleteQueue', { environment, params: { id } });
export const fillQueue = (environment: Environment, id: string, body: Body<'addQueueItems'>) =>
  call('addQueueItems', { environment, params: { id }, body }).then(({ data }) => data);
export const claimItem = (environment: Environment, id: string): Promise<AnnotationItem | null> =>
  call('claimQueueItem', { environment, params: { id } }).then(({ data }) => data);
export const labelItem = (
  environment: Environment,
  ids: { id: string; itemId: string },
  body: Body<'labelQueueItem'>,
) => call('labelQueueItem', { environment, params: ids, body });

/** What the playground tells of one column. */
export type PlaygroundEvent =
  | { readonly event: 'delta'; readonly column: number; readonly text: string }
  | {
      readonly event: 'tool';
      readonly column: number;
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    }
  | {
      readonly event: 'done';
      readonly column: number;
      readonly costUsd: number | null;
      readonly firstTokenMs: number | null;
      readonly durationMs: number;
      readonly finish: string;
      readonly usage: { readonly input: number; readonly output: number } | null;
    }
  | { readonly event: 'failure'; readonly column: number; readonly err: string }
  /** The last one. `id` null: the run is not kept, `err` says why. */
  | { readonly event: 'kept'; readonly id: string | null; readonly err: string | null };

export const playgroundRunsQuery = (environment: Environment) =>
  queryOptions({
    queryKey: [...JUDGE_KEY, 'playground', environment],
    queryFn: ({ signal }): Promise<PlaygroundRunSummary[]> =>
      call('listPlaygroundRuns', { environment, signal }).then(({ data }) => data),
  });
export const playgroundRunQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: [...JUDGE_KEY, 'playground', environment, id],
    queryFn: ({ signal }): Promise<PlaygroundRun> =>
      call('getPlaygroundRun', { environment, signal, params: { id } }).then(({ data }) => data),
  });
export const deletePlaygroundRun = (environment: Environment, id: string) =>
  call('deletePlaygroundRun', { environment, params: { id } });

/** Runs the columns and tells what each says as it comes. @throws ApiError */
export async function* playgroundEvents(
  environment: Environment,
  body: Body<'runPlayground'>,
  signal: AbortSignal,
): AsyncGenerator<PlaygroundEvent> {
  const stream = await openStream('runPlayground', {
    body,
    environment,
    signal,
    headers: { accept: 'text/event-stream' },
  });
  const reader = stream.body.getReader();
  const decoder = new TextDecoder();
  const read = eventReader();
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      for (const { event, data } of read(decoder.decode(step.value, { stream: true }))) {
        const told = JSON.parse(data) as { column?: number };
        if (event === 'failure' && told.column === undefined) throw brokenOff(data);
        yield { ...told, event } as PlaygroundEvent;
      }
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
