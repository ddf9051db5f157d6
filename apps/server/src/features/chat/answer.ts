import { CHAT_LIMITS, type SqlResult } from '@candela/contract';
import { asCandelaError, type Clock, type RequestContext } from '@candela/kernel';
import type { MetadataStore, StoredChatMessage } from '@candela/metadata-store';
import { z } from 'zod';
import { veiled } from '../../llm/failures.ts';
import type { ModelCalls } from '../../llm/service.ts';
import type { LlmTool, LlmToolCall } from '../../llm/types.ts';
import { bounded } from '../../tools/bounded.ts';
import type { Call } from '../../tools/calls.ts';
import { isFor, type Tool, type ToolResult } from '../../tools/tool.ts';
import { TOOLS, WRITE_PROMPT_VERSION } from '../../tools/index.ts';
import { approvalFor } from './approvals.ts';
import { chartFor } from './chart.ts';
import { historyOf, marked, stepsOf } from './history.ts';
import { INSTRUCTIONS } from './instructions.ts';
import { asksForPromptVersion, asksToCreate } from './intent.ts';
import { factsOf, partsOf, textOf, type ToolPart, type Usage } from './parts.ts';
import { type Run, STOPPED } from './runs.ts';
import type { Answering } from './settings.ts';

export interface Asked {
  readonly context: RequestContext;
  readonly owner: { readonly projectId: string; readonly owner: string };
  readonly settings: Answering;
  /** Everything before the answer. */
  readonly thread: readonly StoredChatMessage[];
  /** Calls routes as the person; ends with the run. */
  readonly call: Call;
}

export interface AnswerParts {
  readonly models: ModelCalls;
  readonly metadata: Pick<MetadataStore, 'chats'>;
  readonly clock: Clock;
}

/** What a model is shown of a result. */
const SHOWN = { rows: 50, columns: 20, text: 200, bytes: 8_000 } as const;
/** Statements in an answer's text that are run where a model calls no tools. */
const FENCED = /```(?:sql|clickhouse)\s*\n([\s\S]*?)```/gi;
const MOST_FENCED = 2;

const SCHEMAS = new Map<Tool, LlmTool>(
  TOOLS.filter((tool) => isFor(tool, 'assistant')).map((tool) => [
    tool,
    {
      name: tool.id,
      description: tool.about,
      schema: z.toJSONSchema(tool.input, { io: 'input' }) as Record<string, unknown>,
    },
  ]),
);

/** The tools that the newest message lets the model have. */
function toolsFor(question: string): readonly Tool[] {
  const mayPublish = asksForPromptVersion(question);
  return [...SCHEMAS.keys()].filter(({ id }) => id !== WRITE_PROMPT_VERSION || mayPublish);
}

const newestQuestion = (thread: readonly StoredChatMessage[]): StoredChatMessage | undefined =>
  thread.findLast(({ role }) => role === 'user');

/** Whether the model has seen what applications or links wrote. */
const isTainted = (thread: readonly StoredChatMessage[]): boolean =>
  thread.some(
    (message) =>
      (factsOf(message).page?.search ?? '') !== '' ||
      partsOf(message).some((part) => part.kind === 'tool' && part.taints),
  );

/** Makes an answer step by step until the model asks for nothing more, a person must decide, or a bound is reached. */
export async function makeAnswer(run: Run, asked: Asked, parts: AnswerParts): Promise<void> {
  const late = AbortSignal.timeout(CHAT_LIMITS.answerMs);
  const signal = AbortSignal.any([run.signal, late]);
  try {
    await new Answer(run, asked, parts, signal).make();
    await run.finish('done', {});
  } catch (thrown) {
    endOpenCalls(run);
    if (run.signal.reason === STOPPED) await run.finish('stopped', {});
    else if (late.aborted) {
      const seconds = CHAT_LIMITS.answerMs / 1_000;
      await run.finish('failed', { err: `The answer took longer than ${seconds} s and was ended.` });
    } else if (run.signal.aborted) {
      await run.finish('failed', {
        err: 'The platform was stopped before the answer was complete. Ask again.',
      });
    } else await run.finish('failed', { err: sentenceOf(asked.context, thrown) });
  }
}

function sentenceOf(context: RequestContext, thrown: unknown): string {
  const error = asCandelaError(veiled(context, thrown));
  return error.code === 'internal'
    ? `Something went wrong on our side. Quote the request id ${context.requestId}.`
    : error.message;
}

function endOpenCalls(run: Run): void {
  for (const [index, part] of run.parts.entries()) {
    if (part.kind !== 'tool' || part.state !== 'running') continue;
    run.part(index, { ...part, state: 'failed', detail: 'Stopped.', output: 'Stopped.' });
  }
}

class Answer {
  readonly #run: Run;
  readonly #asked: Asked;
  readonly #parts: AnswerParts;
  readonly #signal: AbortSignal;
  readonly #question: string;
  readonly #tools: readonly Tool[];
  readonly #nonce = crypto.randomUUID().slice(0, 8);
  #tainted: boolean;
  #used = 0;
  #usage: Usage = { calls: 0, inputTokens: 0, outputTokens: 0, costUsd: null };

