import {
  type EvaluationConfig,
  type EvaluationResult,
  type EVALUATION_ROUTES,
  type EvaluatorView,
  parseFilterOrFail,
} from '@candela/contract';
import { asCandelaError, type Clock, fail, type RequestContext } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import type { TelemetryQueries } from '@candela/telemetry-store';
import { z } from 'zod';
import type { Handlers } from '../../http/handlers.ts';
import { actorName, record } from '../audit/service.ts';
import {
  type ConfigBody,
  type Evaluator,
  type Evaluators,
  judgeScope,
  polarityOf,
  type Verdict,
} from './evaluators.ts';
import { JUDGE_FEATURE } from './judge.ts';
import { KINDS } from './kinds/index.ts';
import { groupOf, RUN_JOB, RUN_QUEUE, type Runs } from './runs.ts';
import { NO_CONTEXTS, ruleFieldsOf, type RuleQuestions } from './rule-contexts.ts';
import { subjectOf, unjudgeable } from './subject.ts';
import { BUILT_IN, type EvaluatorBody } from './types.ts';

/** A filter that cannot be read would judge nothing, without a word. @throws bad_query */
function checkFilter({ auto }: { readonly auto?: EvaluatorBody['auto'] | undefined }): void {
  if (auto) parseFilterOrFail(auto.q, 'spans');
}

const DAY_MS = 86_400_000;
const iso = (ms: number) => new Date(ms).toISOString();
/** Spans that are judged at once in a test. */
const AT_ONCE = 4;
/** Model calls of a trace or session that one run takes. */
const MOST_OF_ONE = 500;
/** How far back a test looks for spans. */
const TEST_DAYS = 7;

export interface EvaluatorParts {
  readonly metadata: MetadataStore;
  readonly evaluators: Evaluators;
  readonly queries: TelemetryQueries;
  readonly runs: Runs;
  readonly clock: Clock;
  readonly rules: RuleQuestions;
}

type EvaluatorHandlers = Pick<
  Handlers,
  Exclude<
    keyof typeof EVALUATION_ROUTES,
    | 'listScores'
    | 'addScore'
    | 'addFeedback'
    | 'scoreAnalytics'
    | 'scoreAgreement'
    | 'evaluateOffline'
    | 'listOfflineTypes'
    | 'upsertOfflineTypes'
    | 'updateOfflineType'
  >
>;

/** Work in order, so many at once. */
export async function mapAtOnce<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as T);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane));
  return results;
}

/** Saves what an evaluator is from now on, with its row in the audit log. */
export async function saveEvaluator(
  metadata: MetadataStore,
  context: RequestContext,
  evaluator: Pick<Evaluator, 'id' | 'documentId'>,
  body: EvaluatorBody,
): Promise<void> {
  const scope = judgeScope(context);
  const { organisationId, databaseConfigId } = context;
  const kept = { ...body, tenant: { organisationId, databaseConfigId } };
  await metadata.change(undefined, async (repositories) => {
    const { judging } = repositories;
    if (evaluator.documentId === undefined) {
      await judging.create(scope, {
        kind: 'evaluator',
        name: evaluator.id,
        body: kept,
        by: actorName(context) ?? '',
      });
    } else {
      await judging.update(await judging.get(scope, 'evaluator', evaluator.documentId), { body: kept });
    }
    await record(repositories, context, {
      action: evaluator.documentId === undefined ? 'evaluator.create' : 'evaluator.update',
      objectKind: 'evaluator',
      objectId: evaluator.id,
      details: { label: body.label, kind: body.kind, enabled: body.enabled, automatic: body.auto !== null },
    });
  });
}

export const bodyOf = ({
  id: _id,
  builtIn: _builtIn,
  documentId: _documentId,
  model: _model,
  version: _version,
  ...body
}: Evaluator): EvaluatorBody => body;

