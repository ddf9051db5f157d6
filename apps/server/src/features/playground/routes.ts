import { type BodyOf, renderTemplate, type ROUTES } from '@candela/contract';
import { asCandelaError, fail, type RequestContext } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import type { Handlers } from '../../http/handlers.ts';
import type { ServerEvent } from '../../http/stream-answer.ts';
import type { LlmMessage } from '../../llm/types.ts';
import type { ModelCalls } from '../../llm/service.ts';
import { record } from '../audit/service.ts';
import { askedOf } from '../prompts/chat.ts';
import type { PromptService } from '../prompts/service.ts';

type Column = BodyOf<typeof ROUTES.runPlayground>['columns'][number];
type Variables = BodyOf<typeof ROUTES.runPlayground>['variables'];

export interface PlaygroundParts {
  readonly metadata: MetadataStore;
  readonly models: ModelCalls;
  readonly prompts: Pick<PromptService, 'compiled'>;
}

/** What a column sends: variables filled in, the schema of the answer in words. System messages come first. */
async function messagesOf(
  { prompts }: PlaygroundParts,
  context: RequestContext,
  column: Column,
  variables: Variables,
): Promise<LlmMessage[]> {
  const filled = column.messages.map((message): LlmMessage => {
    if (message.role === 'tool') return message;
    const text = renderTemplate(message.text, variables).text;
    if (message.role !== 'assistant') return { role: message.role, text };
    return message.toolCalls === undefined
      ? { role: 'assistant', text }
      : { role: 'assistant', text, toolCalls: message.toolCalls };
  });
  if (column.prompt !== undefined) {
    const { id, version } = column.prompt;
    const { result } = await prompts.compiled(context, { id, version, compile: true, variables });
    filled.push(...askedOf(result));
  }
  if (column.responseSchema !== null) {
    filled.unshift({
      role: 'system',
      text: `Answer with one JSON value and nothing else. It must match this JSON Schema:\n${JSON.stringify(column.responseSchema)}`,
    });
  }
  if (filled.length === 0) throw fail('refused', { detail: 'A column has no message and no prompt.' });
  const isFirst = ({ role }: LlmMessage) => role === 'system';
  return [...filled.filter(isFirst), ...filled.filter((message) => !isFirst(message))];
}

/** Events of one column; its failure is an event too, so that it fails alone. */
async function* columnEvents(
  parts: PlaygroundParts,
  context: RequestContext,
  of: { readonly column: Column; readonly index: number; readonly variables: Variables },
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const { column, index, variables } = of;
  const began = performance.now();
  const since = () => Math.round(performance.now() - began);
  let firstTokenMs: number | null = null;
  try {
    const messages = await messagesOf(parts, context, column, variables);
    const { modelId, tools, temperature, maxOutputTokens } = column;
    const answer = await parts.models.stream(
      context,
      {
        feature: 'playground',
        modelId,
        messages,
        ...(tools.length === 0 ? {} : { tools }),
        ...(temperature === undefined ? {} : { temperature }),
        ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      },
      signal,
    );
    for await (const event of answer) {
      if (event.kind === 'text') {
        firstTokenMs ??= since();
        yield { event: 'delta', data: { column: index, text: event.text } };
      } else if (event.kind === 'tool-call') {
        const { id, name, input, invalid } = event;
        yield { event: 'tool', data: { column: index, id, name, input, invalid } };
      } else {
        const { finish, usage, costUsd } = event;
        yield {
          event: 'done',
          data: { column: index, finish, usage, costUsd, firstTokenMs, durationMs: since() },
        };
      }
    }
  } catch (thrown) {
    if (signal.aborted) return;
    const { code, message } = asCandelaError(thrown);
    yield { event: 'failure', data: { column: index, err: message, code } };
  }
}

/** The events of several sources, each as soon as it is there. Ends all of them when nobody takes more. */
async function* merged<T>(sources: readonly AsyncGenerator<T>[], stop: () => void): AsyncGenerator<T> {
  const next = (source: AsyncGenerator<T>, at: number) =>
    source.next().then((step) => ({ at, source, step }));
  const waiting = new Map(sources.map((source, at) => [at, next(source, at)]));
  try {
    while (waiting.size > 0) {
      const { at, source, step } = await Promise.race(waiting.values());
      if (step.done === true) waiting.delete(at);
      else {
        waiting.set(at, next(source, at));
        yield step.value;
      }
    }
  } finally {
    stop();
  }
}

/** The playground: the same variables through up to six models and prompts, side by side. Tools are never run. */
export function playgroundHandlers(parts: PlaygroundParts): Pick<Handlers, 'runPlayground'> {
  return {
    runPlayground: async ({ context, body, signal }) => {
      const models = await Promise.all(
        body.columns.map(({ modelId }) => parts.metadata.models.get(context, modelId)),
      );
      await parts.metadata.change(undefined, (repositories) =>
        record(repositories, context, {
          action: 'playground.run',
          objectKind: 'playground',
          objectId: null,
          details: { models: models.map(({ name }) => name) },
        }),
      );
      const left = new AbortController();
      const stopped = AbortSignal.any([signal, left.signal]);
      const sources = body.columns.map((column, index) =>
        columnEvents(parts, context, { column, index, variables: body.variables }, stopped),
      );
      return { events: merged(sources, () => left.abort()) };
    },
  };
}