  constructor(run: Run, asked: Asked, parts: AnswerParts, signal: AbortSignal) {
    this.#run = run;
    this.#asked = asked;
    this.#parts = parts;
    this.#signal = signal;
    const newest = newestQuestion(asked.thread);
    this.#question = newest === undefined ? '' : textOf(partsOf(newest));
    this.#tools = toolsFor(this.#question);
    this.#tainted = isTainted(asked.thread);
  }

  async make(): Promise<void> {
    const { settings } = this.#asked;
    this.#run.facts({ model: settings.model.model });
    for (let step = 1; ; step += 1) {
      const isLast = step >= CHAT_LIMITS.steps || this.#used >= CHAT_LIMITS.toolCalls;
      const calls = await this.#ask(isLast);
      if (calls.length === 0) break;
      for (const call of calls) await this.#answerCall(call);
      if (this.#isWaiting()) return;
      if (isLast) break;
      const { costUsd } = this.#usage;
      if (settings.messageCapUsd !== null && (costUsd ?? 0) >= settings.messageCapUsd) {
        this.#run.text(`\n\n_Ended here: this answer reached its cap of ${settings.messageCapUsd} USD._`);
        return;
      }
    }
    await this.#runFenced();
  }

  /** One call of the model; its text is part of the answer. @returns the tools that it asks for */
  async #ask(isLast: boolean): Promise<LlmToolCall[]> {
    const { contextTokens } = this.#asked.settings;
    const before = this.#run.parts.length;
    try {
      return await this.#stream(isLast, contextTokens);
    } catch (thrown) {
      const { code, message } = asCandelaError(thrown);
      const isTooLong = /context|too (?:long|large|many tokens)|maximum.{0,40}tokens/i.test(message);
      if (code !== 'refused' || !isTooLong || this.#run.parts.length > before) throw thrown;
      return this.#stream(isLast, contextTokens / 2);
    }
  }

  async #stream(isLast: boolean, contextTokens: number): Promise<LlmToolCall[]> {
    const { context, settings, thread } = this.#asked;
    const messages = [...historyOf(thread, INSTRUCTIONS, contextTokens), ...stepsOf(this.#run.parts, true)];
    const tools = this.#tools.flatMap((tool) => SCHEMAS.get(tool) ?? []);
    const events = await this.#parts.models.stream(
      context,
      {
        feature: 'chat',
        modelId: settings.model.id,
        messages,
        ...(isLast ? {} : { tools }),
        refId: this.#run.chatId,
        dailyCapUsd: settings.dailyCapUsd,
      },
      this.#signal,
    );
    const calls: LlmToolCall[] = [];
    for await (const event of events) {
      this.#signal.throwIfAborted();
      if (event.kind === 'text') this.#run.text(event.text);
      else if (event.kind === 'tool-call') calls.push(event);
      else this.#count(event);
    }
    this.#signal.throwIfAborted();
    return calls.slice(0, CHAT_LIMITS.toolCalls - this.#used);
  }

  #count({ usage, costUsd }: Extract<Awaited<ReturnType<ModelCalls['complete']>>, object> | EndLike): void {
    const before = this.#usage;
    this.#usage = {
      calls: before.calls + 1,
      inputTokens:
        before.inputTokens + (usage === null ? 0 : usage.input + usage.cacheRead + usage.cacheWrite),
      outputTokens: before.outputTokens + (usage === null ? 0 : usage.output + usage.reasoning),
      costUsd: costUsd === null ? before.costUsd : (before.costUsd ?? 0) + costUsd,
    };
    this.#run.facts({ usage: this.#usage });
  }

