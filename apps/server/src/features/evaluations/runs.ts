import { createHash } from 'node:crypto';
import { parseFilterOrFail } from '@candela/contract';
import { asCandelaError, type RequestContext } from '@candela/kernel';
import type { JudgeDocument, MetadataStore, WorkItem } from '@candela/metadata-store';
import type { TelemetryQueries } from '@candela/telemetry-store';
import type { Ingest } from '../../ingest/index.ts';
import type { Job, JobRun } from '../../jobs/job.ts';
import type { JobRunner } from '../../jobs/runner.ts';
import { DeferredError, PermanentError, workThrough } from '../../jobs/work-through.ts';
import { type Evaluator, type Evaluators, judgeScope, type Verdict } from './evaluators.ts';
import { UnreadableJudgement } from './judge.ts';
import { recordScores, whatIsScored } from './record-score.ts';
import { NO_CONTEXTS, ruleFieldsOf, type RuleQuestions } from './rule-contexts.ts';
import { subjectOf, unjudgeable } from './subject.ts';
import type { EvaluatorBody } from './types.ts';

export const RUN_QUEUE = 'evaluation-runs';
export const RUN_JOB = 'evaluations';
const EVERY_MS = 30_000;
const CONCURRENCY = 4;
const MAX_ATTEMPTS = 5;
/** Spans arrive late: the newest ones are left for the next run, and each run looks back once more. */
const GRACE_MS = 60_000;
const LOOK_BACK_MS = 120_000;
const MOST_BEHIND_MS = 86_400_000;
const PAGE = 500;
/** Spans that one look takes for one evaluator; the rest is taken at the next one. */
const MOST_TAKEN = 5_000;
const KEEP_MS = 30 * 86_400_000;
/** While the daily cap is reached an item is looked at again after so long. */
const PAUSE_MS = 300_000;
/** How the ids of runs begin that nobody asked for. */
const AUTOMATIC = 'auto:';

export interface RunParts {
  readonly metadata: MetadataStore;
  readonly evaluators: Evaluators;
  readonly queries: TelemetryQueries;
  readonly ingest: Pick<Ingest, 'submit'>;
  readonly jobs: Pick<JobRunner, 'owner' | 'trigger'>;
  readonly rules: RuleQuestions;
}

/** What an item of the queue says: whom to work for and which span to judge. */
interface Payload {
  readonly tenant: {
    readonly organisationId: string;
    readonly projectId: string;
    readonly environment: string;
    readonly databaseConfigId: string;
  };
  readonly evaluator: string;
  readonly version: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly runId: string;
}

/** What the items of one evaluator are counted and listed by. */
export const groupOf = (context: RequestContext, evaluator: string): string =>
  JSON.stringify([context.projectId, judgeScope(context).environment, evaluator]);

/** Whether a trace belongs to a sample: by its id alone, so that a trace is whole in it or not at all. */
function isSampled(traceId: string, rate: number): boolean {
  const bytes = createHash('sha256').update(traceId).digest();
  return bytes.readUInt32BE(0) / 2 ** 32 < rate;
}

