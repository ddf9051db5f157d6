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
import { asCandelaError, type Clock, fail, type RequestContext } from '@candela/kernel';
import type { MetadataStore, StoredModel } from '@candela/metadata-store';
import type { ServerEvent } from '../../http/stream-answer.ts';
import { askModel, type LlmCall } from '../../llm/ask.ts';
import { record } from '../audit/service.ts';
import type { PromptService } from '../prompts/service.ts';
import type { Vault } from '../vault/service.ts';
import { CallGate } from './call-gate.ts';

export interface AskParts {
  readonly metadata: MetadataStore;
  readonly vault: Pick<Vault, 'use'>;
  readonly prompts: Pick<PromptService, 'compiled'>;
  readonly clock: Clock;
}

type TryBody = BodyOf<typeof ROUTES.tryPrompt>;

const CHECK = { prompt: 'Answer with the word: ready', maxOutputTokens: 64 } as const;
/** Characters of what a model answers to a check that are shown. */
const CHECK_SHOWN = 80;

/** Calls of configured models: checking one, trying a prompt. Every call leaves a row in the audit log. */
export function createAsking({ metadata, vault, prompts, clock }: AskParts) {
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
  async function textOf(context: RequestContext, promptId: string, body: TryBody): Promise<TryStart> {
    const { version, text, variables } = body;
    if (text === undefined && version !== 'draft') {
      const { result } = await prompts.compiled(context, { id: promptId, version, compile: true, variables });
      const { compiledPrompt, missing, unused } = result;
      return { version: result.version, compiledPrompt, missing, unused };
    }
    // Also with a text of the body: a prompt of somebody else is none.
    const { draft, name } = await metadata.prompts.get(context, promptId);
    const written = text ?? draft?.prompt;
    if (written === undefined) throw fail('not_found', { what: `A draft of the prompt "${name}"` });
    const rendered = renderTemplate(written, variables);
    return {
      version: null,
      compiledPrompt: rendered.text,
      missing: [...rendered.missing],
      unused: [...rendered.unused],
    };
  }

  async function* events(
    call: LlmCall,
    start: TryStart,
    signal: AbortSignal,
  ): AsyncGenerator<ServerEvent, void, undefined> {
    yield { event: 'start', data: start };
    const began = performance.now();
    const since = () => Math.round(performance.now() - began);
    let firstTokenMs: number | null = null;
    for await (const event of askModel(call, signal)) {
      if (event.kind === 'text') {
        firstTokenMs ??= since();
        yield { event: 'delta', data: { text: event.text } satisfies TryDelta };
      } else {
        const { finish, usage, costUsd } = event;
        const done: TryDone = { finish, usage, costUsd, firstTokenMs, durationMs: since() };
        yield { event: 'done', data: done };
      }
    }
  }

  return {
    /** Tries a prompt; everything that can be refused is refused before the first event. */
    async try(context: RequestContext, promptId: string, body: TryBody, signal: AbortSignal) {
      const leave = gate.enter(context);
      try {
        const model = await metadata.models.get(context, body.modelId);
        const start = await textOf(context, promptId, body);
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
        return released(events(call, start, signal), leave);
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
