/** One part of a message, in any provider's shape. */
import type { MessagePart } from '../types.ts';
import { CUT_MARK } from './cut-json.ts';
import { citationPart, citationParts } from './citations.ts';
import { openedResult } from './tool-wrappers.ts';
import {
  asText,
  type Budget,
  isRecord,
  jsonPart,
  type JsonRecord,
  member,
  memberText,
  textPart,
} from './builder.ts';

const MAX_NESTING = 8;

/** Types a part (not a message) can have: tells a list of parts from a list of messages. */
const PART_TYPES: ReadonlySet<string> = new Set([
  'text',
  'input_text',
  'output_text',
  'refusal',
  'summary_text',
  'reasoning_text',
  'image',
  'image_url',
  'input_image',
  'input_audio',
  'audio',
  'input_file',
  'file',
  'document',
  'media',
  'uri',
  'blob',
  'video',
  'tool_use',
  'tool_call',
  'tool-call',
  'server_tool_use',
  'server_tool_call',
  'mcp_tool_use',
  'custom_tool_call',
  'function_call',
  'function',
  'tool_result',
  'tool-result',
  'tool_call_response',
  'server_tool_call_response',
  'server_tool_result',
  'web_search_tool_result',
  'mcp_tool_result',
  'function_call_output',
  'thinking',
  'redacted_thinking',
  'reasoning',
  'source',
  'source-url',
  'source-document',
  'search_result',
  'document_url',
  'computer_screenshot',
  'tool-error',
  'dynamic-tool',
  'reference',
  'tool_reference',
  'compaction',
  'function_result',
]);

/** `web_search_tool_result`, `code_execution_tool_result`, ... of tools that the provider ran itself. */
const isHostedResult = (type: string): boolean => type.endsWith('_tool_result');
/** `tool-<name>` of the AI SDK's UI messages, or one of a tool that it knows by name only: a call and its result in one. */
const isUiTool = (part: JsonRecord, type: string): boolean =>
  (type.startsWith('tool-') || type === 'dynamic-tool') &&
  member(part, 'state') !== undefined &&
  member(part, 'toolCallId') !== undefined;

/** The class of content of Microsoft.Extensions.AI that a type names: `TextReasoning` of `Microsoft.Extensions.AI.TextReasoningContent`. */
const extensionsClass = (type: string): string =>
  /^Microsoft\.Extensions\.AI\.(\w+?)(?:Content)?$/.exec(type)?.[1] ?? '';

/** Is this a part and no message? */
export function isPart(value: unknown): boolean {
  // Whatever has a role, or wraps a message (a generation with its text beside it), is no part.
  if (!isRecord(value) || member(value, 'role') !== undefined || isRecord(member(value, 'message')))
    return false;
  const type = member(value, 'type');
  if (typeof type === 'string')
    return (
      PART_TYPES.has(type) || isHostedResult(type) || isUiTool(value, type) || extensionsClass(type) !== ''
    );
  // A request or response of the Responses API has the settings of its text there.
  const text = member(value, 'text');
  if (text !== undefined && !isRecord(text)) return true;
  return [
    'functionCall',
    'functionResponse',
    'function_call',
    'function_response',
    'inlineData',
    'inline_data',
    'fileData',
    'file_data',
    'toolCallId',
    'toolUse',
    'toolResult',
    'tool_call',
    'tool_call_result',
    'message_content',
    'executableCode',
    'executable_code',
    'codeExecutionResult',
    'code_execution_result',
    'reasoningContent',
    'citationsContent',
    'cachePoint',
    'toolRequest',
    'toolResponse',
  ].some((key) => member(value, key) !== undefined);
}

/** Parts of a content value: text, one part, or a list of them. */
export function readParts(content: unknown, budget: Budget, depth = 0): MessagePart[] {
  if (content === undefined || content === null || content === '') return [];
  if (depth > MAX_NESTING) return budget.takePart() ? [jsonPart(budget, content)] : [];
  if (Array.isArray(content)) {
    const parts: MessagePart[] = [];
    for (const item of content as readonly unknown[]) {
      const read = readParts(item, budget, depth + 1);
      for (const part of read) parts.push(part);
      if (
        read.length === 0 &&
        item !== '' &&
        item !== null &&
        item !== undefined &&
        !isRecord(item) &&
        !Array.isArray(item)
      )
        break;
    }
    return parts;
  }
  if (!budget.takePart()) return [];
  if (!isRecord(content)) return [textPart(budget, asText(content))];
  return readPart(content, budget, depth);
}