/** Judging of stored spans: what enqueues them, and the job that works through the queue. */
export function createRuns(parts: RunParts) {
  const { metadata, evaluators, queries, ingest, jobs, rules } = parts;

  /** Enqueues spans for an evaluator; a span that this version was given before is known. */
  async function enqueue(
    context: RequestContext,
    evaluator: Evaluator,
    spans: readonly { readonly traceId: string; readonly spanId: string }[],
    runId: string,
  ): Promise<number> {
    const { environment } = judgeScope(context);
    const { organisationId, projectId, databaseConfigId } = context;
    const tenant = { organisationId, projectId, environment, databaseConfigId };
    const group = groupOf(context, evaluator.id);
    return metadata.work.enqueue(
      RUN_QUEUE,
      spans.map(({ traceId, spanId }) => ({
        key: JSON.stringify([projectId, environment, evaluator.id, evaluator.version, traceId, spanId]),
        group,
        payload: {
          tenant,
          evaluator: evaluator.id,
          version: evaluator.version,
          traceId,
          spanId,
          runId,
        } satisfies Payload,
      })),
    );
  }

  /** Looks for new spans of an evaluator that runs by itself. Returns how many were added. */
  async function look(document: JudgeDocument, { contextOf, now, signal }: JobRun): Promise<number> {
    const body = document.body as EvaluatorBody;
    const { auto, tenant, enabled } = body;
    if (auto === null || tenant === undefined || !enabled) return 0;
    const context = contextOf({
      ...tenant,
      projectId: document.projectId,
      environment: document.environment,
    });
    const until = now() - GRACE_MS;
    const since = Math.max(body.watermark ?? document.updatedAt, until - MOST_BEHIND_MS) - LOOK_BACK_MS;
    if (until <= since) return 0;
    const evaluator = await evaluators.get(context, document.name);
    const window = { from: BigInt(since) * 1_000_000n, to: BigInt(until) * 1_000_000n };
    const filter = parseFilterOrFail(auto.q, 'spans');
    let cursor: string | undefined;
    let added = 0;
    let reached = until;
    for (let seen = 0; ; ) {
      signal.throwIfAborted();
      const page = await queries.searchSpans(
        context,
        { window, filter, sort: 'start', limit: PAGE, cursor },
        signal,
      );
      const sampled = page.data.filter(({ traceId }) => isSampled(traceId, auto.sampleRate));
      added += await enqueue(context, evaluator, sampled, `${AUTOMATIC}${document.id}`);
      seen += page.data.length;
      cursor = page.nextCursor ?? undefined;
      if (cursor === undefined) break;
      if (seen >= MOST_TAKEN) {
        reached = Date.parse(page.data.at(-1)?.startTime ?? '') || until;
        break;
      }
    }
    await remember(document, { watermark: reached, lastRunAt: now(), lastError: null });
    return added;
  }

  /** What a look leaves behind. Somebody who changes the evaluator meanwhile wins: the look is made once more. */
  async function remember(document: JudgeDocument, facts: Partial<EvaluatorBody>): Promise<void> {
    try {
      await metadata.judging.update(document, { body: { ...(document.body as EvaluatorBody), ...facts } });
    } catch (thrown) {
      if (asCandelaError(thrown).code !== 'conflict') throw thrown;
    }
  }

  /** Judges one span and records its score; the id of the score makes it one however often this is done. */
  async function handle(item: WorkItem, { contextOf, now }: JobRun, signal: AbortSignal): Promise<unknown> {
    const { tenant, evaluator: id, version, traceId, spanId, runId } = item.payload as Payload;
    const context = contextOf(tenant);
    const evaluator = await evaluators.get(context, id).catch((thrown: unknown) => {
      if (asCandelaError(thrown).code === 'not_found') return undefined;
      throw thrown;
    });
    if (evaluator === undefined) return skipped('The evaluator was deleted.');
    if (evaluator.version !== version)
      return skipped('The evaluator was changed before this span was judged.');
    const span = await queries.span(context, { traceId, spanId }, signal);
    const reason = unjudgeable(span);
    if (reason !== undefined) return skipped(reason);
    const fields = ruleFieldsOf(span);
    const isAutomatic = runId.startsWith(AUTOMATIC);
    if (isAutomatic && evaluator.auto?.byRules === true) {
      if (!(await rules.returnsEvaluator(context, fields, id)))
        return skipped('No rule returns this evaluator for the span.');
    }
    const given = evaluator.kind === 'judge' ? await rules.contexts(context, fields) : NO_CONTEXTS;
    const base = {
      id: `${id}:${version}:${spanId}`,
      name: id,
      source: evaluator.kind === 'judge' ? ('judge' as const) : ('code' as const),
      traceId,
      spanId,
      ...whatIsScored(span),
      evaluator: id,
      version,
      threshold: evaluator.threshold,
      judgeModel: evaluator.model ? `${evaluator.model.provider}/${evaluator.model.model}` : undefined,
      runId,
      ruleIds: given.ruleIds,
      contextIds: given.contextIds,
    };
    const record = (more: object) =>
      recordScores(ingest, context, tenant.environment, [{ ...base, timeMs: now(), ...more }]);
    const { dailyCapUsd } = await evaluators.config(judgeScope(context));
    let verdict: Verdict;
    try {
      verdict = await evaluators.evaluate(
        context,
        evaluator,
        subjectOf(span, given.contents),
        { dailyCapUsd },
        signal,
      );
    } catch (thrown) {
      const { code } = asCandelaError(thrown);
      if (code === 'spend_cap') throw new DeferredError((thrown as Error).message, PAUSE_MS);
      const isPermanent = code === 'refused';
      if (!signal.aborted && (isPermanent || item.attempts >= MAX_ATTEMPTS)) {
        await record({ errorType: thrown instanceof UnreadableJudgement ? 'unreadable_answer' : code });
      }
      throw isPermanent ? new PermanentError((thrown as Error).message, { cause: thrown }) : thrown;
    }
    if (verdict.state === 'skipped') return verdict;
    await record(verdict);
    return verdict;
  }

  const job: Job = {
    id: RUN_JOB,
    title: 'Evaluations of spans',
    schedule: { everyMs: EVERY_MS, atStart: true },
    async run(run) {
      let added = 0;
      for (const document of await metadata.judging.listAll('evaluator')) {
        try {
          added += await look(document, run);
        } catch (thrown) {
          run.signal.throwIfAborted();
          const { message } = asCandelaError(thrown);
          run.logger.warn({ err: thrown, evaluator: document.name }, 'spans for an evaluator were not found');
          await remember(document, { lastError: message });
        }
      }
      const counts = await workThrough({
        metadata,
        queue: RUN_QUEUE,
        owner: jobs.owner,
        concurrency: CONCURRENCY,
        maxAttempts: MAX_ATTEMPTS,
        signal: run.signal,
        now: run.now,
        handle: (item, signal) => handle(item, run, signal),
      });
      await metadata.work.remove(RUN_QUEUE, { finishedBefore: run.now() - KEEP_MS });
      return { added, ...counts };
    },
  };
  return { job, enqueue, trigger: () => jobs.trigger(RUN_JOB) };
}

const skipped = (explanation: string): Verdict => ({
  state: 'skipped',
  value: null,
  label: null,
  verdict: null,
  explanation,
  costUsd: null,
});

export type Runs = ReturnType<typeof createRuns>;
