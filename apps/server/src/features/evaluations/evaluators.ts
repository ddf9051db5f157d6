import { createHash } from 'node:crypto';
import type { EvaluationResult } from '@candela/contract';
import { asCandelaError, DEFAULT_ENVIRONMENT, fail, type RequestContext } from '@candela/kernel';
import type { JudgeScope, MetadataStore, StoredModel } from '@candela/metadata-store';
import { z } from 'zod';
import type { ModelCalls } from '../../llm/service.ts';
import { judge } from './judge.ts';
import { kindOf, type Subject } from './kinds/index.ts';
import { BUILT_IN, type EvaluatorBody } from './types.ts';

/** What there is of an evaluator. `documentId`: undefined for a built-in one that nobody changed. */
export interface Evaluator extends EvaluatorBody {
  readonly id: string;
  readonly builtIn: boolean;
  readonly documentId: string | undefined;
  /** The model that judges; undefined for a deterministic one, null where none is configured. */
  readonly model: StoredModel | null | undefined;
  readonly version: string;
}

/** The body of the document `config`. */
export interface ConfigBody {
  readonly modelId: string | null;
  readonly dailyCapUsd: number | null;
}
const NO_CONFIG: ConfigBody = { modelId: null, dailyCapUsd: null };

export const judgeScope = ({ projectId, environment }: RequestContext): JudgeScope => ({
  projectId,
  environment: environment ?? DEFAULT_ENVIRONMENT,
});

/** Hash of what decides a score: kind, criteria, settings, and the model that judges. */
function versionOf(body: EvaluatorBody, model: StoredModel | null | undefined): string {
  const { kind, prompt, settings } = body;
  const judgeOf = model ? [model.provider, model.model, model.settings] : null;
  return createHash('sha256')
    .update(JSON.stringify([kind, prompt, settings, judgeOf]))
    .digest('hex')
    .slice(0, 16);
}

/** 0 is best for a judge, 1 for a deterministic kind. */
export const polarityOf = ({ kind }: Pick<EvaluatorBody, 'kind'>) => (kind === 'judge' ? 'lower' : 'higher');

/** Computed by us from score and threshold, whatever a judge says. */
const verdictOf = (body: Pick<EvaluatorBody, 'kind' | 'threshold'>, value: number): 'pass' | 'fail' =>
  (polarityOf(body) === 'lower' ? value <= body.threshold : value >= body.threshold) ? 'pass' : 'fail';

export type Verdict = Pick<
  EvaluationResult,
  'state' | 'value' | 'label' | 'verdict' | 'explanation' | 'costUsd'
>;