function readPart(part: JsonRecord, budget: Budget, depth: number): MessagePart[] {
  if (depth > MAX_NESTING) return [jsonPart(budget, part)];
  // OpenInference wraps each in an object of its own, and puts a call beside the content that only says its type.
  const told = member(part, 'message_content');
  const beside = member(part, 'tool_call');
  if (isRecord(told) && isRecord(beside) && CALL_TYPES.has(memberText(told, 'type')))
    return [toolCallPart(beside, budget)];
  for (const wrapper of ['message_content', 'tool_call']) {
    const inner = member(part, wrapper);
    if (isRecord(inner)) return readPart(inner, budget, depth + 1);
  }
  const kernel = KERNEL_PARTS.get(memberText(part, '$type'));
  if (kernel !== undefined) return readPart(kernel(part), budget, depth + 1);
  const type = memberText(part, 'type', 'block_type', 'content_type');
  const extension = extensionsClass(type);
  if (extension !== '') return extensionParts(extension, part, budget, depth);
  if (isHostedResult(type) || type.endsWith('_call_output')) return [toolResultPart(part, budget)];
  if (isUiTool(part, type))
    return uiToolParts(part, memberText(part, 'toolName') || type.slice('tool-'.length), budget);
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text': {
      const text = member(part, 'text') ?? member(part, 'content') ?? '';
      // Assistants put the text into { value }.
      return [
        textPart(budget, asText(isRecord(text) ? (member(text, 'value') ?? text) : text)),
        ...citationParts(member(part, 'citations') ?? member(part, 'annotations'), budget),
      ];
    }
    case 'refusal':
      return [{ type: 'refusal', text: budget.text(memberText(part, 'refusal', 'text', 'content')) }];
    case 'source':
    case 'source-url':
    case 'source-document': {
      const cited = citationPart(part, budget);
      return cited.length > 0 ? cited : [jsonPart(budget, part)];
    }
    case 'search_result':
      return [...citationPart(part, budget), ...readParts(member(part, 'content'), budget, depth + 1)];
    case 'reference':
      return referenceParts(part, budget);
    case 'tool_reference': {
      const cited = citationPart(part, budget);
      return cited.length > 0 ? cited : [jsonPart(budget, part)];
    }
    case 'compaction':
      // What was said so far in short: OpenAI sends it encrypted, which says nothing to a reader.
      return readParts(member(part, 'content'), budget, depth + 1);
    case 'mcp_approval_response':
      return [approvalPart(part, budget)];
    case 'step-start':
      return [];
    case 'thinking':
    case 'reasoning':
    case 'redacted_thinking':
    case 'reasoning_text':
    case 'summary_text':
      return [reasoningPart(part, budget)];
    case 'tool_use':
    case 'server_tool_use':
    case 'server_tool_call':
    case 'mcp_tool_use':
    case 'tool_call':
    case 'tool-call':
    case 'function_call':
    case 'custom_tool_call':
    case 'function':
      return isPhantom(part) ? [] : [toolCallPart(part, budget)];
    case 'tool_result':
    case 'tool-result':
    case 'tool-error':
    case 'tool_call_response':
    case 'server_tool_call_response':
    case 'server_tool_result':
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'function_result':
      return [toolResultPart(part, budget)];
    case 'image':
    case 'image_url':
    case 'input_image':
    case 'input_audio':
    case 'audio':
    case 'video':
    case 'input_file':
    case 'file':
    case 'document':
    case 'document_url':
    case 'computer_screenshot': {
      const source = member(part, 'source');
      // A document may hold its text plainly.
      if (isRecord(source) && member(source, 'type') === 'text')
        return [textPart(budget, memberText(source, 'data', 'text'))];
      if (isRecord(source) && member(source, 'type') === 'content')
        return readParts(member(source, 'content'), budget, depth + 1);
      return [mediaPart(type, part, budget)];
    }
    case 'media':
    case 'uri':
    case 'blob':
      return [mediaPart(type, part, budget)];
    default:
      return bedrockParts(part, budget, depth) ?? [untypedPart(part, budget)];
  }
}

