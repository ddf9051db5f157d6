import type { SpanDetail } from '@candela/contract';
import type { Message, MessagePart } from '@candela/semconv';
import { callIds } from '@candela/semconv/call-ids';

/** Settings of a model call: their attribute, and their name in a request. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ['gen_ai.request.temperature', 'temperature'],
  ['gen_ai.request.top_p', 'top_p'],
  ['gen_ai.request.max_tokens', 'max_tokens'],
  ['gen_ai.request.frequency_penalty', 'frequency_penalty'],
  ['gen_ai.request.presence_penalty', 'presence_penalty'],
  ['gen_ai.request.seed', 'seed'],
  ['gen_ai.request.stop_sequences', 'stop'],
];

type Prompt = Pick<SpanDetail, 'requestModel' | 'responseModel' | 'conversation' | 'attributes'>;

/**
 * The model call as a chat completion request of OpenAI, which nearly every provider and local server takes; whatever
 * the convention it was recorded in. Thinking is left out: it cannot be sent back.
 */
export function promptRequest(detail: Prompt): object {
  const { input, tools } = detail.conversation;
  const sent = new Map(detail.attributes.map(({ key, value }) => [key, value]));
  const settings = SETTINGS.flatMap(([key, name]) => (sent.has(key) ? [[name, sent.get(key)] as const] : []));
  const idOf = shortIds(input);
  return {
    model: detail.requestModel ?? detail.responseModel ?? '',
    messages: input.flatMap((message) => requestMessages(message, idOf)),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function',
            function: {
              name,
              ...(description === '' ? {} : { description }),
              parameters: schemaOf(parameters),
            },
          })),
        }),
    ...Object.fromEntries(settings),
  };
}

/**
 * The same as a command line; address and key are taken from the shell's environment. The body comes after it, to be
 * edited, and because one argument may have 128 kB only. No line of JSON is the word that ends it.
 */
export const promptCurl = (detail: Prompt): string =>
  [
    'curl -sS "${OPENAI_BASE_URL:-https://api.openai.com/v1}/chat/completions"',
    '-H "Authorization: Bearer $OPENAI_API_KEY"',
    "-H 'Content-Type: application/json'",
    `--data-binary @- <<'PROMPT'\n${JSON.stringify(promptRequest(detail), null, 2)}\nPROMPT\n`,
  ].join(' ');

/** Ids of calls and results; calls that were recorded without one are numbered. */
function shortIds(messages: readonly Message[]): (part: MessagePart) => string {
  const known = callIds(messages);
  const made = new Map<string, string>();
  return (part) => {
    const id = known(part);
    if ((part.type === 'tool_call' || part.type === 'tool_result') && part.id !== '') return part.id;
    const short = made.get(id) ?? `call_${made.size + 1}`;
    made.set(id, short);
    return short;
  };
}

/** Results of tools are messages of their own there. */
function requestMessages(message: Message, idOf: (part: MessagePart) => string): object[] {
  const results = message.parts.flatMap((part) =>
    part.type === 'tool_result' ? [{ role: 'tool', tool_call_id: idOf(part), content: part.result }] : [],
  );
  const calls = message.parts.flatMap((part) =>
    part.type === 'tool_call'
      ? [{ id: idOf(part), type: 'function', function: { name: part.name, arguments: part.arguments } }]
      : [],
  );
  const content = message.parts.flatMap(contentOf);
  if (content.length === 0 && calls.length === 0) return results;
  const isText = content.every((part) => part.type === 'text');
  return [
    ...results,
    {
      role: message.role === 'model' ? 'assistant' : message.role,
      ...(message.name === undefined ? {} : { name: message.name }),
      content: content.length === 0 ? null : isText ? content.map((part) => part.text).join('\n') : content,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}

type Content = { readonly type: string; readonly text?: string; readonly [more: string]: unknown };

function contentOf(part: MessagePart): Content[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return [{ type: 'text', text: part.text }];
    case 'json':
      return [{ type: 'text', text: part.json }];
    case 'media':
      return [mediaOf(part)];
    case 'tool_call':
    case 'tool_result':
    case 'reasoning':
    case 'citation':
      return [];
  }
}

function mediaOf({ modality, mimeType, uri }: Extract<MessagePart, { type: 'media' }>): Content {
  if (modality === 'image') return { type: 'image_url', image_url: { url: uri } };
  const data = /^data:[^,]*;base64,(.*)$/s.exec(uri)?.[1];
  if (modality === 'audio' && data !== undefined)
    return { type: 'input_audio', input_audio: { data, format: mimeType.replace(/^audio\/(x-)?/, '') } };
  return { type: 'file', file: { file_data: uri } };
}

/** What was recorded as the schema, or one that takes anything. */
function schemaOf(parameters: string): unknown {
  try {
    const schema: unknown = JSON.parse(parameters);
    if (typeof schema === 'object' && schema !== null) return schema;
  } catch {
    // Broken or none: said below.
  }
  return { type: 'object' };
}