  #isWaiting(): boolean {
    return this.#run.parts.some((part) => part.kind === 'tool' && part.state === 'waiting');
  }

  async #answerCall({ id, name, input, invalid }: Pick<LlmToolCall, 'id' | 'name' | 'input' | 'invalid'>) {
    this.#used += 1;
    const index = this.#run.parts.length;
    const tool = this.#tools.find((each) => each.id === name);
    const part: ToolPart = {
      kind: 'tool',
      callId: id,
      name: name.slice(0, 64),
      title: tool?.title ?? name.slice(0, 64),
      input: bounded(input, SHOWN.bytes).value,
      state: 'running',
      detail: null,
      url: null,
      result: null,
      chart: null,
      layout: null,
      approval: null,
      output: '',
      taints: false,
    };
    const failed = (detail: string) =>
      this.#run.part(index, { ...part, state: 'failed', detail, output: detail });
    if (tool === undefined) {
      return failed(
        name === WRITE_PROMPT_VERSION
          ? 'A version is written only when the newest message asks to save, apply, update, publish or create one.'
          : 'There is no such tool.',
      );
    }
    const parsed = tool.input.safeParse(input ?? {});
    if (invalid !== null || !parsed.success) {
      return failed(invalid ?? z.prettifyError(parsed.error ?? new z.ZodError([])).slice(0, 1_000));
    }
    const card = this.#cardFor(tool, parsed.data);
    if (card !== undefined) {
      let subject: string | undefined;
      try {
        subject = await tool.subject?.(this.#asked.call, parsed.data);
      } catch (thrown) {
        return failed(toolFailure(thrown));
      }
      const approval = await approvalFor(this.#parts, this.#asked.owner, {
        chatId: this.#run.chatId,
        messageId: this.#run.id,
        callId: id,
        tool: tool.id,
        input: parsed.data,
      });
      const { wantsValue = false } = card;
      const title = subject === undefined ? card.title : `${card.title} "${subject.slice(0, 120)}"`;
      this.#run.part(index, {
        ...part,
        // The card shows exactly what will be done.
        input: parsed.data,
        state: 'waiting',
        output: 'Not done yet: a card asks the person.',
        approval: {
          id: approval.id,
          title,
          effect: tool.effect === 'read' ? 'change' : tool.effect,
          reason: card.reason,
          wantsValue,
          expiresAt: new Date(approval.expiresAt).toISOString(),
        },
      });
      return undefined;
    }
    this.#run.part(index, part);
    const done = await runTool(tool, parsed.data, part, { call: this.#asked.call, nonce: this.#nonce });
    this.#signal.throwIfAborted();
    this.#tainted ||= done.taints;
    this.#run.part(index, done);
    return undefined;
  }

  /** Undefined: it may be done at once. */
  #cardFor(tool: Tool, input: Record<string, unknown>) {
    if (tool.effect === 'read') return undefined;
    const card = tool.card?.(input) ?? { title: tool.title };
    if (tool.effect !== 'create') return { ...card, reason: 'Changes are always asked for.' };
    if (card.wantsValue === true)
      return { ...card, reason: 'Type the value here: it goes to the vault only.' };
    if (this.#tainted) {
      return { ...card, reason: 'This conversation has read texts of applications, so you decide.' };
    }
    if (!asksToCreate(this.#question)) return { ...card, reason: 'Your message does not ask to create it.' };
    return undefined;
  }

  /** Models without tools write statements into their text: these are run, too. */
  async #runFenced(): Promise<void> {
    const { parts } = this.#run;
    if (parts.some((part) => part.kind === 'tool' && part.name === 'run_sql')) return;
    const statements = [...textOf(parts).matchAll(FENCED)].slice(0, MOST_FENCED);
    for (const [index, [, query = '']] of statements.entries()) {
      const id = `fenced-${this.#run.id}-${index}`;
      await this.#answerCall({ id, name: 'run_sql', input: { query: query.trim() }, invalid: null });
    }
  }
}

type EndLike = {
  readonly usage: Awaited<ReturnType<ModelCalls['complete']>>['usage'];
  readonly costUsd: number | null;
};

/** What a model and its person are told of a tool that failed. */
function toolFailure(thrown: unknown): string {
  if (thrown instanceof RangeError) return thrown.message;
  const { code, message } = asCandelaError(thrown);
  return code === 'internal' ? 'The tool failed.' : message;
}

/** Runs a tool as the person; what goes wrong is a sentence for the model. */
export async function runTool(
  tool: Tool,
  input: Record<string, unknown>,
  part: ToolPart,
  { call, nonce, typed }: { readonly call: Call; readonly nonce: string; readonly typed?: string },
): Promise<ToolPart> {
  try {
    const result = await tool.run(call, input, typed);
    const { table = null, page = null, note = null, layout = null } = result;
    return {
      ...part,
      state: 'done',
      detail: note,
      url: page,
      result: table === null ? null : keptTable(table),
      chart: table === null ? null : chartFor(table),
      layout,
      output: marked(nonce, shownTo(result)),
      taints: tool.taints ?? tool.effect === 'read',
    };
  } catch (thrown) {
    const detail = toolFailure(thrown);
    // A refusal quotes names of fields and the statement, which the model wrote itself.
    return { ...part, state: 'failed', detail, output: detail };
  }
}

const keptTable = (table: SqlResult): SqlResult =>
  table.rows.length <= CHAT_LIMITS.keptRows
    ? table
    : { ...table, rows: table.rows.slice(0, CHAT_LIMITS.keptRows), truncated: true };

function shownTo({ data, table, note, page }: ToolResult): string {
  if (table === undefined) {
    const { value, truncated } = bounded(data, SHOWN.bytes);
    return JSON.stringify({
      data: value,
      truncated,
      ...(note === undefined ? {} : { note }),
      url: page ?? null,
    });
  }
  const columns = table.columns.slice(0, SHOWN.columns).map(({ name }) => name);
  for (let count = Math.min(SHOWN.rows, table.rows.length); ; count = Math.floor(count / 2)) {
    const rows = table.rows
      .slice(0, count)
      .map((row) =>
        row
          .slice(0, SHOWN.columns)
          .map((cell) => (typeof cell === 'string' ? cell.slice(0, SHOWN.text) : cell)),
      );
    const of = `row ${count} of ${table.rows.length}${table.truncated ? ' and more' : ''}`;
    const text = JSON.stringify(bounded({ columns, rows, shown: of }, SHOWN.bytes * 2).value);
    if (count <= 1 || Buffer.byteLength(text) <= SHOWN.bytes) return text;
  }
}
