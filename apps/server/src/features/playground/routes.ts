import { type BodyOf, type PlaygroundAnswer, renderTemplate, type ROUTES } from '@candela/contract';
import { asCandelaError, fail, type RequestContext } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import type { Handlers } from '../../http/handlers.ts';
import type { ServerEvent } from '../../http/stream-answer.ts';
import type { LlmMessage } from '../../llm/types.ts';
import type { ModelCalls } from '../../llm/service.ts';
import { record } from '../audit/service.ts';
import { askedOf } from '../prompts/chat.ts';
import type { PromptService } from '../prompts/service.ts';
import { createPlaygroundRuns, NO_ANSWER, type PlaygroundRuns } from './runs.ts';

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
  const own = column.messages.map((message): LlmMessage => {
    if (message.role === 'tool') return message;
    const text = renderTemplate(message.text, variables).text;
    if (message.role !== 'assistant') return { role: message.role, text };
    return message.toolCalls === undefined
      ? { role: 'assistant', text }
      : { role: 'assistant', text, toolCalls: message.toolCalls };
  });
  const filled: LlmMessage[] = [];
  if (column.prompt !== undefined) {
    const { id, version } = column.prompt;
    const { result } = await prompts.compiled(context, { id, version, compile: true, variables });
    filled.push(...askedOf(result));
  }
  filled.push(...own);
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

/** The events as they come; what each column answered is kept when they end, also where the client left. */
async function* keeping(
  runs: PlaygroundRuns,
  context: RequestContext,
  run: {
    readonly columns: readonly Column[];
    readonly models: readonly string[];
    readonly variables: Variables;
  },
  events: AsyncGenerator<ServerEvent>,
): AsyncGenerator<ServerEvent> {
  const answers: PlaygroundAnswer[] = run.columns.map(() => ({ ...NO_ANSWER, calls: [] }));
  let kept: Awaited<ReturnType<PlaygroundRuns['save']>>;
  try {
    for await (const event of events) {
      note(answers, event);
      yield event;
    }
  } finally {
    const columns = run.columns.map((column, at) => ({ ...column, answer: answers[at] ?? NO_ANSWER }));
    kept = await runs.save(context, { ...run, columns });
  }
  yield { event: 'kept', data: kept };
}

/** Writes down what an event of `columnEvents` says. */
function note(answers: PlaygroundAnswer[], { event, data }: ServerEvent): void {
  const { column, ...told } = data as { readonly column: number };
  const answer = answers[column];
  if (answer === undefined) return;
  if (event === 'delta') answer.text += (told as { readonly text: string }).text;
  else if (event === 'tool') {
    const { id, name, input } = told as PlaygroundAnswer['calls'][number];
    answer.calls.push({ id, name, input });
  } else if (event === 'failure') answer.error = (told as { readonly err: string }).err;
  else {
    const { usage, ...facts } = told as Omit<PlaygroundAnswer, 'text' | 'calls' | 'error'>;
    Object.assign(answer, facts, {
      usage: usage === null ? null : { input: usage.input, output: usage.output },
    });
  }
}

/** The playground: the same variables through up to six models and prompts, side by side. Tools are never run. */
export function playgroundHandlers(
  parts: PlaygroundParts,
): Pick<Handlers, 'runPlayground' | 'listPlaygroundRuns' | 'getPlaygroundRun' | 'deletePlaygroundRun'> {
  const runs = createPlaygroundRuns(parts.metadata);
  return {
    runPlayground: async ({ context, body, signal }) => {
      const models = await Promise.all(
        body.columns.map(({ modelId }) => parts.metadata.models.get(context, modelId)),
      );
      const names = models.map(({ name }) => name);
      await parts.metadata.change(undefined, (repositories) =>
        record(repositories, context, {
          action: 'playground.run',
          objectKind: 'playground',
          objectId: null,
          details: { models: names },
        }),
      );
      const left = new AbortController();
      const stopped = AbortSignal.any([signal, left.signal]);
      const { columns, variables } = body;
      const sources = columns.map((column, index) =>
        columnEvents(parts, context, { column, index, variables }, stopped),
      );
      const events = merged(sources, () => left.abort());
      return { events: keeping(runs, context, { columns, models: names, variables }, events) };
    },
    listPlaygroundRuns: async ({ context }) => ({ data: await runs.list(context) }),
    getPlaygroundRun: async ({ context, params }) => ({ data: await runs.read(context, params.id) }),
    deletePlaygroundRun: async ({ context, params }) => {
      const document = await runs.get(context, params.id);
      await parts.metadata.change(undefined, async (repositories) => {
        await repositories.judging.delete(document);
        await record(repositories, context, {
          action: 'playground.delete',
          objectKind: 'playground',
          objectId: document.id,
        });
      });
      return { data: { id: document.id } };
    },
  };
}
