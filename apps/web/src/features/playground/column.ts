import type {
  PlaygroundAnswer,
  PlaygroundMessage,
  PlaygroundRun,
  PromptVersionView,
  SpanDetail,
} from '@candela/contract';
import type { PromptMessage } from '@candela/contract/messages';
import { formatCost, formatDuration } from '../../lib/format.ts';
import { outputFormat } from '../trace/output-format.ts';

/** A call of a tool that a model made. It is never executed. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** One column: what is asked of which model, and what came of it. */
export interface Column {
  readonly key: number;
  readonly modelId: string;
  /** A managed prompt: its messages come before those written here. */
  readonly prompt: { readonly id: string; readonly version: string } | undefined;
  readonly messages: readonly PlaygroundMessage[];
  /** JSON as it is typed. */
  readonly tools: string;
  readonly schema: string;
  readonly temperature: string;
  readonly maxTokens: string;
  readonly answer: string;
  readonly calls: readonly ToolCall[];
  /** Facts of the last run, or why it failed. */
  readonly told: string;
  readonly failure: string;
}

export const blank = (key: number, modelId = ''): Column => ({
  key,
  modelId,
  prompt: undefined,
  messages: [{ role: 'user', text: 'Answer in one sentence: {{question}}' }],
  tools: '',
  schema: '',
  temperature: '',
  maxTokens: '',
  answer: '',
  calls: [],
  told: '',
  failure: '',
});

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const numberText = (value: unknown): string =>
  value !== undefined && value !== null && Number.isFinite(Number(value)) ? String(value) : '';
const jsonText = (value: unknown): string => JSON.stringify(value, null, 2);

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

type Message = SpanDetail['conversation']['input'][number];

/** The messages of a span as those of the playground. */
export function messagesOf(input: readonly Message[]): PlaygroundMessage[] {
  const calls = input.flatMap(({ parts }) => parts).filter((part) => part.type === 'tool_call');
  const nameOf = new Map(calls.map(({ id, name }) => [id, name]));
  return input.flatMap((message) => messagesOfOne(message, nameOf));
}

/** One of a tool for each of its results. What a model thought is not said again. */
function messagesOfOne({ role, parts }: Message, nameOf: ReadonlyMap<string, string>): PlaygroundMessage[] {
  const text = parts
    .flatMap((part) => ('text' in part && part.type !== 'reasoning' ? [part.text] : []))
    .join('\n\n');
  const results = parts.flatMap((part) => (part.type === 'tool_result' ? [part] : []));
  const found: PlaygroundMessage[] = results.map(({ id, name, result }) => ({
    role: 'tool',
    id,
    name: name || nameOf.get(id) || 'tool',
    output: result,
  }));
  const calls = parts.flatMap((part) => (part.type === 'tool_call' ? [part] : []));
  if (role === 'assistant' || calls.length > 0) {
    const toolCalls = calls.map((call) => ({
      id: call.id,
      name: call.name,
      input: readJson(call.arguments) ?? call.arguments,
    }));
    return [{ role: 'assistant', text, ...(calls.length === 0 ? {} : { toolCalls }) }, ...found];
  }
  if (text === '') return found;
  return [{ role: role === 'system' ? 'system' : 'user', text }, ...found];
}

/** A call of a model as a column: its messages, tools, schema and settings. */
export function columnOf(
  span: SpanDetail,
  key: number,
  models: readonly { readonly id: string; readonly model: string }[],
): Column {
  const { input, tools } = span.conversation;
  const attribute = (...names: readonly string[]) =>
    span.attributes.find(({ key: name }) => names.includes(name))?.value;
  const model = models.find((one) => one.model === (span.requestModel ?? span.responseModel));
  const schema = readJson(outputFormat(span)?.schema ?? '');
  return {
    ...blank(key, model?.id ?? models[0]?.id ?? ''),
    messages: messagesOf(input),
    temperature: numberText(attribute('gen_ai.request.temperature', 'llm.request.temperature')),
    maxTokens: numberText(attribute('gen_ai.request.max_tokens', 'llm.request.max_tokens')),
    schema: isObject(schema) ? jsonText(schema) : '',
    tools:
      tools.length === 0
        ? ''
        : jsonText(
            tools.map(({ name, description, parameters }) => ({
              name,
              description,
              schema: readJson(parameters) ?? { type: 'object' },
            })),
          ),
  };
}

