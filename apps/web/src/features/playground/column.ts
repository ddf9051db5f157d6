import type { PlaygroundMessage, SpanDetail } from '@candela/contract';

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
  readonly messages: readonly PlaygroundMessage[];
  /** JSON as it is typed. */
  readonly tools: string;
  readonly schema: string;
  readonly temperature: string;
  /** Results of tools by what they were called with, from the span that was opened. */
  readonly recorded: ReadonlyMap<string, string>;
  readonly answer: string;
  readonly calls: readonly ToolCall[];
  /** Facts or the failure of the last run. */
  readonly told: string;
}

export const blank = (key: number, modelId = ''): Column => ({
  key,
  modelId,
  messages: [{ role: 'user', text: 'Answer in one sentence: {{question}}' }],
  tools: '',
  schema: '',
  temperature: '',
  recorded: new Map(),
  answer: '',
  calls: [],
  told: '',
});

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A call of a tool in one text: the same call has the same, however its arguments were written. */
export function callKey(name: string, input: unknown): string {
  const value = typeof input === 'string' ? (readJson(input) ?? input) : input;
  return `${name} ${JSON.stringify(value)}`;
}

type Message = SpanDetail['conversation']['input'][number];

/** A message of a span as those of the playground: one of a tool for each of its results. */
function messagesOf({ role, parts }: Message): PlaygroundMessage[] {
  const text = parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n\n');
  const results = parts.flatMap((part) => (part.type === 'tool_result' ? [part] : []));
  const found: PlaygroundMessage[] = results.map(({ id, name, result }) => ({
    role: 'tool',
    id,
    name: name || 'tool',
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

/** Results of tools in a conversation, by the call that they answer. */
function recordedIn(messages: readonly PlaygroundMessage[]): ReadonlyMap<string, string> {
  const outputs = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.id, message.output] as const] : [])),
  );
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? (message.toolCalls ?? []) : [],
  );
  return new Map(
    calls.flatMap(({ id, name, input }) => {
      const output = outputs.get(id);
      return output === undefined ? [] : [[callKey(name, input), output] as const];
    }),
  );
}

/** A call of a model as a column: its messages, tools, schema and temperature. */
export function columnOf(
  span: SpanDetail,
  key: number,
  models: readonly { readonly id: string; readonly model: string }[],
): Column {
  const { input, tools } = span.conversation;
  const attribute = (...names: readonly string[]) =>
    span.attributes.find(({ key: name }) => names.includes(name))?.value;
  const model = models.find((one) => one.model === (span.requestModel ?? span.responseModel));
  const messages = input.flatMap(messagesOf);
  const temperature = attribute('gen_ai.request.temperature', 'llm.request.temperature');
  return {
    ...blank(key, model?.id ?? models[0]?.id ?? ''),
    messages,
    recorded: recordedIn(messages),
    temperature: typeof temperature === 'number' ? String(temperature) : '',
    tools:
      tools.length === 0
        ? ''
        : JSON.stringify(
            tools.map(({ name, description, parameters }) => ({
              name,
              description,
              schema: readJson(parameters) ?? { type: 'object' },
            })),
            null,
            2,
          ),
  };
}

/** The texts of a column as one prompt: what a draft or an experiment is made of. */
export const templateOf = ({ messages }: Column): string =>
  messages
    .flatMap((message) => (message.role === 'system' || message.role === 'user' ? [message.text] : []))
    .filter((text) => text !== '')
    .join('\n\n');