/** What a text of Mistral rests on: places in the list of documents that a tool gave it. */
function referenceParts(part: JsonRecord, budget: Budget): MessagePart[] {
  const ids = member(part, 'reference_ids');
  const cited = (Array.isArray(ids) ? (ids as readonly unknown[]) : []).flatMap((id) =>
    typeof id === 'number' || typeof id === 'string' ? [{ title: `reference ${id}` }] : [],
  );
  return cited.length === 0 ? [jsonPart(budget, part)] : citationParts(cited, budget);
}

/** Whether somebody let the model use a tool of an MCP server: what came of having asked. */
function approvalPart(part: JsonRecord, budget: Budget): MessagePart {
  const reason = memberText(part, 'reason');
  return {
    type: 'tool_result',
    id: memberText(part, 'approval_request_id').slice(0, 512),
    name: '',
    result: budget.text(asText({ approve: member(part, 'approve'), ...(reason === '' ? {} : { reason }) })),
  };
}

const CALL_TYPES: ReadonlySet<string> = new Set(['tool_use', 'tool_call', 'function_call', 'tool-call']);

/** A part that says nothing but that it is a call: the call itself stands elsewhere in its message. */
const isPhantom = (part: JsonRecord): boolean => Object.keys(part).every((key) => key === 'type');

/** Contents of Microsoft.Extensions.AI that no standard part is made of: their members are those of the class. */
function extensionParts(name: string, part: JsonRecord, budget: Budget, depth: number): MessagePart[] {
  const inner = member(part, 'content');
  const source = isRecord(inner) ? inner : part;
  const field = (key: string): unknown =>
    member(source, key) ?? member(source, `${key.charAt(0).toUpperCase()}${key.slice(1)}`);
  switch (name) {
    case 'Text':
    case 'Error': {
      const text = field('text') ?? field('message') ?? inner;
      return [textPart(budget, asText(text))];
    }
    case 'TextReasoning':
      return [
        { type: 'reasoning', text: budget.text(asText(field('text') ?? (isRecord(inner) ? '' : inner))) },
      ];
    case 'FunctionCall':
    case 'McpServerToolCall':
      return [
        toolCallPart(
          { id: field('callId'), name: field('name') ?? field('toolName'), arguments: field('arguments') },
          budget,
        ),
      ];
    case 'FunctionResult':
    case 'McpServerToolResult':
      return [
        toolResultPart(
          { call_id: field('callId'), result: field('result') ?? field('output') ?? field('exception') },
          budget,
        ),
      ];
    case 'Data':
    case 'Uri':
    case 'HostedFile':
      return [
        mediaPart(
          '',
          { uri: field('uri') ?? field('fileId'), mimeType: field('mediaType'), data: field('data') },
          budget,
        ),
      ];
    case 'Usage':
      return [];
    default:
      return isRecord(inner) ? readParts(inner, budget, depth + 1) : [jsonPart(budget, part)];
  }
}

/** The parts of Semantic Kernel's .NET, by their class. */
const KERNEL_PARTS = new Map<string, (part: JsonRecord) => JsonRecord>([
  ['TextContent', (part) => ({ type: 'text', text: member(part, 'Text') })],
  ['ReasoningContent', (part) => ({ type: 'reasoning', text: member(part, 'Text') })],
  ['ImageContent', (part) => ({ type: 'image', url: member(part, 'DataUri') ?? member(part, 'Uri') })],
  [
    'FunctionCallContent',
    (part) => ({
      type: 'tool_call',
      id: member(part, 'Id'),
      name: member(part, 'FunctionName'),
      arguments: member(part, 'Arguments'),
    }),
  ],
  [
    'FunctionResultContent',
    (part) => ({
      type: 'tool_result',
      call_id: member(part, 'CallId'),
      name: member(part, 'FunctionName'),
      result: member(part, 'Result'),
    }),
  ],
]);

