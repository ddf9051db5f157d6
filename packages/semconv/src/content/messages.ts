/** Messages of any provider's or framework's shape, as one model. Total: what is not understood is shown as JSON. */
import type { Message, MessagePart } from '../types.ts';
import {
  asText,
  type Budget,
  isRecord,
  jsonPart,
  type JsonRecord,
  MAX_DEPTH,
  member,
  memberText,
  textPart,
} from './builder.ts';
import { parsed } from './attribute-json.ts';
import { cutJson } from './cut-json.ts';
import { canonicalFinishReason } from '../facts/operation.ts';
import { citationParts } from './citations.ts';
import { pythonMessages } from './python-repr.ts';
import { audioParts, imageParts, isPart, readParts, toolCallPart, toolResultPart } from './parts.ts';
import { streamedAnswer } from './streams.ts';
import { isResponsesItem, readResponsesParts } from './responses.ts';

const ROLES: ReadonlyMap<string, string> = new Map([
  ['human', 'user'],
  ['humanmessage', 'user'],
  ['humanmessagechunk', 'user'],
  ['ai', 'assistant'],
  ['aimessage', 'assistant'],
  ['aimessagechunk', 'assistant'],
  ['model', 'assistant'],
  ['bot', 'assistant'],
  ['systemmessage', 'system'],
  ['developer', 'system'],
  ['toolmessage', 'tool'],
  ['functionmessage', 'tool'],
  ['function', 'tool'],
  ['chatmessage', 'user'],
  ['chatmessagechunk', 'user'],
  ['systemmessagechunk', 'system'],
  ['toolmessagechunk', 'tool'],
  ['functionmessagechunk', 'tool'],
  ['usermessage', 'user'],
  ['assistantmessage', 'assistant'],
  ['functionexecutionresultmessage', 'tool'],
  ['chatbot', 'assistant'],
  ['tool-call', 'assistant'],
  ['tool-response', 'tool'],
]);
/** Who speaks in a pair of texts; a pair of other texts is two texts. */
const PAIR_ROLES: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'human', 'ai', 'tool']);
/** A cut text shorter than this is text: nobody cuts that much. */
const SHORTEST_CUT = 64;

const canonicalRole = (role: string, fallback: string): string => {
  if (role === '') return fallback;
  // `AuthorRole.USER` of Semantic Kernel, `MessageRole.USER` of LlamaIndex: members of an enum of Python.
  const lower = role
    .toLowerCase()
    .slice(0, 64)
    .replace(/^\w*role\./, '');
  return ROLES.get(lower) ?? lower;
};

/** Who speaks, if a record says so: Semantic Kernel has it as `{label}`, and its .NET writes names in upper case. */
function roleOf(record: JsonRecord): string {
  for (const key of ['role', '_role', 'Role']) {
    const role = member(record, key);
    const named = isRecord(role) ? memberText(role, 'label', 'Label') : role;
    if (typeof named === 'string' && named !== '') return named;
  }
  return '';
}

/** Members that hold the messages of a request or response, with the role of what has none. */
const LISTS: readonly (readonly [string, string])[] = [
  ['messages', ''],
  ['contents', 'user'],
  // Google's ADK, of a run.
  ['new_message', 'user'],
  ['prompt', 'user'],
  ['input', 'user'],
  ['choices', 'assistant'],
  ['candidates', 'assistant'],
  ['generations', 'assistant'],
  ['output', ''],
  ['inputs', 'user'],
  ['outputs', 'assistant'],
  ['replies', 'assistant'],
  ['completion', 'assistant'],
];
const SYSTEM_KEYS = [
  'system',
  'systemInstruction',
  'system_instruction',
  'instructions',
  'preamble',
] as const;

/**
 * Reads messages from JSON, text or structured values.
 * @param role role of what names none: `user` on the input side, `assistant` on the output side.
 */
