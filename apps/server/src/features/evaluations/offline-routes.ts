import type { EVALUATION_ROUTES } from '@candela/contract';
import { type Clock, fail, type RequestContext } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import type { Handlers } from '../../http/handlers.ts';
import type { Ingest } from '../../ingest/index.ts';
import { bodyOf, mapAtOnce, saveEvaluator } from './evaluator-routes.ts';
import { type Evaluator, type Evaluators, judgeScope } from './evaluators.ts';
import { recordScores } from './record-score.ts';
import type { RuleFields, RuleQuestions } from './rule-contexts.ts';
import { BUILT_IN, type EvaluatorBody } from './types.ts';

const AT_ONCE = 4;
const WITHOUT_CHOICE = ['hallucination', 'bias', 'toxicity'];
const MOST_METADATA = 20;
const MOST_FIELD_VALUE = 1_000;
const NOT_CONFIGURED =
  'No model is configured to judge. Choose one under Evaluations, or add one in the settings under Models.';

type OfflineHandlers = Pick<
  Handlers,
  Extract<
    keyof typeof EVALUATION_ROUTES,
    'evaluateOffline' | 'listOfflineTypes' | 'upsertOfflineTypes' | 'updateOfflineType'
  >
>;

/** Attributes that rules can be asked with; the rest of what a client sends is passed over. */
const ruleFields = (attributes: Readonly<Record<string, unknown>>): RuleFields =>
  Object.fromEntries(
    Object.entries(attributes)
      .filter((pair): pair is [string, string | number | boolean] => {
        const [key, value] = pair;
        const isText = typeof value === 'string' && value.length <= MOST_FIELD_VALUE;
        return (
          key.trim() !== '' &&
          key.length <= 200 &&
          (isText || typeof value === 'boolean' || Number.isFinite(value))
        );
      })
      .slice(0, MOST_METADATA),
  );

const typeOf = ({ id, label, description, enabled, builtIn, threshold }: Evaluator) => ({
  id,
  label,
  description,
  enabled,
  is_custom: !builtIn,
  threshold_score: threshold,
});