/** Gemini, Bedrock and AI SDK name a part by its key, not by a type. */
function untypedPart(part: JsonRecord, budget: Budget): MessagePart {
  const text = member(part, 'text');
  if (typeof text === 'string') {
    return member(part, 'thought') === true
      ? { type: 'reasoning', text: budget.text(text) }
      : textPart(budget, text);
  }
  // Parts of Anthropic's agent SDK have no type.
  if (typeof member(part, 'thinking') === 'string') return reasoningPart(part, budget);
  const call = member(part, 'functionCall') ?? member(part, 'function_call') ?? member(part, 'toolUse');
  if (isRecord(call)) return toolCallPart(call, budget);
  const response =
    member(part, 'functionResponse') ?? member(part, 'function_response') ?? member(part, 'toolResult');
  if (isRecord(response)) return toolResultPart(response, budget);
  const genkit = genkitPart(part, budget);
  if (genkit !== undefined) return genkit;
  const haystack = haystackPart(part, budget);
  if (haystack !== undefined) return haystack;
  if (isUntypedResult(part)) return toolResultPart(part, budget);
  const data =
    member(part, 'inlineData') ??
    member(part, 'inline_data') ??
    member(part, 'fileData') ??
    member(part, 'file_data');
  if (isRecord(data)) return mediaPart('', data, budget);
  const hosted = bedrockPart(part, budget) ?? codePart(part, budget);
  if (hosted !== undefined) return hosted;
  if (member(part, 'toolCallId') !== undefined) {
    return member(part, 'result') === undefined && member(part, 'output') === undefined
      ? toolCallPart(part, budget)
      : toolResultPart(part, budget);
  }
  if (
    isRecord(member(part, 'function')) ||
    (member(part, 'name') !== undefined && member(part, 'arguments') !== undefined)
  ) {
    return toolCallPart(part, budget);
  }
  // LangChain's calls in pieces and those that could not be parsed have their arguments as text.
  if (member(part, 'name') !== undefined && member(part, 'args') !== undefined)
    return toolCallPart(part, budget);
  const named = memberText(part, 'name', 'tool_name') !== '';
  const given = ['args', 'arguments', 'input'].some((key) => isRecord(member(part, key)));
  return named && given ? toolCallPart(part, budget) : jsonPart(budget, part);
}

/** AutoGen and Anthropic's agent SDK: the id of a call alone may be that of the call. */
const isUntypedResult = (part: JsonRecord): boolean =>
  ['call_id', 'tool_use_id'].some((key) => typeof member(part, key) === 'string') &&
  ['content', 'result', 'output', 'response', 'is_error'].some((key) => member(part, key) !== undefined);

/** Genkit names a part by its key: `{toolRequest: {name, ref, input}}`, `{media: {url, contentType}}`, `{reasoning: text}`. */
function genkitPart(part: JsonRecord, budget: Budget): MessagePart | undefined {
  const request = member(part, 'toolRequest');
  if (isRecord(request))
    return toolCallPart(
      { id: member(request, 'ref'), name: member(request, 'name'), arguments: member(request, 'input') },
      budget,
    );
  const answer = member(part, 'toolResponse');
  if (isRecord(answer))
    return toolResultPart(
      { id: member(answer, 'ref'), name: member(answer, 'name'), result: member(answer, 'output') },
      budget,
    );
  const media = member(part, 'media');
  if (isRecord(media) && typeof member(media, 'url') === 'string')
    return mediaPart('', { url: member(media, 'url'), mimeType: member(media, 'contentType') }, budget);
  const thought = member(part, 'reasoning');
  return typeof thought === 'string' && Object.keys(part).length <= 2
    ? { type: 'reasoning', text: budget.text(thought) }
    : undefined;
}