/** Evaluators, their configuration, tests and runs. */
export function evaluatorHandlers({
  metadata,
  evaluators,
  queries,
  runs,
  clock,
  rules,
}: EvaluatorParts): EvaluatorHandlers {
  async function viewOf(context: RequestContext, evaluator: Evaluator): Promise<EvaluatorView> {
    const { label, description, enabled, kind, prompt, modelId, threshold, settings, auto } = evaluator;
    return {
      id: evaluator.id,
      label,
      description,
      enabled,
      kind,
      prompt,
      modelId,
      threshold,
      settings,
      auto: auto === null ? null : { byRules: false, ...auto },
      builtIn: evaluator.builtIn,
      polarity: polarityOf(evaluator),
      version: evaluator.version,
      lastRunAt: evaluator.lastRunAt === undefined ? null : iso(evaluator.lastRunAt),
      lastError: evaluator.lastError ?? null,
      queue: await metadata.work.counts(RUN_QUEUE, groupOf(context, evaluator.id)),
    };
  }

  async function configView(context: RequestContext): Promise<EvaluationConfig> {
    const scope = judgeScope(context);
    const { modelId, dailyCapUsd } = await evaluators.config(scope);
    const now = clock.now();
    const today = [scope.projectId, JUDGE_FEATURE, now - (now % DAY_MS)] as const;
    const spentTodayUsd = await metadata.llmUsage.spentUsd(...today);
    const paused =
      dailyCapUsd !== null && spentTodayUsd >= dailyCapUsd
        ? `Judges have cost ${spentTodayUsd.toFixed(4)} USD today; the cap is ${dailyCapUsd} USD a day. Runs go on at 00:00 UTC, or when the cap is raised.`
        : null;
    const state = (await metadata.jobs.states()).find(({ jobId }) => jobId === RUN_JOB);
    return {
      modelId,
      dailyCapUsd,
      spentTodayUsd,
      unpricedToday: await metadata.llmUsage.unpricedCalls(...today),
      paused,
      nextRunAt: state?.dueAt == null ? null : iso(state.dueAt),
    };
  }

  const resultOf = (
    evaluator: string,
    ids: { readonly traceId: string; readonly spanId: string } | undefined,
    verdict: Verdict,
  ): EvaluationResult => ({
    evaluator,
    traceId: ids?.traceId ?? null,
    spanId: ids?.spanId ?? null,
    ...verdict,
  });
  const unscored = (state: 'skipped' | 'failed', explanation: string): Verdict => ({
    state,
    value: null,
    label: null,
    verdict: null,
    explanation,
    costUsd: null,
  });

  /** The newest spans that match, of the last days; calls of the platform itself, its judges', would only be skipped. */
  async function newest(context: RequestContext, q: string, limit: number, signal: AbortSignal) {
    const now = clock.now();
    const asked = parseFilterOrFail(q, 'spans');
    const page = await queries.searchSpans(
      context,
      {
        window: { from: BigInt(now - TEST_DAYS * DAY_MS) * 1_000_000n, to: BigInt(now) * 1_000_000n },
        filter: {
          and: [
            ...(asked === undefined ? [] : [asked]),
            { field: 'attributes.platform.feature', op: 'not_exists' },
          ],
        },
        sort: '-start',
        limit,
        cursor: undefined,
      },
      signal,
    );
    return page.data;
  }

  /** The model calls of traces or of a session. */
  async function callsOf(context: RequestContext, field: 'trace_id' | 'session', values: readonly string[]) {
    const now = clock.now();
    const page = await queries.searchSpans(context, {
      window: { from: 0n, to: BigInt(now) * 1_000_000n },
      filter: {
        and: [
          { field, op: 'in', value: values },
          { field: 'operation', op: 'exists' },
        ],
      },
      sort: 'start',
      limit: MOST_OF_ONE,
      cursor: undefined,
    });
    return page.data;
  }

  return {
    getEvaluationConfig: async ({ context }) => ({ data: await configView(context) }),
    setEvaluationConfig: async ({ context, body }) => {
      const scope = judgeScope(context);
      if (body.modelId !== null) await metadata.models.get(context, body.modelId);
      const kept: ConfigBody = body;
      await metadata.change(undefined, async (repositories) => {
        const before = await repositories.judging.find(scope, 'config', 'config');
        if (before === undefined) {
          await repositories.judging.create(scope, {
            kind: 'config',
            name: 'config',
            body: kept,
            by: actorName(context) ?? '',
          });
        } else await repositories.judging.update(before, { body: kept });
        await record(repositories, context, {
          action: 'evaluation.configure',
          objectKind: 'evaluation',
          objectId: null,
          details: { modelId: body.modelId, dailyCapUsd: body.dailyCapUsd },
        });
      });
      return { data: await configView(context) };
    },

    listEvaluators: async ({ context }) => ({
      data: await Promise.all((await evaluators.list(context)).map((one) => viewOf(context, one))),
      kinds: KINDS.map(({ id, label, description, settings }) => ({
        id,
        label,
        description,
        settings: z.toJSONSchema(settings, { io: 'input' }) as Record<string, unknown>,
      })),
    }),

    createEvaluator: async ({ context, body }) => {
      const { id, ...given } = body;
      checkFilter(given);
      if (BUILT_IN.has(id)) {
        throw fail('conflict', { detail: `"${id}" is built in. Change it instead, or choose another id.` });
      }
      await saveEvaluator(metadata, context, { id, documentId: undefined }, evaluators.checked(given));
      return { data: await viewOf(context, await evaluators.get(context, id)) };
    },
    updateEvaluator: async ({ context, params, body }) => {
      checkFilter(body);
      const before = await evaluators.get(context, params.id);
      const changed = { ...bodyOf(before), ...body } as EvaluatorBody;
      await saveEvaluator(metadata, context, before, evaluators.checked(changed));
      return { data: await viewOf(context, await evaluators.get(context, params.id)) };
    },
    deleteEvaluator: async ({ context, params }) => {
      const { documentId, label } = await evaluators.get(context, params.id);
      if (documentId !== undefined) {
        await metadata.change(undefined, async (repositories) => {
          const { judging } = repositories;
          await judging.delete(await judging.get(judgeScope(context), 'evaluator', documentId));
          await repositories.work.remove(RUN_QUEUE, { group: groupOf(context, params.id) });
          await record(repositories, context, {
            action: 'evaluator.delete',
            objectKind: 'evaluator',
            objectId: params.id,
            details: { label },
          });
        });
      }
      return { data: { id: params.id } };
    },

    testEvaluator: async ({ context, params, body, signal }) => {
      const evaluator =
        body.draft === undefined
          ? await evaluators.get(context, params.id)
          : await evaluators.draft(context, params.id, body.draft);
      const { dailyCapUsd } = await evaluators.config(judgeScope(context));
      const spans = body.spans ?? (await newest(context, body.q ?? '', body.limit, signal));
      const data = await mapAtOnce(spans, AT_ONCE, async (ids) => {
        try {
          const span = await queries.span(context, ids, signal);
          const reason = unjudgeable(span);
          if (reason !== undefined) return resultOf(evaluator.id, ids, unscored('skipped', reason));
          const { contents } =
            evaluator.kind === 'judge' ? await rules.contexts(context, ruleFieldsOf(span)) : NO_CONTEXTS;
          const verdict = await evaluators.evaluate(
            context,
            evaluator,
            subjectOf(span, contents),
            { dailyCapUsd },
            signal,
          );
          return resultOf(evaluator.id, ids, verdict);
        } catch (thrown) {
          const error = asCandelaError(thrown);
          if (error.code === 'refused' || error.code === 'spend_cap') throw thrown;
          const said = thrown instanceof Error ? thrown.message : error.message;
          return resultOf(evaluator.id, ids, unscored('failed', said));
        }
      });
      return { data };
    },

    startEvaluation: async ({ context, body }) => {
      const chosen = await Promise.all(body.evaluators.map((id) => evaluators.get(context, id)));
      const missing = chosen.find(({ kind, model }) => kind === 'judge' && !model);
      if (missing !== undefined) {
        throw fail('refused', {
          detail: `"${missing.label}" needs a model that judges. Choose one under Evaluations, or add one in the settings.`,
        });
      }
      const { spans, traceId, sessionId, traceIds = traceId === undefined ? [] : [traceId] } = body;
      const wanted =
        spans ??
        (sessionId === undefined
          ? await callsOf(context, 'trace_id', traceIds)
          : await callsOf(context, 'session', [sessionId]));
      const runId = crypto.randomUUID();
      let queued = 0;
      for (const evaluator of chosen) queued += await runs.enqueue(context, evaluator, wanted, runId);
      await metadata.change(undefined, (repositories) =>
        record(repositories, context, {
          action: 'evaluation.run',
          objectKind: 'evaluation',
          objectId: runId,
          details: { evaluators: body.evaluators, spans: wanted.length },
        }),
      );
      await runs.trigger();
      return { data: { queued, known: wanted.length * chosen.length - queued } };
    },

    listEvaluationRuns: async ({ context, query }) => {
      const { evaluator, state, limit } = query;
      const group = groupOf(context, evaluator);
      const items = await metadata.work.list(RUN_QUEUE, {
        group,
        limit,
        newest: true,
        ...(state === undefined ? {} : { state }),
      });
      return {
        data: items.map((item) => {
          const { traceId, spanId } = item.payload as { readonly traceId: string; readonly spanId: string };
          const { id, attempts, result, error } = item;
          return {
            id,
            evaluator,
            traceId,
            spanId,
            state: item.state,
            attempts,
            result,
            error,
            updatedAt: iso(item.updatedAt),
          };
        }),
      };
    },
  };
}
