import type { ModelProvider } from '@candela/contract';
import type { TokenUsage } from '@candela/semconv';
import { priceUsage } from '@candela/semconv';
import { fail } from '@candela/kernel';
import type { FinishReason, LanguageModelUsage } from 'ai';
import { explainFailure } from './failures.ts';
import { guardedFetch } from '../http/guarded-fetch.ts';
import { PROVIDERS } from './providers/index.ts';
import { toModelMessages, toToolSet } from './messages.ts';
import type { LlmFinish, LlmMessage, LlmTarget, LlmTool, LlmToolCall } from './types.ts';

export interface LlmCall {
  readonly target: LlmTarget;
  readonly messages: readonly LlmMessage[];
  /** What the model may ask for. Nothing is run here: the caller answers with a `tool` message in its next call. */
  readonly tools?: readonly LlmTool[];
  /** Null: left to the provider. */
  readonly temperature: number | null;
  readonly maxOutputTokens: number;
}

/** A part of an answer; `end` is the last one. */
export type LlmEvent =
  | { readonly kind: 'text'; readonly text: string }
  | LlmToolCall
  | {
      readonly kind: 'end';
      readonly finish: LlmFinish;
      /** Null: the provider did not say. */
      readonly usage: TokenUsage | null;
      /** Null: no price is known. */
      readonly costUsd: number | null;
    };

export interface LlmLimits {
  /** From the call to the end of the answer, milliseconds. */
  readonly timeoutMs: number;
  /** Characters of an answer: it is cut there. */
  readonly answerChars: number;
  /** Bytes on the wire: more is an error. */
  readonly answerBytes: number;
}

export const LLM_LIMITS: LlmLimits = {
  timeoutMs: 120_000,
  answerChars: 1_000_000,
  answerBytes: 32 * 1024 * 1024,
};

/** Sent where a server wants no key: an SDK that is given none would look for one in the environment. */
const NO_KEY = 'none';

/**
 * Asks a model once, without trying again: a person looks on, or a caller that has its own bound. Ends the call when
 * the signal fires or nobody takes the events any more. @throws refused, provider_failed: a sentence without the key
 */
export async function* askModel(
  call: LlmCall,
  signal: AbortSignal,
  limits: LlmLimits = LLM_LIMITS,
): AsyncGenerator<LlmEvent, void, undefined> {
  const { target } = call;
  const done = new AbortController();
  const late = AbortSignal.timeout(limits.timeoutMs);
  const ended = AbortSignal.any([signal, late, done.signal]);
  try {
    let chars = 0;
    for await (const part of await start(call, ended, limits)) {
      if (part.type === 'text-delta' && part.text !== '') {
        const text = part.text.slice(0, limits.answerChars - chars);
        chars += text.length;
        if (text !== '') yield { kind: 'text', text };
        if (chars >= limits.answerChars) {
          yield { kind: 'end', finish: 'length', usage: null, costUsd: null };
          return;
        }
      } else if (part.type === 'tool-call') {
        const { toolCallId: id, toolName: name, input } = part;
        const invalid = part.invalid === true ? 'The arguments do not fit, or there is no such tool.' : null;
        yield { kind: 'tool-call', id, name, input, invalid };
      } else if (part.type === 'finish') {
        // Without words of its own: the connection ended in the middle of a protocol that says when it is over.
        if (part.finishReason === 'error') throw fail('provider_failed', { detail: BROKEN_OFF });
        yield endOf(target, part.finishReason, part.totalUsage);
        return;
      } else if (part.type === 'error') {
        throw part.error;
      } else if (part.type === 'abort') break;
    }
    if (signal.aborted) return;
    if (late.aborted) throw tooLate(limits);
    throw fail('provider_failed', { detail: BROKEN_OFF });
  } catch (thrown) {
    if (signal.aborted) return;
    throw late.aborted ? tooLate(limits) : explainFailure(thrown, target.apiKey);
  } finally {
    done.abort();
  }
}

/**
 * Loads what a call of a provider needs, so that its first one does not wait for it; anything after the first time is
 * nothing. For whoever sees that a model will be asked soon.
 */