/** Judging of texts that an application sends, with names and answers as shipped clients know them. */
export function offlineHandlers(parts: {
  readonly metadata: MetadataStore;
  readonly evaluators: Evaluators;
  readonly ingest: Pick<Ingest, 'submit'>;
  readonly clock: Clock;
  readonly rules: RuleQuestions;
}): OfflineHandlers {
  const { metadata, evaluators, ingest, clock, rules } = parts;

  /** Judged types; deterministic kinds have no place in this wire. */
  const typesOf = async (context: RequestContext) =>
    (await evaluators.list(context)).filter(({ kind }) => kind === 'judge');

  interface Change {
    readonly enabled?: boolean | undefined;
    readonly prompt?: string | undefined;
    readonly thresholdScore?: number | undefined;
    readonly label?: string | undefined;
    readonly description?: string | undefined;
  }
  async function change(
    context: RequestContext,
    id: string,
    given: Change,
    mayCreate: boolean,
  ): Promise<void> {
    const before = (await typesOf(context)).find((one) => one.id === id);
    if (before === undefined && !mayCreate) throw fail('not_found', { what: `The type "${id}"` });
    const base: EvaluatorBody = before
      ? bodyOf(before)
      : {
          label: given.label ?? id,
          description: '',
          enabled: true,
          kind: 'judge',
          prompt: given.description ?? '',
          modelId: null,
          threshold: 0.5,
          settings: {},
          auto: null,
        };
    const { enabled, prompt, thresholdScore, label, description } = given;
    const body = {
      ...base,
      ...(enabled === undefined ? {} : { enabled }),
      ...(prompt === undefined ? {} : { prompt }),
      ...(thresholdScore === undefined ? {} : { threshold: thresholdScore }),
      ...(label === undefined ? {} : { label }),
      ...(description === undefined ? {} : { description }),
    };
    await saveEvaluator(metadata, context, { id, documentId: before?.documentId }, evaluators.checked(body));
  }

  return {
    evaluateOffline: async ({ context, body, signal }) => {
      const types = await typesOf(context);
      if (types.every(({ model }) => !model)) throw fail('bad_request', { detail: NOT_CONFIGURED });
      const enabled = types.filter((one) => one.enabled).map(({ id }) => id);
      const wanted = body.eval_types?.length
        ? body.eval_types
        : enabled.length > 0
          ? enabled
          : WITHOUT_CHOICE;
      const asked = body.eval_types?.length ? new Set(enabled) : undefined;
      const chosen = wanted.map((id) => {
        const found = types.find((one) => one.id === id);
        if (found === undefined)
          throw fail('bad_request', { detail: `There is no evaluation type "${id}".` });
        if (asked !== undefined && !asked.has(id)) {
          throw fail('bad_request', {
            detail: `The evaluation type "${id}" is turned off. Enable it first.`,
          });
        }
        return body.threshold_score == null ? found : { ...found, threshold: body.threshold_score };
      });
      const own = body.contexts ?? [];
      const given = await rules.contexts(context, ruleFields(body.attributes ?? {}));
      const subject = {
        input: body.prompt,
        output: body.response,
        contexts: [...own, ...given.contents],
        toolCalls: [],
      };
      const { dailyCapUsd } = await evaluators.config(judgeScope(context));
      const verdicts = await mapAtOnce(chosen, AT_ONCE, (evaluator) =>
        evaluators
          .evaluate(context, evaluator, subject, { dailyCapUsd, retries: 1 }, signal)
          .catch((thrown: unknown) => {
            if (thrown instanceof Error && thrown.name === 'UnreadableJudgement') {
              throw fail('provider_failed', { detail: thrown.message }, { cause: thrown });
            }
            throw thrown;
          }),
      );
      const runId = body.run_id ?? undefined;
      const metadataOf = Object.fromEntries(
        Object.entries(body.metadata ?? {})
          .filter((pair): pair is [string, string] => typeof pair[1] === 'string')
          .slice(0, MOST_METADATA)
          .map(([key, value]) => [key.slice(0, 100), value.slice(0, 500)]),
      );
      if (body.store_results !== false) {
        const now = clock.now();
        await recordScores(
          ingest,
          context,
          judgeScope(context).environment,
          verdicts.map((verdict, at) => {
            const { id, version, threshold, model } = chosen[at] as Evaluator;
            return {
              id: crypto.randomUUID(),
              timeMs: now,
              name: id,
              source: 'judge' as const,
              value: verdict.value,
              label: verdict.label,
              verdict: verdict.verdict,
              explanation: verdict.explanation,
              costUsd: verdict.costUsd,
              evaluator: id,
              version,
              threshold,
              judgeModel: model ? `${model.provider}/${model.model}` : undefined,
              runId: runId ?? `offline_${crypto.randomUUID()}`,
              metadata: metadataOf,
              ruleIds: given.ruleIds,
              contextIds: given.contextIds,
            };
          }),
        );
      }
      const costs = verdicts.map(({ costUsd }) => costUsd).filter((cost) => cost !== null);
      const [first] = chosen;
      return {
        success: true,
        evaluations: verdicts.map((verdict, at) => ({
          type: chosen[at]?.label ?? '',
          score: verdict.value ?? 0,
          verdict: verdict.verdict === 'fail' ? ('yes' as const) : ('no' as const),
          classification: verdict.label ?? 'none',
          explanation: verdict.explanation,
        })),
        context_applied: {
          ruleMatched: given.ruleIds.length > 0,
          matchingRuleIds: [...given.ruleIds],
          contextEntityIds: [...given.contextIds],
          userContextsCount: own.length,
        },
        metadata: {
          model: first?.model ? `${first.model.provider}/${first.model.model}` : '',
          evalTypesRun: chosen.map(({ id }) => id),
          thresholdScore: body.threshold_score ?? first?.threshold ?? 0.5,
          ...(runId === undefined ? {} : { runId }),
          ...(costs.length === 0 ? {} : { cost: costs.reduce((sum, cost) => sum + cost, 0) }),
        },
      };
    },

    listOfflineTypes: async ({ context }) => {
      const types = await typesOf(context);
      if (types.every(({ model }) => !model)) {
        return { error: NOT_CONFIGURED, err: NOT_CONFIGURED, eval_types: [], configured: false };
      }
      return { eval_types: types.map(typeOf) };
    },
    upsertOfflineTypes: async ({ context, body }) => {
      for (const { id, ...given } of body.types) await change(context, id, given, true);
      return { data: (await typesOf(context)).map(typeOf) };
    },
    updateOfflineType: async ({ context, params, body }) => {
      await change(context, params.id, body, BUILT_IN.has(params.id));
      const types = await typesOf(context);
      const found = types.find(({ id }) => id === params.id);
      if (found === undefined) throw fail('not_found', { what: `The type "${params.id}"` });
      return { data: typeOf(found) };
    },
  };
}