/** What a version of a managed prompt says beside its messages: tools, the form of the answer, settings. */
export function callOfVersion(version: PromptVersionView): Partial<Column> {
  const { tools = [], responseFormat, modelSettings } = version;
  return {
    tools:
      tools.length === 0
        ? ''
        : jsonText(
            tools.map(({ name, description = '', parameters }) => ({
              name,
              description,
              schema: parameters ?? { type: 'object' },
            })),
          ),
    schema: responseFormat?.type === 'json_schema' ? jsonText(responseFormat.schema) : '',
    temperature: numberText(modelSettings?.temperature),
    maxTokens: numberText(modelSettings?.maxTokens),
  };
}

/** The messages of a version of a managed prompt, to be changed here. */
export const messagesOfVersion = ({ prompt, messages }: PromptVersionView): PlaygroundMessage[] =>
  (messages ?? [{ role: 'user' as const, content: prompt }]).map(({ role, content }) => ({
    role: role === 'developer' ? 'system' : role,
    text: content,
  }));

/** What is sent of a column. */
export function bodyOf(column: Column, fallbackModel: string) {
  const { modelId, messages, prompt, tools, schema, temperature, maxTokens } = column;
  const responseSchema = readJson(schema || 'null');
  return {
    modelId: modelId || fallbackModel,
    messages: [...messages],
    tools: (readJson(tools || '[]') ?? []) as { name: string }[],
    ...(prompt === undefined ? {} : { prompt: { ...prompt } }),
    ...(isObject(responseSchema) ? { responseSchema } : {}),
    ...(temperature === '' ? {} : { temperature: Number(temperature) }),
    ...(maxTokens === '' ? {} : { maxOutputTokens: Number(maxTokens) }),
  };
}

/** How an answer ended, in a line. */
export function factsOf(
  answer: Pick<PlaygroundAnswer, 'usage' | 'costUsd' | 'firstTokenMs' | 'durationMs' | 'finish'>,
): string {
  const { usage, costUsd, firstTokenMs, durationMs, finish } = answer;
  const facts = [
    firstTokenMs === null ? '' : `first token ${formatDuration(firstTokenMs)}`,
    durationMs === null ? '' : `total ${formatDuration(durationMs)}`,
    usage === null ? '' : `${usage.input} in, ${usage.output} out`,
    costUsd === null ? '' : formatCost(costUsd),
    finish ?? 'stopped',
  ];
  return facts.filter((fact) => fact !== '').join(' · ');
}

/** The columns of a run that was kept, as they were when it ended. */
export const columnsOfRun = ({ columns }: PlaygroundRun): Column[] =>
  columns.map(({ answer, tools, responseSchema, temperature, maxOutputTokens, ...asked }, key) => ({
    ...blank(key, asked.modelId),
    prompt: asked.prompt,
    messages: asked.messages,
    tools: tools.length === 0 ? '' : jsonText(tools),
    schema: responseSchema === null ? '' : jsonText(responseSchema),
    temperature: numberText(temperature),
    maxTokens: numberText(maxOutputTokens),
    answer: answer.text,
    calls: answer.calls,
    told: answer.error === null ? factsOf(answer) : '',
    failure: answer.error ?? '',
  }));

/** The messages of a column as those of a chat prompt. Calls and results of tools have no place in one. */
export const chatOf = ({ messages }: Pick<Column, 'messages'>): PromptMessage[] =>
  messages.flatMap((message) =>
    message.role === 'tool' || message.text === '' ? [] : [{ role: message.role, content: message.text }],
  );

/** Of messages: whether they are one text that a user says, which a plain prompt holds. */
export const plainText = (messages: readonly PromptMessage[]): string | undefined =>
  messages.length === 1 && messages[0]?.role === 'user' ? messages[0].content : undefined;