/** Haystack names a part by its key, too, with the call inside of its result. */
function haystackPart(part: JsonRecord, budget: Budget): MessagePart | undefined {
  const answer = member(part, 'tool_call_result');
  if (isRecord(answer)) {
    const call = member(answer, 'origin');
    const failed = member(answer, 'error') === true;
    const result = {
      ...(isRecord(call) ? { id: member(call, 'id'), name: member(call, 'tool_name') } : {}),
      result: member(answer, 'result'),
    };
    return { ...toolResultPart(result, budget), ...(failed ? { failed } : {}) };
  }
  const thought = member(part, 'reasoning');
  if (isRecord(thought))
    return { type: 'reasoning', text: budget.text(memberText(thought, 'reasoning_text')) };
  const image = member(part, 'image');
  return isRecord(image) && memberText(image, 'base64_image') !== ''
    ? mediaPart('image', image, budget)
    : undefined;
}

/** Code that Gemini wrote and ran itself. */
function codePart(part: JsonRecord, budget: Budget): MessagePart | undefined {
  const name = 'code_execution';
  const code = member(part, 'executableCode') ?? member(part, 'executable_code');
  if (isRecord(code))
    return {
      type: 'tool_call',
      id: '',
      name,
      arguments: budget.text(memberText(code, 'code') || asText(code)),
    };
  const result = member(part, 'codeExecutionResult') ?? member(part, 'code_execution_result');
  if (!isRecord(result)) return undefined;
  return {
    type: 'tool_result',
    id: '',
    name,
    result: budget.text(memberText(result, 'output') || asText(result)),
  };
}

/** What Bedrock's Converse says beside of text: what it rests on, what a guard looks at; a mark of the cache says nothing. */
function bedrockParts(part: JsonRecord, budget: Budget, depth: number): MessagePart[] | undefined {
  if (isRecord(member(part, 'cachePoint'))) return [];
  const guarded = member(part, 'guardContent');
  if (isRecord(guarded)) {
    const text = member(guarded, 'text');
    return readParts(isRecord(text) ? (member(text, 'text') ?? guarded) : guarded, budget, depth + 1);
  }
  const cited = member(part, 'citationsContent');
  if (!isRecord(cited)) return undefined;
  const sources = member(cited, 'citations');
  const citations = (Array.isArray(sources) ? (sources as readonly unknown[]) : []).flatMap((source) => {
    const place = isRecord(source) ? member(source, 'location') : undefined;
    const web = isRecord(place) ? member(place, 'web') : undefined;
    return isRecord(source) ? [{ ...source, ...(isRecord(web) ? web : {}) }] : [];
  });
  return [...readParts(member(cited, 'content'), budget, depth + 1), ...citationParts(citations, budget)];
}

/** Reasoning and media of Bedrock's Converse: `{image: {format, source: {bytes}}}`. */
function bedrockPart(part: JsonRecord, budget: Budget): MessagePart | undefined {
  const reasoning = member(part, 'reasoningContent');
  if (isRecord(reasoning)) {
    const text = member(reasoning, 'reasoningText');
    return { type: 'reasoning', text: budget.text(isRecord(text) ? memberText(text, 'text') : asText(text)) };
  }
  for (const modality of ['image', 'video', 'document', 'audio']) {
    const media = member(part, modality);
    const source = isRecord(media) ? member(media, 'source') : undefined;
    if (!isRecord(media) || !isRecord(source)) continue;
    const format = memberText(media, 'format');
    const kind = modality === 'document' ? 'application' : modality;
    const mimeType = format === '' ? '' : `${kind}/${format}`;
    const place = member(source, 's3Location');
    const uri = isRecord(place) ? memberText(place, 'uri') : dataUri(memberText(source, 'bytes'), mimeType);
    return {
      type: 'media',
      modality: modality === 'document' ? 'file' : modality,
      mimeType,
      uri: budget.text(uri),
    };
  }
  return undefined;
}

/** How base64 of well-known files begins. */
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['JVBERi', 'application/pdf'],
];
const typeOfData = (data: string): string => BEGINNINGS.find(([begin]) => data.startsWith(begin))?.[1] ?? '';

/** The type that a data URI says; '' of anything else. */
const typeOfUri = (uri: string): string =>
  /^data:([\w.+-]+\/[\w.+-]+)[;,]/.exec(uri.slice(0, 200))?.[1] ?? '';

