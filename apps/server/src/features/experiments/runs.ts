import { type ExperimentView, renderTemplate } from '@candela/contract';
import { asCandelaError, fail, type RequestContext } from '@candela/kernel';
import type { JudgeDocument, MetadataStore, WorkItem } from '@candela/metadata-store';
import type { Ingest } from '../../ingest/index.ts';
import type { Job, JobRun } from '../../jobs/job.ts';
import type { JobRunner } from '../../jobs/runner.ts';
import { DeferredError, PermanentError, workThrough } from '../../jobs/work-through.ts';
import type { ModelCalls } from '../../llm/service.ts';
import { isMap, textOf } from '../datasets/service.ts';
import {
  type Evaluators,
  judgeScope,
  type NewScore,
  recordScores,
  type Verdict,
} from '../evaluations/service.ts';
import { askedOf, fillMessages } from '../prompts/chat.ts';
import type { PromptService } from '../prompts/service.ts';

export const EXPERIMENT_QUEUE = 'experiment-items';
const EXPERIMENT_JOB = 'experiments';
const CONCURRENCY = 4;
/** Somebody looks at an experiment while it runs: the next look at the queue would be a minute later. */
const PATIENCE_MS = 30_000;
const MAX_ATTEMPTS = 5;
const PAUSE_MS = 300_000;

type Target = ExperimentView['target'];

/** The body of a document of kind `experiment`. */
export interface ExperimentBody {
  readonly datasetId: string;
  readonly dataset: string;
  readonly revision: number;
  readonly target: Target;
  readonly evaluators: readonly string[];
  readonly capUsd: number | null;
  readonly tenant: { readonly organisationId: string; readonly databaseConfigId: string };
}

/** The body of an item: what it was asked, what came of it. */
export interface ResultBody {
  readonly input: unknown;
  readonly expectedOutput: unknown;
  readonly output: string | null;
  readonly error: string | null;
  readonly durationMs: number | null;
  readonly costUsd: number | null;
  readonly traceId?: string | null;
  readonly scores: Readonly<Record<string, Pick<Verdict, 'state' | 'value' | 'verdict' | 'explanation'>>>;
  /** Judged and paid for, and not among the scores of the project yet: recorded by whoever takes the item next. */
  readonly unrecorded?: NewScore | undefined;
}

export interface ExperimentParts {
  readonly metadata: MetadataStore;
  readonly evaluators: Evaluators;
  readonly models: ModelCalls;
  readonly prompts: Pick<PromptService, 'compiled'>;
  readonly ingest: Pick<Ingest, 'submit'>;
  readonly jobs: Pick<JobRunner, 'owner' | 'trigger'>;
}

/** What two calls cost together; null: no price is known of what was called. */
const costOf = (before: number | null, more: number | null): number | null =>
  more === null || more === 0 ? before : (before ?? 0) + more;

/** What the items of an experiment have cost. */
async function spentOn(metadata: MetadataStore, documentId: string): Promise<number> {
  let spent = 0;
  for (let after: number | undefined; ; ) {
    const page = await metadata.judging.items(documentId, { after, limit: 500 });
    for (const { body } of page) spent += (body as ResultBody).costUsd ?? 0;
    if (page.length < 500) return spent;
    after = page.at(-1)?.position;
  }
}

/** A model that is asked with a placeholder answers something else than what the item asks. @throws refused */
function withAll<T>(missing: readonly string[], messages: T): T {
  const [name] = missing;
  if (name === undefined) return messages;
  throw fail('refused', { detail: `The input of this item has no value for "${name}".` });
}

