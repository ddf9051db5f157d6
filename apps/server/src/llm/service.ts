import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelProvider } from '@candela/contract';
import {
  asCandelaError,
  backoffMs,
  type Clock,
  DEFAULT_ENVIRONMENT,
  fail,
  type Logger,
  type RequestContext,
} from '@candela/kernel';
import type { LlmUsage, MetadataStore, StoredModel } from '@candela/metadata-store';
import type { z } from 'zod';
import type { Vault } from '../features/vault/service.ts';
import type { Ingest } from '../ingest/index.ts';
import { askModel, LLM_LIMITS, type LlmEvent } from './ask.ts';
import { CallGate } from './call-gate.ts';
import { type CallOutcome, callSpan } from './call-span.ts';
import { parseStructured, repairMessages, schemaInstruction } from './structured.ts';
import type { LlmFinish, LlmMessage, LlmTarget, LlmTool, LlmToolCall } from './types.ts';

export interface ModelCallParts {
  readonly metadata: Pick<MetadataStore, 'models' | 'llmUsage'>;
  readonly vault: Pick<Vault, 'use'>;
  /** Where the span of a call goes. */
  readonly ingest: Pick<Ingest, 'submit'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What a feature asks of a configured model. */
export interface ModelCall {
  /** Lower case with hyphens: what usage, caps and spans (`platform.feature`) are told apart by. */
  readonly feature: string;
  /** A model of the context's project and database configuration. */
  readonly modelId: string;
  readonly messages: readonly LlmMessage[];
  readonly tools?: readonly LlmTool[];
  /** Default: as the model is configured. */
  readonly temperature?: number | null;
  /** At most what the model's settings allow. */
  readonly maxOutputTokens?: number;
  /** What the call is for: an evaluator, a chat. */
  readonly refId?: string;
  /** From the call to the end of the answer. Default: two minutes. */
  readonly timeoutMs?: number;
  /** How often a failed call of `complete` is made again where that may help. Default: never. */
  readonly retries?: number;
  /** US dollars that this feature may cost this project a day (UTC). Undefined or null: no cap. */
  readonly dailyCapUsd?: number | null;
  /** More attributes of the span; no content. */
  readonly attributes?: Readonly<Record<string, string | number | null>>;
}

/** A whole answer. */
export interface ModelAnswer {
  readonly text: string;
  readonly toolCalls: readonly LlmToolCall[];
  readonly finish: LlmFinish;
  readonly usage: LlmUsage['usage'];
  readonly costUsd: number | null;
}

/** A value that fits the schema, or why there is none. Usage and cost are of all calls that it took. */
export type StructuredAnswer<T> = Pick<ModelAnswer, 'costUsd'> & {
  readonly calls: number;
  readonly text: string;
} & ({ readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string });

const DAY_MS = 86_400_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

/**
 * Calls of configured models, for every feature. Each call of a vendor is bounded, reads its key from the vault (with a
 * row in the audit log), leaves a row of usage and a span without content.
 */
export function createModelCalls({ metadata, vault, ingest, clock, logger }: ModelCallParts) {
  const gate = new CallGate();

  /** @throws spend_cap */
  async function requireBudget({ projectId }: RequestContext, call: ModelCall): Promise<void> {
    const cap = call.dailyCapUsd ?? null;
    if (cap === null) return;
    const today = clock.now() - (clock.now() % DAY_MS);
    const spent = await metadata.llmUsage.spentUsd(projectId, call.feature, today);
    if (spent < cap) return;
    throw fail('spend_cap', {
      detail: `"${call.feature}" has cost ${spent.toFixed(4)} USD today, and its cap is ${cap} USD a day. Raise the cap, or wait until 00:00 UTC.`,
    });
  }

  /** Where the model is, with its key. @throws refused, not_found, secret_unreadable */
  async function targetOf(context: RequestContext, stored: StoredModel) {
    const { id, name, provider, model, baseUrl, secretId } = stored;
    const purpose = `model ${name} (${id})`;
    const apiKey = secretId === null ? null : await vault.use(context, context, { id: secretId, purpose });
    // Written by the contract's schema and nobody else.
    return { provider: provider as ModelProvider, model, baseUrl, apiKey };
  }

  /** Usage and span of a call that ended. A failure of either is logged: the answer is there and was paid for. */
  async function note(
    context: RequestContext,
    call: ModelCall,
    { stored, outcome, startedAt, endedAt }: Ended,
  ): Promise<void> {
    const { principal, projectId, requestId } = context;
    const end = outcome.kind === 'done' ? outcome : undefined;
    const { temperature, maxOutputTokens } = settingsOf(call, stored);
    const { model } = stored;
    const provider = stored.provider as ModelProvider;
    try {
      await metadata.llmUsage.append({
        feature: call.feature,
        provider,
        model,
        modelId: stored.id,
        projectId,
        environment: context.environment ?? null,
        principal: 'id' in principal ? `${principal.kind} ${principal.id}` : principal.kind,
        refId: call.refId ?? null,
        usage: end?.usage ?? null,
        costUsd: end?.costUsd ?? null,
        status: STATUS[outcome.kind],
        errorCode: outcome.kind === 'failed' ? outcome.code : null,
        startedAt,
        durationMs: endedAt - startedAt,
      });
    } catch (thrown) {
      logger.warn({ err: thrown, requestId }, 'what a call of a model used was not written');
    }
    const environment = context.environment ?? DEFAULT_ENVIRONMENT;
    const { feature, attributes = {} } = call;
    const facts = { feature, attributes, environment, provider, model, temperature, maxOutputTokens };
    try {
      const span = callSpan({ ...facts, startedAtMs: startedAt, endedAtMs: endedAt, outcome });
      await ingest.submit({ ...context, environment }, 'traces', span);
    } catch (thrown) {
      logger.warn({ err: thrown, requestId }, 'a call of a model is not in the traces: they took no record');
    }
  }

  async function* events(
    context: RequestContext,
    call: ModelCall,
    { stored, target, signal }: Ready,
  ): AsyncGenerator<LlmEvent, void, undefined> {
    const startedAt = clock.now();
    const began = performance.now();
    const since = () => Math.round(performance.now() - began);
    let firstTokenMs: number | null = null;
    let outcome: CallOutcome = { kind: 'left' };
    try {
      const { messages, tools } = call;
      const asked = {
        target,
        messages,
        ...(tools === undefined ? {} : { tools }),
        ...settingsOf(call, stored),
      };
      const limits = { ...LLM_LIMITS, timeoutMs: call.timeoutMs ?? LLM_LIMITS.timeoutMs };
      for await (const event of askModel(asked, signal, limits)) {
        if (event.kind === 'text') firstTokenMs ??= since();
        if (event.kind === 'end') outcome = { ...event, kind: 'done', firstTokenMs };
        yield event;
      }
    } catch (thrown) {
      outcome = { kind: 'failed', code: asCandelaError(thrown).code };
      throw thrown;
    } finally {
      void note(context, call, { stored, outcome, startedAt, endedAt: startedAt + since() });
    }
  }

  /**
   * Begins a call; everything that can be refused is refused before the first event. The call ends when the signal fires
   * or nobody takes the events any more.
   * @throws not_found, refused, secret_unreadable, too_many_calls, spend_cap; while it runs provider_failed, refused
   */
  async function stream(
    context: RequestContext,
    call: ModelCall,
    signal: AbortSignal,
  ): Promise<AsyncIterable<LlmEvent>> {
    const leave = gate.enter(context, call.feature);
    try {
      const [stored] = await Promise.all([
        metadata.models.get(context, call.modelId),
        requireBudget(context, call),
      ]);
      const target = await targetOf(context, stored);
      return released(events(context, call, { stored, target, signal }), leave);
    } catch (thrown) {
      leave();
      throw thrown;
    }
  }

  async function once(context: RequestContext, call: ModelCall, signal: AbortSignal): Promise<ModelAnswer> {
    let text = '';
    const toolCalls: LlmToolCall[] = [];
    for await (const event of await stream(context, call, signal)) {
      if (event.kind === 'text') text += event.text;
      else if (event.kind === 'tool-call') toolCalls.push(event);
      else return { text, toolCalls, finish: event.finish, usage: event.usage, costUsd: event.costUsd };
    }
    signal.throwIfAborted();
    throw fail('provider_failed', { detail: 'The model ended without an answer. Try again.' });
  }

  /** A whole answer, tried again as the call says. @throws as {@link stream}; the signal's reason when it fires */
  async function complete(
    context: RequestContext,
    call: ModelCall,
    signal: AbortSignal,
  ): Promise<ModelAnswer> {
    for (let tried = 0; ; tried++) {
      try {
        return await once(context, call, signal);
      } catch (thrown) {
        const error = asCandelaError(thrown);
        const mayHelp = error.code === 'provider_failed' && !signal.aborted;
        if (!mayHelp || tried >= (call.retries ?? 0)) throw thrown;
        const wait = backoffMs(tried, { firstMs: FIRST_RETRY_MS, maxMs: LONGEST_RETRY_MS, jitter: true });
        await pause(
          Math.max(wait, Math.min(LONGEST_RETRY_MS, (error.retryAfterSeconds ?? 0) * 1_000)),
          signal,
        );
      }
    }
  }

  return {
    stream,
    complete,

    /**
     * A value that fits a schema: the schema stands in the prompt, the answer is parsed strictly, and a model whose answer
     * does not fit is told why and asked once more. @throws as {@link complete}
     */
    async completeStructured<T>(
      context: RequestContext,
      { schema, ...call }: ModelCall & { readonly schema: z.ZodType<T> },
      signal: AbortSignal,
    ): Promise<StructuredAnswer<T>> {
      const messages = [schemaInstruction(schema), ...call.messages];
      const first = await complete(context, { ...call, messages }, signal);
      const parsed = parseStructured(schema, first.text);
      if (parsed.ok) return { ...parsed, text: first.text, costUsd: first.costUsd, calls: 1 };
      const again = [...messages, ...repairMessages(first.text, parsed.problem)];
      const second = await complete(context, { ...call, messages: again }, signal);
      const costs = [first.costUsd, second.costUsd].filter((cost) => cost !== null);
      const costUsd = costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0);
      return { ...parseStructured(schema, second.text), text: second.text, costUsd, calls: 2 };
    },
  };
}

export type ModelCalls = ReturnType<typeof createModelCalls>;

interface Ready {
  readonly stored: StoredModel;
  readonly target: LlmTarget;
  readonly signal: AbortSignal;
}

interface Ended {
  readonly stored: StoredModel;
  readonly outcome: CallOutcome;
  readonly startedAt: number;
  readonly endedAt: number;
}

const STATUS = { done: 'ok', failed: 'failed', left: 'cancelled' } as const;

function settingsOf({ temperature, maxOutputTokens }: ModelCall, { settings }: StoredModel) {
  return {
    temperature: temperature === undefined ? settings.temperature : temperature,
    maxOutputTokens: Math.min(maxOutputTokens ?? settings.maxOutputTokens, settings.maxOutputTokens),
  };
}

/** @throws the signal's reason */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal });
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