/** What was cut is shown as far as it goes. */
const dataUri = (data: string, mimeType: string): string =>
  (data === '' || data.startsWith('data:')
    ? data
    : `data:${mimeType || typeOfData(data) || 'application/octet-stream'};base64,${data}`
  ).replace(CUT_MARK, '');

/** An address, or the thing itself where an address was to be. */
const addressUri = (address: string, mimeType: string): string =>
  address.startsWith('data:') || typeOfData(address) !== '' ? dataUri(address, mimeType) : address;

/** What a model spoke: its words, and the sound. */
export function audioParts(audio: unknown, budget: Budget): MessagePart[] {
  if (!isRecord(audio)) return [];
  const format = memberText(audio, 'format');
  const mimeType = format === '' ? 'audio/wav' : `audio/${format}`;
  const words = memberText(audio, 'transcript');
  const uri = dataUri(memberText(audio, 'data'), mimeType) || memberText(audio, 'id');
  return [
    ...(words === '' ? [] : [textPart(budget, words)]),
    ...(uri === '' ? [] : [{ type: 'media' as const, modality: 'audio', mimeType, uri: budget.text(uri) }]),
  ];
}

/** Pictures beside a text, as Ollama takes them: base64 alone. */
export function imageParts(images: unknown, budget: Budget): MessagePart[] {
  if (!Array.isArray(images)) return [];
  return (images as readonly unknown[]).flatMap((image) =>
    typeof image === 'string' && budget.takePart() ? [mediaPart('image', { image }, budget)] : [],
  );
}

function uiToolParts(part: JsonRecord, name: string, budget: Budget): MessagePart[] {
  const call = toolCallPart({ ...part, toolName: name }, budget);
  const isDone = ['output', 'errorText'].some((key) => member(part, key) !== undefined);
  return isDone ? [call, toolResultPart({ ...part, toolName: name }, budget)] : [call];
}

function reasoningPart(part: JsonRecord, budget: Budget): MessagePart {
  const summary = member(part, 'summary');
  const listed = [summary, member(part, 'thinking'), member(part, 'content')]
    .filter(Array.isArray)
    .flat()
    .map((item: unknown) => (isRecord(item) ? memberText(item, 'text') : asText(item)))
    .filter((text) => text !== '');
  const text = memberText(part, 'thinking', 'content', 'text', 'reasoning') || listed.join('\n');
  return { type: 'reasoning', text: budget.text(text) };
}

/** A call of a tool: OpenAI, Responses, Anthropic, Gemini, Bedrock, LangChain, AI SDK, OpenTelemetry. */
export function toolCallPart(part: JsonRecord, budget: Budget): MessagePart {
  const nested = member(part, 'function') ?? member(part, 'custom');
  const call = isRecord(nested) ? nested : part;
  const hosted = member(part, 'server_tool_call');
  const raw =
    member(call, 'arguments') ??
    member(call, 'args') ??
    member(call, 'input') ??
    member(call, 'parameters') ??
    member(call, 'tool_kwargs') ??
    member(part, 'input') ??
    (isRecord(hosted) ? withoutType(hosted) : hosted);
  return {
    type: 'tool_call',
    id: memberText(part, 'call_id', 'id', 'toolCallId', 'tool_call_id', 'toolUseId').slice(0, 512),
    name: (
      memberText(call, 'name', 'toolName', 'tool_name') ||
      (isRecord(hosted) ? memberText(hosted, 'type') : '')
    ).slice(0, 512),
    arguments: budget.text(asText(raw)),
  };
}

/** A tool that the provider ran says in its arguments and results what it is. */
function withoutType(hosted: JsonRecord): JsonRecord {
  const { type: _type, ...rest } = hosted;
  return rest;
}