/** Evaluators of a project and environment: the built-in ones with what was changed of them, and those that people made. */
export function createEvaluators(parts: { readonly metadata: MetadataStore; readonly models: ModelCalls }) {
  const { metadata, models } = parts;

  async function config(scope: JudgeScope): Promise<ConfigBody> {
    const found = await metadata.judging.find(scope, 'config', 'config');
    // Written by `setEvaluationConfig` and nobody else.
    return found === undefined ? NO_CONFIG : (found.body as ConfigBody);
  }

  async function modelOf(context: RequestContext, body: EvaluatorBody, given: ConfigBody) {
    if (body.kind !== 'judge') return undefined;
    const id = body.modelId ?? given.modelId;
    if (id === null) return null;
    try {
      return await metadata.models.get(context, id);
    } catch (thrown) {
      if (asCandelaError(thrown).code === 'not_found') return null;
      throw thrown;
    }
  }

  async function made(
    context: RequestContext,
    of: { id: string; body: EvaluatorBody; documentId?: string | undefined },
    given: ConfigBody,
  ): Promise<Evaluator> {
    const { id, body, documentId } = of;
    const model = await modelOf(context, body, given);
    return { ...body, id, builtIn: BUILT_IN.has(id), documentId, model, version: versionOf(body, model) };
  }

  async function list(context: RequestContext): Promise<Evaluator[]> {
    const scope = judgeScope(context);
    const given = await config(scope);
    const stored = await metadata.judging.list(scope, 'evaluator');
    const byName = new Map(stored.map((one) => [one.name, one]));
    const all = [
      ...[...BUILT_IN].map(([id, body]) => {
        const own = byName.get(id);
        return { id, body: own === undefined ? body : (own.body as EvaluatorBody), documentId: own?.id };
      }),
      ...stored
        .filter(({ name }) => !BUILT_IN.has(name))
        .map(({ id, name, body }) => ({ id: name, body: body as EvaluatorBody, documentId: id })),
    ];
    return Promise.all(all.map((one) => made(context, one, given)));
  }

  return {
    config,
    list,

    /** @throws not_found */
    async get(context: RequestContext, id: string): Promise<Evaluator> {
      const scope = judgeScope(context);
      const stored = await metadata.judging.find(scope, 'evaluator', id);
      const body = (stored?.body as EvaluatorBody | undefined) ?? BUILT_IN.get(id);
      if (body === undefined || (stored !== undefined && stored.name !== id)) {
        throw fail('not_found', { what: `The evaluator "${id.slice(0, 64)}"` });
      }
      return made(context, { id, body, documentId: stored?.id }, await config(scope));
    },

    /** An evaluator as it would be once saved. @throws refused */
    async draft(
      context: RequestContext,
      id: string,
      given: Pick<EvaluatorBody, 'kind' | 'prompt' | 'modelId' | 'threshold' | 'settings'>,
    ): Promise<Evaluator> {
      const body = this.checked({ ...given, label: id, description: '', enabled: true, auto: null });
      return made(context, { id, body }, await config(judgeScope(context)));
    },

    /** Settings that a kind takes, checked once before they are saved. @throws refused */
    checked(body: EvaluatorBody): EvaluatorBody {
      if (body.kind === 'judge') {
        if (body.prompt.trim() === '')
          throw fail('refused', { detail: 'A judge needs criteria: fill in the prompt.' });
        return body;
      }
      const kind = kindOf(body.kind);
      if (kind === undefined)
        throw fail('refused', { detail: `There is no kind of evaluator "${body.kind}".` });
      const parsed = kind.settings.safeParse(body.settings);
      if (!parsed.success) {
        throw fail('refused', {
          detail: `Settings of "${kind.label}": ${z.prettifyError(parsed.error).slice(0, 500)}`,
        });
      }
      try {
        kind.prepare(parsed.data);
      } catch (thrown) {
        throw fail('refused', {
          detail: `Settings of "${kind.label}": ${(thrown as Error).message.slice(0, 500)}`,
        });
      }
      return { ...body, settings: parsed.data as Record<string, unknown> };
    },

    /**
     * Judges one subject. A judge that cannot be asked or read throws; a deterministic kind that lacks what it looks at
     * skips. @throws refused (no model), spend_cap, provider_failed, UnreadableJudgement
     */
    async evaluate(
      context: RequestContext,
      evaluator: Evaluator,
      subject: Subject,
      how: { readonly dailyCapUsd: number | null; readonly retries?: number },
      signal: AbortSignal,
    ): Promise<Verdict> {
      if (evaluator.kind !== 'judge') {
        const kind = kindOf(evaluator.kind);
        if (kind === undefined)
          throw fail('refused', { detail: `There is no kind of evaluator "${evaluator.kind}".` });
        const outcome = kind.prepare(kind.settings.parse(evaluator.settings))(subject);
        if ('skip' in outcome) {
          return {
            state: 'skipped',
            value: null,
            label: null,
            verdict: null,
            explanation: outcome.skip,
            costUsd: null,
          };
        }
        const { value, label = null, explanation } = outcome;
        return {
          state: 'scored',
          value,
          label,
          verdict: verdictOf(evaluator, value),
          explanation,
          costUsd: 0,
        };
      }
      if (!evaluator.model) {
        throw fail('refused', {
          detail:
            'No model is configured to judge. Choose one under Evaluations, or add one in the settings.',
        });
      }
      const { value, explanation, classification, costUsd } = await judge(
        models,
        context,
        { modelId: evaluator.model.id, subject, criteria: evaluator.prompt, evaluator: evaluator.id, ...how },
        signal,
      );
      const verdict = verdictOf(evaluator, value);
      return { state: 'scored', value, label: classification, verdict, explanation, costUsd };
    },
  };
}

export type Evaluators = ReturnType<typeof createEvaluators>;