export function readMessages(value: unknown, role: string, budget: Budget, depth = 0): Message[] {
  const content = opened(value);
  if (content === undefined || content === null || content === '') return [];
  if (depth > MAX_DEPTH) return one(role, [jsonPart(budget, content)], budget);
  if (Array.isArray(content)) {
    // Events that make no answer together are better seen one by one than not at all.
    const answer = readMessages(streamedAnswer(content), role, budget, depth + 1);
    if (answer.length > 0) return answer;
    const pair = depth > 0 ? pairOf(content) : undefined;
    return pair === undefined
      ? readList(content, role, budget, depth)
      : readMessage(pair, role, budget, depth);
  }
  if (!isRecord(content)) return one(role, [textPart(budget, asText(content))], budget);
  return readRecord(content, role, budget, depth);
}

/** JSON parsed, also where its end is missing. */
function opened(value: unknown): unknown {
  const content = parsed(value);
  if (typeof content !== 'string' || content !== value || !/^\s*[[{]/.test(content)) return content;
  const cut = content.length < SHORTEST_CUT ? undefined : cutJson(content);
  return cut ?? pythonMessages(content, hasSpeaker) ?? content;
}

/** LangChain's `["human", "hi"]` as a message. */
function pairOf(items: readonly unknown[]): JsonRecord | undefined {
  const [role, content] = items;
  return items.length === 2 && typeof role === 'string' && PAIR_ROLES.has(role) && !isRecord(content)
    ? { role, content }
    : undefined;
}

/** What a text of a list stands for: itself, unless it is the JSON of a message. Documents have content, too. */
function ofList(item: string): unknown {
  const content = /^\s*\{/.test(item) ? opened(item) : item;
  return isRecord(content) && hasSpeaker(content) ? content : item;
}

function readList(items: readonly unknown[], role: string, budget: Budget, depth: number): Message[] {
  const messages: Message[] = [];
  let loose: MessagePart[] = [];
  const flush = (): void => {
    if (loose.length > 0) messages.push(...one(role, loose, budget));
    loose = [];
  };
  for (const entry of items) {
    const item = typeof entry === 'string' ? ofList(entry) : entry;
    if (isResponsesItem(item)) {
      flush();
      messages.push(...readResponsesItem(item, role, budget));
    } else if (isPart(item)) {
      loose.push(...readParts(item, budget));
    } else {
      flush();
      // Inside a list a text is a text: `["a", "b"]` of an embeddings call stays two inputs.
      const read =
        typeof item === 'string'
          ? one(role, [textPart(budget, item)], budget)
          : readMessages(item, role, budget, depth + 1);
      if (read.length === 0 && budget.isFull) break;
      for (const message of read) messages.push(message);
    }
  }
  flush();
  return messages;
}

function readRecord(record: JsonRecord, role: string, budget: Budget, depth: number): Message[] {
  if (depth > MAX_DEPTH) return one(role, [jsonPart(budget, record)], budget);
  // OpenInference, OpenAI choices, LangChain generations and streams wrap the message.
  for (const wrapper of ['message', 'delta']) {
    const inner = member(record, wrapper);
    if (!isRecord(inner)) continue;
    const messages = readRecord(inner, role, budget, depth + 1);
    return withFinishReason(messages, finishReasonOf(record));
  }
  const kwargs = member(record, 'kwargs');
  if (isRecord(kwargs) && member(record, 'lc') !== undefined) {
    const id = member(record, 'id');
    const type = Array.isArray(id) ? asText(id.at(-1)) : '';
    return readMessage(kwargs, canonicalRole(type, role), budget, depth);
  }
  const chat = cohereChat(record);
  if (chat !== undefined) return readMessages(chat, role, budget, depth + 1);
  if (isMessage(record))
    return [
      // Gemini's request may have parts where its messages would be.
      ...(contentsOf(record) === undefined ? [] : systemOf(record, budget, depth)),
      ...readMessage(record, role, budget, depth),
    ];
  if (isPart(record)) return one(role, readParts(record, budget), budget);
  const wrapped = wrappedMessages(record, role);
  if (wrapped !== undefined) return readMessages(wrapped, role, budget, depth + 1);
  // An answer that has instructions only repeats those of its request.
  const messages = role === 'assistant' ? [] : systemOf(record, budget, depth);
  for (const [key, own] of LISTS) {
    const list = member(record, key);
    if (list === undefined || list === null || (typeof list !== 'object' && typeof list !== 'string'))
      continue;
    const read = readMessages(list, own || role, budget, depth + 1);
    const finish = key === 'output' ? finishReasonOf(record) : '';
    return [...messages, ...withFinishReason(read, finish)];
  }
  if (messages.length > 0) return messages;
  return one(role, [jsonPart(budget, record)], budget);
}

/** Members that wrap messages where nothing else does: BeeAI, states of graphs. */
const WRAPPERS = ['result', 'response', 'answer', 'final_answer', 'state', 'memory'] as const;

/** The messages that a framework wraps into an object of its own; undefined when the record is no such object. */
function wrappedMessages(record: JsonRecord, role: string): unknown {
  // A command of LangGraph: what it writes into the state, and where to go.
  const update = member(record, 'update');
  if (
    update !== undefined &&
    update !== null &&
    ['goto', 'resume', 'graph'].some((key) => Object.hasOwn(record, key))
  ) {
    return Array.isArray(update) ? Object.fromEntries((update as unknown[]).filter(isEntry)) : update;
  }
  // What smolagents is asked to do, among the settings of the run.
  const task = member(record, 'task');
  if (role === 'user' && typeof task === 'string' && task !== '') return [task];
  if (LISTS.some(([key]) => Object.hasOwn(record, key))) return undefined;
  for (const key of WRAPPERS) {
    const inner = parsed(member(record, key));
    if (isRecord(inner) && (isMessage(inner) || Array.isArray(member(inner, 'messages')))) return inner;
    if (Array.isArray(inner) && inner.length > 0 && inner.every((item) => isRecord(item) && hasSpeaker(item)))
      return inner;
  }
  return undefined;
}

const isEntry = (value: unknown): value is [string, unknown] =>
  Array.isArray(value) && value.length === 2 && typeof value[0] === 'string';

/** The instructions of a request; Gemini's Python SDK has them among the settings. */
function systemOf(record: JsonRecord, budget: Budget, depth: number): Message[] {
  const config = member(record, 'config');
  return [record, ...(isRecord(config) ? [config] : [])].flatMap((holder) =>
    SYSTEM_KEYS.flatMap((key) => {
      const system = member(holder, key);
      return system === undefined || system === null ? [] : readMessages(system, 'system', budget, depth + 1);
    }),
  );
}

/** Cohere's first chat: the question apart from what was said before. */
function cohereChat(record: JsonRecord): JsonRecord[] | undefined {
  const question = member(record, 'message');
  const history = member(record, 'chat_history');
  if (typeof question !== 'string' || !Array.isArray(history)) return undefined;
  const preamble = memberText(record, 'preamble');
  return [
    ...(preamble === '' ? [] : [{ role: 'system', content: preamble }]),
    ...(history as JsonRecord[]),
    { role: 'user', content: question },
  ];
}

/** Whether a record says who speaks. */
const hasSpeaker = (record: JsonRecord): boolean =>
  typeof member(record, 'role') === 'string' ||
  roleOf(record) !== '' ||
  (langChainType(record) !== '' && isRecord(member(record, 'data')));

/** A message has a role, or content (Gemini, LangChain, Anthropic's response), or tool calls. */
function isMessage(record: JsonRecord): boolean {
  if (hasSpeaker(record)) return true;
  if (Array.isArray(member(record, 'tool_calls'))) return true;
  const content = member(record, 'content') ?? member(record, 'parts') ?? contentsOf(record);
  if (content === undefined || member(record, 'type') === 'text') return false;
  return typeof content === 'string' || Array.isArray(content) || isRecord(content);
}

/** `contents` are the parts of OpenInference's message, but the messages of Gemini's request. */
function contentsOf(record: JsonRecord): unknown {
  const contents = member(record, 'contents');
  if (!Array.isArray(contents)) return undefined;
  const first: unknown = contents[0];
  return isRecord(first) && member(first, 'role') === undefined && member(first, 'parts') === undefined
    ? contents
    : undefined;
}

function readMessage(record: JsonRecord, fallback: string, budget: Budget, depth: number): Message[] {
  if (depth > MAX_DEPTH) return one(fallback, [jsonPart(budget, record)], budget);
  const data = member(record, 'data');
  const source = isRecord(data) && member(record, 'content') === undefined ? data : record;
  const named = canonicalRole(roleOf(record) || langChainType(record), fallback);
  // OpenLLMetry tells the thinking of Anthropic as a message of its own.
  const role = named === 'thinking' ? 'assistant' : named;
  const parts: MessagePart[] = [];
  const extra = member(source, 'additional_kwargs');
  const reasoning =
    memberText(source, 'reasoning_content', 'reasoning', 'thinking', 'tool_plan') ||
    (isRecord(extra) ? memberText(extra, 'reasoning_content') : '');
  if (reasoning !== '') parts.push({ type: 'reasoning', text: budget.text(reasoning) });
  let content = contentOf(source);
  // Gemini: candidates[].content is itself a message.
  if (
    isRecord(content) &&
    (member(content, 'parts') !== undefined || member(content, 'role') !== undefined)
  ) {
    const inner = readMessage(content, role, budget, depth + 1);
    return withFinishReason(inner, finishReasonOf(record));
  }
  const callId =
    memberText(source, 'tool_call_id', 'toolCallId') ||
    (isRecord(extra) ? memberText(extra, 'tool_call_id') : '') ||
    // Pydantic AI lists the events of OpenTelemetry.
    (member(source, 'event.name') === undefined ? '' : memberText(source, 'id'));
  const isNamed = typeof content === 'string' && memberText(source, 'name', 'tool_name') !== '';
  if (role === 'tool' && (callId !== '' || isNamed)) {
    parts.push(
      toolResultPart(
        {
          id: callId,
          name: memberText(source, 'name', 'tool_name'),
          result: content ?? '',
          status: member(source, 'status'),
        },
        budget,
      ),
    );
    content = undefined;
  }
  if (typeof content === 'string' && /^\s*\[\s*\{\s*"type"\s*:/.test(content)) content = parsed(content);
  const said = readParts(content, budget);
  parts.push(
    ...(named === 'thinking'
      ? said.map((part) => (part.type === 'text' ? { ...part, type: 'reasoning' as const } : part))
      : said),
  );
  parts.push(...imageParts(member(source, 'images'), budget));
  parts.push(...audioParts(member(source, 'audio'), budget));
  const calls = firstList(
    member(source, 'tool_calls'),
    member(source, 'toolCalls'),
    isRecord(extra) ? member(extra, 'tool_calls') : undefined,
  );
  const seen = new Set(
    parts.flatMap((part) => (part.type === 'tool_call' && part.id !== '' ? [part.id] : [])),
  );
  const invalid = member(source, 'invalid_tool_calls');
  for (const call of Array.isArray(invalid) ? [...calls, ...(invalid as unknown[])] : calls) {
    const inner = isRecord(call) ? (member(call, 'tool_call') ?? call) : undefined;
    if (!isRecord(inner) || !budget.takePart()) continue;
    const part = toolCallPart(inner, budget);
    if (part.type === 'tool_call' && part.id !== '' && seen.has(part.id)) continue;
    parts.push(part);
  }
  const legacy =
    member(source, 'function_call') ?? (isRecord(extra) ? member(extra, 'function_call') : undefined);
  if (isRecord(legacy)) parts.push(toolCallPart(legacy, budget));
  else if (memberText(source, 'function_call_name') !== '') {
    parts.push(
      toolCallPart(
        {
          name: memberText(source, 'function_call_name'),
          arguments: memberText(source, 'function_call_arguments_json'),
        },
        budget,
      ),
    );
  }
  const refusal = memberText(source, 'refusal');
  if (refusal !== '') parts.push({ type: 'refusal', text: budget.text(refusal) });
  parts.push(...citationParts(member(source, 'annotations') ?? member(source, 'citations'), budget));
  // One that has nothing but a role was cut behind it.
  const known =
    [...CONTENT_KEYS, 'tool_calls'].some((key) => Object.hasOwn(source, key)) ||
    Object.keys(source).every((key) => key === 'role');
  // A message in a shape nobody knows is better seen raw than not at all.
  if (parts.length === 0 && !known) parts.push(jsonPart(budget, record));
  const name = memberText(record, 'name').slice(0, 512);
  return withFinishReason(one(role, parts, budget, role === 'tool' ? '' : name), finishReasonOf(record));
}

/** Where the content is: also of OpenInference, LlamaIndex, Haystack, Semantic Kernel and Cohere. */
const CONTENT_KEYS = [
  'parts',
  'content',
  'contents',
  'blocks',
  '_content',
  'items',
  'message',
  'Items',
  'Content',
] as const;

function contentOf(source: JsonRecord): unknown {
  const plain = member(source, 'parts') ?? member(source, 'content');
  const listed = contentsOf(source);
  // OpenInference may have the text alone beside of all parts.
  if (typeof plain === 'string' && Array.isArray(listed))
    return isSaidBy(listed, plain) ? listed : [plain, ...(listed as unknown[])];
  return (
    plain ?? listed ?? CONTENT_KEYS.map((key) => member(source, key)).find((value) => value !== undefined)
  );
}

/** Whether parts say a text: one of them, or all their texts in a row. */
function isSaidBy(listed: readonly unknown[], plain: string): boolean {
  if (asText(listed).includes(JSON.stringify(plain))) return true;
  const texts = listed.map((entry) => {
    const wrapped = isRecord(entry) ? member(entry, 'message_content') : undefined;
    const part = isRecord(wrapped) ? wrapped : entry;
    return isRecord(part) && ['', 'text'].includes(memberText(part, 'type')) ? memberText(part, 'text') : '';
  });
  return unspaced(texts.join('')) === unspaced(plain);
}
const unspaced = (text: string): string => text.replace(/\s+/g, '');

const firstList = (...candidates: readonly unknown[]): readonly unknown[] =>
  candidates.find((candidate): candidate is unknown[] => Array.isArray(candidate) && candidate.length > 0) ??
  [];

/** `{type: 'human', content}` of LangChain; a part's type is no role. */
function langChainType(record: JsonRecord): string {
  const type = memberText(record, 'type').toLowerCase();
  return ROLES.has(type) || type === 'system' || type === 'tool' ? type : '';
}

function readResponsesItem(item: JsonRecord, role: string, budget: Budget): Message[] {
  const type = memberText(item, 'type');
  if (type.endsWith('_call_output') || type === 'mcp_approval_response')
    return one('tool', readParts(item, budget), budget);
  const parts = readResponsesParts(item, budget);
  return one(role === 'user' || role === '' ? 'assistant' : role, parts, budget);
}

function finishReasonOf(record: JsonRecord): string {
  const reason = memberText(record, 'finish_reason', 'finishReason', 'stop_reason', 'stopReason');
  if (reason !== '') return canonicalFinishReason(reason).slice(0, 128);
  const info =
    member(record, 'generationInfo') ??
    member(record, 'generation_info') ??
    member(record, 'response_metadata');
  return isRecord(info)
    ? canonicalFinishReason(memberText(info, 'finish_reason', 'stop_reason')).slice(0, 128)
    : '';
}

function withFinishReason(messages: Message[], reason: string): Message[] {
  const last = messages.at(-1);
  if (reason === '' || last === undefined || last.finishReason !== undefined) return messages;
  return [...messages.slice(0, -1), { ...last, finishReason: reason }];
}

function one(role: string, parts: readonly MessagePart[], budget: Budget, name = ''): Message[] {
  if (parts.length === 0 || !budget.takeMessage()) return [];
  return [{ role: role === '' ? 'user' : role, ...(name === '' ? {} : { name }), parts }];
}