/** The job that runs items of experiments: output first, then each evaluator; both are kept, so that nothing is paid twice. */
export function createExperimentRuns(parts: ExperimentParts) {
  const { metadata, evaluators, models, prompts, ingest, jobs } = parts;
  const spent = new Map<string, number>();

  async function messagesFor(
    context: RequestContext,
    target: Exclude<Target, { kind: 'external' }>,
    input: unknown,
  ) {
    const variables = isMap(input) ? input : { input: textOf(input) ?? '' };
    if (target.kind === 'template') {
      const { text, missing } = renderTemplate(target.text, variables);
      return withAll(missing, askedOf({ compiledPrompt: text }));
    }
    if (target.kind === 'messages') {
      const missing = target.messages.flatMap(({ content }) => renderTemplate(content, variables).missing);
      return withAll(
        missing,
        askedOf({ compiledPrompt: '', messages: fillMessages(target.messages, variables) }),
      );
    }
    const stored = await metadata.prompts.index(context, { id: undefined, name: target.prompt });
    const served = await prompts.compiled(context, {
      ...(stored === undefined ? { id: target.prompt } : { name: target.prompt }),
      version: target.version,
      compile: true,
      variables,
    });
    return withAll(served.result.missing, askedOf(served.result));
  }

  async function answer(
    context: RequestContext,
    document: JudgeDocument,
    body: ResultBody,
    signal: AbortSignal,
  ): Promise<ResultBody> {
    const { target } = document.body as ExperimentBody;
    if (target.kind === 'external' || body.output !== null) return body;
    const messages = await messagesFor(context, target, body.input);
    const began = performance.now();
    const said = await models.complete(
      context,
      {
        feature: 'experiment',
        modelId: target.modelId,
        messages,
        refId: document.id,
        attributes: { 'platform.experiment': document.id },
      },
      signal,
    );
    return {
      ...body,
      output: said.text,
      error: null,
      durationMs: Math.round(performance.now() - began),
      costUsd: costOf(body.costUsd, said.costUsd),
    };
  }

  async function handle(work: WorkItem, { contextOf, now }: JobRun, signal: AbortSignal): Promise<unknown> {
    const { scope, documentId, key } = work.payload as {
      readonly scope: { readonly projectId: string; readonly environment: string };
      readonly documentId: string;
      readonly key: string;
    };
    const document = await metadata.judging.find(scope, 'experiment', documentId);
    const item = await metadata.judging.item(documentId, key);
    if (document === undefined || item === undefined) return { skipped: 'The experiment was deleted.' };
    if (item.status === 'done') return { done: true };
    const experiment = document.body as ExperimentBody;
    const context = contextOf({ ...scope, ...experiment.tenant });
    const before = spent.get(documentId) ?? (await spentOn(metadata, documentId));
    spent.set(documentId, before);
    if (experiment.capUsd !== null && before >= experiment.capUsd) {
      throw new DeferredError(`The cap of ${experiment.capUsd} USD is reached.`, PAUSE_MS);
    }
    let body = item.body as ResultBody;
    const keep = async (next: ResultBody, status = 'queued') => {
      spent.set(documentId, (spent.get(documentId) ?? 0) + (next.costUsd ?? 0) - (body.costUsd ?? 0));
      body = next;
      await metadata.judging.setItem(documentId, key, { body, status });
    };
    // Recorded twice, after a kill in between, it is one score: by its id and time.
    const record = async () => {
      if (body.unrecorded === undefined) return;
      await recordScores(ingest, context, scope.environment, [body.unrecorded]);
      body = { ...body, unrecorded: undefined };
    };
    try {
      await record();
      const answered = await answer(context, document, body, signal);
      if (answered !== body) await keep(answered);
      for (const id of experiment.evaluators) {
        if (
          body.output === null ||
          body.scores[id]?.state === 'scored' ||
          body.scores[id]?.state === 'skipped'
        )
          continue;
        const evaluator = await evaluators.get(context, id);
        const { dailyCapUsd } = await evaluators.config(judgeScope(context));
        const verdict = await evaluators.evaluate(
          context,
          evaluator,
          {
            input: textOf(body.input) ?? '',
            output: body.output,
            expected: textOf(body.expectedOutput),
            contexts: [],
            durationMs: body.durationMs ?? undefined,
            costUsd: body.costUsd ?? undefined,
            failed: false,
            toolCalls: [],
          },
          { dailyCapUsd },
          signal,
        );
        const { state, value, verdict: said, explanation } = verdict;
        const score: NewScore = {
          id: `${documentId}:${key}:${id}`,
          timeMs: now(),
          name: id,
          source: evaluator.kind === 'judge' ? 'judge' : 'code',
          value,
          verdict: said,
          explanation,
          traceId: body.traceId,
          evaluator: id,
          version: evaluator.version,
          threshold: evaluator.threshold,
          runId: documentId,
          item: key,
          costUsd: verdict.costUsd,
        };
        await keep({
          ...body,
          costUsd: costOf(body.costUsd, verdict.costUsd),
          scores: { ...body.scores, [id]: { state, value, verdict: said, explanation } },
          unrecorded: state === 'scored' ? score : undefined,
        });
        await record();
      }
      await keep(body, body.error === null ? 'done' : 'failed');
      return { done: true };
    } catch (thrown) {
      const { code, message } = asCandelaError(thrown);
      if (code === 'spend_cap') throw new DeferredError(message, PAUSE_MS);
      const isPermanent = code === 'refused' || code === 'not_found' || code === 'bad_request';
      if (!signal.aborted && (isPermanent || work.attempts >= MAX_ATTEMPTS)) {
        const said = code === 'internal' && thrown instanceof Error ? thrown.message : message;
        await keep({ ...body, error: said.slice(0, 2_000) }, 'failed');
      }
      throw isPermanent ? new PermanentError(message, { cause: thrown }) : thrown;
    }
  }

  const job: Job = {
    id: EXPERIMENT_JOB,
    title: 'Items of experiments',
    schedule: { everyMs: 60_000, atStart: true },
    async run(run) {
      spent.clear();
      return workThrough({
        metadata,
        queue: EXPERIMENT_QUEUE,
        owner: jobs.owner,
        concurrency: CONCURRENCY,
        maxAttempts: MAX_ATTEMPTS,
        patienceMs: PATIENCE_MS,
        signal: run.signal,
        now: run.now,
        handle: (item, signal) => handle(item, run, signal),
      });
    },
  };
  return {
    job,
    /** Enqueues items; one that waits already is not added again. */
    async enqueue(document: JudgeDocument, keys: readonly string[]): Promise<void> {
      const { projectId, environment } = document;
      await metadata.work.enqueue(
        EXPERIMENT_QUEUE,
        keys.map((key) => ({
          key: JSON.stringify([document.id, key]),
          group: document.id,
          payload: { scope: { projectId, environment }, documentId: document.id, key },
        })),
      );
      await jobs.trigger(EXPERIMENT_JOB);
    },
  };
}

export type ExperimentRuns = ReturnType<typeof createExperimentRuns>;
