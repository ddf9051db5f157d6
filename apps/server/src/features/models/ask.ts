import {
  type BodyOf,
  type ModelCheck,
  renderTemplate,
  type ROUTES,
  textOfMessages,
  type TryDelta,
  type TryDone,
  type TryStart,
} from '@candela/contract';
import { asCandelaError, type Clock, fail, type RequestContext } from '@candela/kernel';
import type { MetadataStore, StoredModel } from '@candela/metadata-store';
import type { ServerEvent } from '../../http/stream-answer.ts';
import type { LlmEvent } from '../../llm/ask.ts';
import type { ModelCalls } from '../../llm/service.ts';
import { veiled } from '../../llm/failures.ts';
import { record } from '../audit/service.ts';
import { askedOf, chatOf, fillMessages } from '../prompts/chat.ts';
import type { PromptService } from '../prompts/service.ts';

export interface AskParts {
  readonly metadata: MetadataStore;
  readonly prompts: Pick<PromptService, 'compiled'>;
  readonly models: ModelCalls;
  readonly clock: Clock;
}

type TryBody = BodyOf<typeof ROUTES.tryPrompt>;

const CHECK = {
  messages: [{ role: 'user', text: 'Answer with the word: ready' }],
  maxOutputTokens: 64,
} as const;
/** Characters of what a model answers to a check that are shown. */
const CHECK_SHOWN = 80;

/** Calls of configured models: checking one, trying a prompt. Every call leaves a row in the audit log. */
export function createAsking({ metadata, prompts, models: calls, clock }: AskParts) {
  /** What is tried: the text as it is sent, and which version it is. @throws bad_request, not_found, refused */
  async function textOf(context: RequestContext, promptId: string, body: TryBody) {
    const { version, text, messages, variables } = body;
    if (text === undefined && messages === undefined && version !== 'draft') {
      const { result } = await prompts.compiled(context, { id: promptId, version, compile: true, variables });
      const { compiledPrompt, missing, unused } = result;
      const start: TryStart = { version: result.version, compiledPrompt, missing, unused };
      return { name: result.name, start, messages: askedOf(result) };
    }
    // Also with a text of the body: a prompt of somebody else is none.
    const { draft, name } = await metadata.prompts.get(context, promptId);
    const chat = messages ?? (text === undefined && draft !== null ? chatOf(draft).messages : undefined);
    const written = text ?? (chat === undefined ? draft?.prompt : textOfMessages(chat));
    if (written === undefined) throw fail('not_found', { what: `A draft of the prompt "${name}"` });
    const rendered = renderTemplate(written, variables);
    const { text: compiledPrompt, missing, unused } = rendered;
    const start: TryStart = { version: null, compiledPrompt, missing: [...missing], unused: [...unused] };
    const filled = chat && fillMessages(chat, variables);
    return { name, start, messages: askedOf({ compiledPrompt, messages: filled }) };
  }

  async function* events(
    context: RequestContext,
    start: TryStart,
    answer: AsyncIterable<LlmEvent>,
  ): AsyncGenerator<ServerEvent, void, undefined> {
    const began = performance.now();
    const since = () => Math.round(performance.now() - began);
    let firstTokenMs: number | null = null;
    try {
      yield { event: 'start', data: start };
      for await (const event of answer) {
        if (event.kind === 'text') {
          firstTokenMs ??= since();
          yield { event: 'delta', data: { text: event.text } satisfies TryDelta };
        } else if (event.kind === 'end') {
          const { usage, costUsd } = event;
          const finish = event.finish === 'tool_calls' ? 'other' : event.finish;
          const done: TryDone = { finish, usage, costUsd, firstTokenMs, durationMs: since() };
          yield { event: 'done', data: done };
        }
      }
    } catch (thrown) {
      throw veiled(context, thrown);
    }
  }

  return {
    /** Tries a prompt; everything that can be refused is refused before the first event. */
    async try(context: RequestContext, promptId: string, body: TryBody, signal: AbortSignal) {
      const model = await metadata.models.get(context, body.modelId);
      const { name, start, messages } = await textOf(context, promptId, body);
      const answer = await calls.stream(
        context,
        {
          feature: 'prompt-try',
          modelId: model.id,
          refId: promptId,
          messages,
          ...(body.maxOutputTokens === undefined ? {} : { maxOutputTokens: body.maxOutputTokens }),
          attributes: { 'platform.prompt.name': name, 'platform.prompt.version': start.version },
        },
        signal,
      );
      try {
        await metadata.change(undefined, (repositories) =>
          record(repositories, context, {
            action: 'prompt.try',
            objectKind: 'prompt',
            objectId: promptId,
            details: { version: start.version, modelId: model.id, model: model.model },
          }),
        );
      } catch (thrown) {
        // Nothing was asked yet; the place of the call is given back.
        await answer[Symbol.asyncIterator]().return?.();
        throw thrown;
      }
      return withReturn(events(context, start, answer), answer);
    },

    /** Asks for a word and says what happened. @throws not_found, secret_unreadable, too_many_calls */
    async check(context: RequestContext, id: string, signal: AbortSignal): Promise<ModelCheck> {
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
    },
  };

  async function answerOf(context: RequestContext, model: StoredModel, signal: AbortSignal) {
    let text = '';
    try {
      const call = { feature: 'model-check', modelId: model.id, ...CHECK };
      text = (await calls.complete(context, call, signal)).text;
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

/** The same events; also when none of them is ever asked for, the call behind them is given up. */
function withReturn<T>(
  events: AsyncGenerator<T, void, undefined>,
  behind: AsyncIterable<unknown>,
): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => events.next(),
      async return() {
        await behind[Symbol.asyncIterator]().return?.();
        return events.return();
      },
    }),
  };
}