export function toolResultPart(part: JsonRecord, budget: Budget): MessagePart {
  const hosted = member(part, 'server_tool_call_response');
  const given =
    member(part, 'result') ??
    member(part, 'response') ??
    member(part, 'output') ??
    member(part, 'content') ??
    member(part, 'tool_call_response') ??
    (isRecord(hosted) ? withoutType(hosted) : hosted) ??
    member(part, 'error') ??
    member(part, 'errorText');
  // Gemini has pictures beside of the response.
  const beside = member(part, 'parts');
  const raw =
    Array.isArray(beside) && beside.length > 0
      ? [{ text: asText(given) }, ...(beside as readonly unknown[])]
      : given;
  return {
    type: 'tool_result',
    id: memberText(part, 'tool_use_id', 'call_id', 'tool_call_id', 'toolCallId', 'toolUseId', 'id').slice(
      0,
      512,
    ),
    name: memberText(part, 'name', 'toolName', 'tool_name').slice(0, 512),
    result: budget.text(resultText(openedResult(raw))),
    ...(hasFailed(part, raw) ? { failed: true } : {}),
  };
}

/** Whether the tool says so: Anthropic, MCP, Bedrock and LangChain, the AI SDK in its own three ways. */
const hasFailed = (part: JsonRecord, raw: unknown): boolean =>
  member(part, 'is_error') === true ||
  member(part, 'isError') === true ||
  member(part, 'status') === 'error' ||
  member(part, 'type') === 'tool-error' ||
  member(part, 'errorText') !== undefined ||
  (isRecord(raw) && (member(raw, 'isError') === true || isTyped(raw, ['error-text', 'error-json'])));

/** The AI SDK's `{type, value}`. */
const isTyped = (raw: JsonRecord, types: readonly string[]): boolean =>
  'value' in raw && types.includes(memberText(raw, 'type'));

/** Text of a tool's result: text parts are joined, AI SDK's `{type, value}` is opened, anything else is JSON. */
export function resultText(raw: unknown, depth = 0): string {
  if (depth <= MAX_NESTING && isRecord(raw) && isTyped(raw, ['content']))
    return resultText(member(raw, 'value'), depth + 1);
  if (Array.isArray(raw)) {
    const texts = (raw as readonly unknown[]).map((item) =>
      isRecord(item) && typeof member(item, 'text') === 'string' ? memberText(item, 'text') : undefined,
    );
    if (texts.length > 0 && texts.every((text) => text !== undefined)) return texts.join('\n');
  }
  if (isRecord(raw) && isTyped(raw, ['text', 'json', 'error-text', 'error-json']))
    return asText(member(raw, 'value'));
  return asText(raw);
}

const MODALITIES: readonly (readonly [RegExp, string])[] = [
  [/image|screenshot/, 'image'],
  [/audio/, 'audio'],
  [/video/, 'video'],
];

function mediaPart(type: string, part: JsonRecord, budget: Budget): MessagePart {
  const inner = ['image_url', 'input_audio', 'image', 'file', 'source', 'audio', 'document']
    .map((key) => member(part, key))
    .find(isRecord);
  const holder = inner ?? part;
  const deeper = member(holder, 'image');
  const source = isRecord(deeper) ? deeper : holder;
  const mimeType =
    memberText(source, 'mime_type', 'mimeType', 'media_type', 'mediaType', 'image_mimetype') ||
    memberText(part, 'mime_type', 'mimeType', 'mediaType');
  const named = memberText(part, 'modality');
  const hint = `${named} ${type} ${mimeType}`;
  const url =
    memberText(source, 'url', 'uri', 'file_uri', 'fileUri', 'file_id', 'fileId') ||
    memberText(part, 'image_url', 'document_url', 'url', 'uri', 'file_url', 'file_id', 'image', 'file');
  const data =
    url === ''
      ? memberText(source, 'data', 'content', 'file_data', 'base64', 'base64_image') ||
        memberText(part, 'data', 'content')
      : '';
  const ownType = mimeType || typeOfUri(url || data);
  const modality =
    named || (MODALITIES.find(([pattern]) => pattern.test(`${hint} ${ownType}`))?.[1] ?? 'file');
  const format = memberText(source, 'format');
  const fullType = ownType || (format === '' ? '' : `${modality}/${format}`);
  return {
    type: 'media',
    modality,
    mimeType: fullType,
    uri: budget.text(url === '' ? dataUri(data, fullType) : addressUri(url, fullType)),
  };
}
