import {
  type BodyOf,
  type ModelCheck,
  type ModelProvider,
  renderTemplate,
  type ROUTES,
  type TryDelta,
  type TryDone,
  type TryStart,
} from '@candela/contract';
import {
  asCandelaError,
  type Clock,
  DEFAULT_ENVIRONMENT,
  fail,
  hasRole,
  type Logger,
  type RequestContext,
} from '@candela/kernel';
import type { MetadataStore, StoredModel } from '@candela/metadata-store';
import type { ServerEvent } from '../../http/stream-answer.ts';
import type { Ingest } from '../../ingest/index.ts';
import { askModel, type LlmCall } from '../../llm/ask.ts';
import { UnreachedError } from '../../llm/failures.ts';
import { record } from '../audit/service.ts';
import type { PromptService } from '../prompts/service.ts';
import type { Vault } from '../vault/service.ts';
import { CallGate } from './call-gate.ts';
import { type TriedCall, tryRequest } from './try-span.ts';

export interface AskParts {
  readonly metadata: MetadataStore;
  readonly vault: Pick<Vault, 'use'>;
  readonly prompts: Pick<PromptService, 'compiled'>;
  /** Where the span of a try goes. */
  readonly ingest: Pick<Ingest, 'submit'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

type TryBody = BodyOf<typeof ROUTES.tryPrompt>;

const CHECK = { prompt: 'Answer with the word: ready', maxOutputTokens: 64 } as const;
/** Characters of what a model answers to a check that are shown. */
const CHECK_SHOWN = 80;

/** A call that is about to be made for a prompt. */
interface Trial {
  readonly name: string;
  readonly call: LlmCall;
  readonly start: TryStart;
}

/** Calls of configured models: checking one, trying a prompt. Every call leaves a row in the audit log. */
export function createAsking({ metadata, vault, prompts, ingest, clock, logger }: AskParts) {
  const gate = new CallGate();

  /** The call of a model, with its key out of the vault. @throws not_found, refused, secret_unreadable */
  async function callOf(
    context: RequestContext,
    { id, name, provider, model, baseUrl, secretId, settings }: StoredModel,
    asked: Pick<LlmCall, 'prompt' | 'maxOutputTokens'>,
  ): Promise<LlmCall> {
    const apiKey =
      secretId === null
        ? null
        : await vault.use(context, context, { id: secretId, purpose: `model ${name} (${id})` });
    const { temperature } = settings;
    // Written by the contract's schema and nobody else.
    return { target: { provider: provider as ModelProvider, model, baseUrl, apiKey }, temperature, ...asked };
  }

  /** What is tried: the text as it is sent, and which version it is. @throws bad_request, not_found, refused */
  async function textOf(context: RequestContext, promptId: string, body: TryBody) {
    const { version, text, variables } = body;
    if (text === undefined && version !== 'draft') {
      const { result } = await prompts.compiled(context, { id: promptId, version, compile: true, variables });
      const { compiledPrompt, missing, unused } = result;
      const start: TryStart = { version: result.version, compiledPrompt, missing, unused };
      return { name: result.name, start };
    }
    // Also with a text of the body: a prompt of somebody else is none.
    const { draft, name } = await metadata.prompts.get(context, promptId);
    const written = text ?? draft?.prompt;
    if (written === undefined) throw fail('not_found', { what: `A draft of the prompt "${name}"` });
    const rendered = renderTemplate(written, variables);
    const { text: compiledPrompt, missing, unused } = rendered;
    const start: TryStart = { version: null, compiledPrompt, missing: [...missing], unused: [...unused] };
    return { name, start };
  }

  /** Leaves the span of a try in the project's traces. Whoever tries does not wait for it. */
  async function note(
    context: RequestContext,
    { name, call, start }: Trial,
    when: Pick<TriedCall, 'startedAtMs' | 'endedAtMs' | 'outcome'>,
  ): Promise<void> {
    const environment = context.environment ?? DEFAULT_ENVIRONMENT;
    const { provider, model } = call.target;
    const { temperature, maxOutputTokens } = call;
    const prompt = { name, version: start.version };
    const tried = { environment, prompt, provider, model, temperature, maxOutputTokens, ...when };
    try {
      await ingest.submit({ ...context, environment }, 'traces', tryRequest(tried));
    } catch (thrown) {
      const { requestId } = context;
      logger.warn({ err: thrown, requestId }, 'a try of a prompt is not in the traces: they took no record');
    }
  }

  async function* events(
    context: RequestContext,
    trial: Trial,
    signal: AbortSignal,
  ): AsyncGenerator<ServerEvent, void, undefined> {
    const startedAtMs = clock.now();
    const began = performance.now();
    const since = () => Math.round(performance.now() - began);
    let firstTokenMs: number | null = null;
    let outcome: TriedCall['outcome'] = { kind: 'left' };
    try {
      yield { event: 'start', data: trial.start };
      for await (const event of askModel(trial.call, signal)) {
        if (event.kind === 'text') {
          firstTokenMs ??= since();
          yield { event: 'delta', data: { text: event.text } satisfies TryDelta };
        } else {
          const { finish, usage, costUsd } = event;
          const done: TryDone = { finish, usage, costUsd, firstTokenMs, durationMs: since() };
          outcome = { kind: 'done', done };
          yield { event: 'done', data: done };
        }
      }
    } catch (thrown) {
      outcome = { kind: 'failed', code: asCandelaError(thrown).code };
      throw veiled(context, thrown);
    } finally {
      void note(context, trial, { startedAtMs, endedAtMs: startedAtMs + since(), outcome });
    }
  }

  return {
    /** Tries a prompt; everything that can be refused is refused before the first event. */
    async try(context: RequestContext, promptId: string, body: TryBody, signal: AbortSignal) {
      const leave = gate.enter(context);
      try {
        const model = await metadata.models.get(context, body.modelId);
        const { name, start } = await textOf(context, promptId, body);
        const most = model.settings.maxOutputTokens;
        const call = await callOf(context, model, {
          prompt: start.compiledPrompt,
          maxOutputTokens: Math.min(body.maxOutputTokens ?? most, most),
        });
        await metadata.change(undefined, (repositories) =>
          record(repositories, context, {
            action: 'prompt.try',
            objectKind: 'prompt',
            objectId: promptId,
            details: { version: start.version, modelId: model.id, model: model.model },
          }),
        );
        return released(events(context, { name, call, start }, signal), leave);
      } catch (thrown) {
        leave();
        throw thrown;
      }
    },

    /** Asks for a word and says what happened. @throws not_found, secret_unreadable, too_many_calls */
    async check(context: RequestContext, id: string, signal: AbortSignal): Promise<ModelCheck> {
      const leave = gate.enter(context);
      try {
        const model = await metadata.models.get(context, id);
        await metadata.change(undefined, (repositories) =>
          record(repositories, context, {
            action: 'model.check',
            objectKind: 'model',
            objectId: id,
            details: { name: model.name },
          }),
        );
        const began = performance.now();
        const said = await answerOf(context, model, signal);
        return {
          ...said,
          checkedAt: new Date(clock.now()).toISOString(),
          durationMs: Math.round(performance.now() - began),
        };
      } finally {
        leave();
      }
    },
  };

  async function answerOf(context: RequestContext, model: StoredModel, signal: AbortSignal) {
    let text = '';
    try {
      for await (const event of askModel(await callOf(context, model, CHECK), signal)) {
        if (event.kind === 'text') text += event.text;
      }
    } catch (thrown) {
      const error = asCandelaError(thrown);
      if (error.code === 'not_found') {
        return {
          ok: false,
          detail: 'The secret of this model is not in the vault any more. Choose another one.',
        };
      }
      if (error.code !== 'refused' && error.code !== 'provider_failed') throw error;
      return { ok: false, detail: error.message };
    }
    const shown = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
    return {
      ok: true,
      detail:
        shown === ''
          ? 'The model answered, without a word: a model that reasons needs more output tokens.'
          : `The model answered: ${shown.slice(0, CHECK_SHOWN)}`,
    };
  }
}

/** What is told of a connection that failed: the whole of it to people who may set addresses. */
function veiled({ principal }: RequestContext, thrown: unknown): unknown {
  const mayKnow = principal.kind === 'user' && hasRole(principal.role, 'admin');
  if (mayKnow || !(thrown instanceof UnreachedError)) return thrown;
  return fail('provider_failed', { detail: UnreachedError.veiled }, { cause: thrown });
}

/** The same events; `leave` is called when they end or nobody wants them, also when none was ever asked for. */
function released<T>(events: AsyncGenerator<T, void, undefined>, leave: () => void): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        try {
          const step = await events.next();
          if (step.done === true) leave();
          return step;
        } catch (thrown) {
          leave();
          throw thrown;
        }
      },
      return() {
        leave();
        return events.return();
      },
    }),
  };
}