export async function warmUp(provider: ModelProvider): Promise<void> {
  const nowhere = { model: 'none', baseUrl: 'http://localhost', apiKey: NO_KEY, fetch: globalThis.fetch };
  await Promise.all([import('ai'), PROVIDERS[provider].open(nowhere)]);
}

const BROKEN_OFF = 'The answer of the model server broke off before its end. Try again.';
const tooLate = ({ timeoutMs }: LlmLimits) =>
  fail('provider_failed', {
    detail: `The model was not done after ${Math.ceil(timeoutMs / 1_000)} s. Ask for less, or choose a faster one.`,
  });

async function start(
  { target, messages, tools, temperature, maxOutputTokens }: LlmCall,
  ended: AbortSignal,
  limits: LlmLimits,
) {
  const provider = PROVIDERS[target.provider];
  const baseUrl = target.baseUrl ?? provider.baseUrl;
  if (baseUrl === null)
    throw fail('refused', { detail: 'This model needs a base URL. Add it in its settings.' });
  // Loaded at the first use: most installations never ask a model.
  const { streamText } = await import('ai');
  // What it has to say would go to the console, past the log.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const { model } = target;
  const apiKey = headerOf(target.apiKey);
  const fetch = guardedFetch({ maxBytes: limits.answerBytes });
  const { stream } = streamText({
    model: await provider.open({ model, baseUrl, apiKey, fetch }),
    ...toModelMessages(messages),
    ...(tools === undefined || tools.length === 0 ? {} : { tools: await toToolSet(tools) }),
    maxOutputTokens,
    ...(temperature === null ? {} : { temperature }),
    ...(provider.options === undefined ? {} : { providerOptions: { ...provider.options } }),
    maxRetries: 0,
    abortSignal: ended,
    telemetry: { isEnabled: false },
    // Errors are parts of the stream; without this they would go to the console too, with the request in them.
    onError: () => undefined,
  });
  return stream;
}

/** The key as a header takes it. Secrets are pasted: a space or line end around them is not meant. @throws refused */
function headerOf(secret: string | null): string {
  if (secret === null) return NO_KEY;
  const key = secret.trim();
  if (/^[\x21-\x7e]{1,4096}$/.test(key)) return key;
  throw fail('refused', {
    detail:
      'The secret that this model names is no API key: it has spaces, line ends or other characters in it.',
  });
}

const FINISHES: ReadonlyMap<FinishReason, LlmFinish> = new Map([
  ['tool-calls', 'tool_calls'],
  ['stop', 'stop'],
  ['length', 'length'],
  ['content-filter', 'content_filter'],
]);

function endOf({ provider, model }: LlmTarget, reason: FinishReason, given: LanguageModelUsage): LlmEvent {
  const usage = usageOf(given);
  const { priceProvider } = PROVIDERS[provider];
  const priced =
    usage === null || priceProvider === null
      ? undefined
      : priceUsage({
          provider: priceProvider,
          requestModel: model,
          responseModel: model,
          operation: 'chat',
          usage,
        });
  return { kind: 'end', finish: FINISHES.get(reason) ?? 'other', usage, costUsd: priced?.costUsd ?? null };
}

/** Token classes that add up: input without cache, output without reasoning. */
function usageOf({
  inputTokens,
  outputTokens,
  inputTokenDetails: from,
  outputTokenDetails: to,
}: LanguageModelUsage): TokenUsage | null {
  if (inputTokens === undefined && outputTokens === undefined) return null;
  const cacheRead = from.cacheReadTokens ?? 0;
  const cacheWrite = from.cacheWriteTokens ?? 0;
  const reasoning = to.reasoningTokens ?? 0;
  return {
    input: from.noCacheTokens ?? Math.max(0, (inputTokens ?? 0) - cacheRead - cacheWrite),
    cacheRead,
    cacheWrite,
    output: to.textTokens ?? Math.max(0, (outputTokens ?? 0) - reasoning),
    reasoning,
  };
}
