import type { Body } from './body.ts';
import { documentsOf, type Json, jsonOf } from './documents.ts';
import type { Exchange, Headers } from './exchange.ts';

/** A call of a model, or of a tool by MCP, as it was seen on the wire. */
export interface LlmCall {
  readonly operation: string;
  readonly provider: string;
  readonly requestModel: string | undefined;
  readonly responseModel: string | undefined;
  readonly responseId: string | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly cachedTokens: number | undefined;
  readonly finishReasons: readonly string[];
  readonly streamed: boolean;
  /** Of MCP: the method, and the tool of `tools/call`. */
  readonly mcpMethod: string | undefined;
  readonly tool: string | undefined;
  /** Only what the consent covers; undefined without it. */
  readonly input: readonly Message[] | undefined;
  readonly output: string | undefined;
  /** Something of a body was left out or could not be read. */
  readonly partial: boolean;
}
export interface Message {
  readonly role: string;
  readonly parts: readonly { readonly type: 'text'; readonly content: string }[];
}

interface Shape {
  readonly path: RegExp;
  readonly operation: string;
  readonly provider: string;
}
/** By path, not by host: gateways and fakes speak the same. The first group, where there is one, is the model. */
const SHAPES: readonly Shape[] = [
  { path: /\/chat\/completions$/, operation: 'chat', provider: 'openai' },
  { path: /\/v\d+\/completions$/, operation: 'text_completion', provider: 'openai' },
  { path: /\/responses$/, operation: 'chat', provider: 'openai' },
  { path: /\/embeddings$/, operation: 'embeddings', provider: 'openai' },
  { path: /\/v1\/messages$/, operation: 'chat', provider: 'anthropic' },
  {
    path: /\/models\/([^/:]+):(?:stream)?[gG]enerateContent$/,
    operation: 'generate_content',
    provider: 'gcp.gemini',
  },
  { path: /\/models\/([^/:]+):(?:batchE|e)mbedContents?$/, operation: 'embeddings', provider: 'gcp.gemini' },
  {
    path: /\/model\/([^/]+)\/(?:converse|converse-stream|invoke|invoke-with-response-stream)$/,
    operation: 'chat',
    provider: 'aws.bedrock',
  },
  { path: /\/api\/chat$/, operation: 'chat', provider: 'ollama' },
  { path: /\/api\/generate$/, operation: 'text_completion', provider: 'ollama' },
  { path: /\/api\/embed(?:dings)?$/, operation: 'embeddings', provider: 'ollama' },
  { path: /\/v[12]\/chat$/, operation: 'chat', provider: 'cohere' },
  { path: /\/v[12]\/embed$/, operation: 'embeddings', provider: 'cohere' },
];
const MAX_TEXT = 65_536;
const MAX_MESSAGES = 200;

const text = (value: unknown, most = 256): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, most) : undefined;
const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
const list = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as readonly unknown[]) : [];
const at = (json: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((found, key) => jsonOf(found?.[key]), json);

/** Counts of one document, wherever its vendor puts them. */
function usageOf(doc: Json): {
  input?: number | undefined;
  output?: number | undefined;
  cached?: number | undefined;
} {
  const usage =
    at(doc, 'usage') ??
    at(doc, 'message', 'usage') ??
    at(doc, 'response', 'usage') ??
    at(doc, 'delta', 'usage') ??
    at(doc, 'metadata', 'usage') ??
    at(doc, 'meta');
  const gemini = at(doc, 'usageMetadata');
  const metrics = at(doc, 'amazon-bedrock-invocationMetrics');
  const tokens = at(usage, 'tokens') ?? usage;
  const thoughts = number(gemini?.['thoughtsTokenCount']) ?? 0;
  const candidates = number(gemini?.['candidatesTokenCount']);
  const first = (...values: readonly unknown[]) => values.map(number).find((value) => value !== undefined);
  return {
    input: first(
      tokens?.['prompt_tokens'],
      tokens?.['input_tokens'],
      tokens?.['inputTokens'],
      gemini?.['promptTokenCount'],
      doc['prompt_eval_count'],
      metrics?.['inputTokenCount'],
      doc['inputTextTokenCount'],
    ),
    output: first(
      tokens?.['completion_tokens'],
      tokens?.['output_tokens'],
      tokens?.['outputTokens'],
      candidates === undefined ? undefined : candidates + thoughts,
      doc['eval_count'],
      metrics?.['outputTokenCount'],
    ),
    cached: first(
      at(usage, 'prompt_tokens_details')?.['cached_tokens'],
      at(usage, 'input_tokens_details')?.['cached_tokens'],
      usage?.['cache_read_input_tokens'],
      usage?.['cacheReadInputTokens'],
      gemini?.['cachedContentTokenCount'],
    ),
  };
}

function finishesOf(doc: Json): string[] {
  const found = [
    doc['stop_reason'],
    doc['stopReason'],
    doc['done_reason'],
    doc['finish_reason'],
    at(doc, 'delta')?.['stop_reason'],
    at(doc, 'delta')?.['finish_reason'],
    at(doc, 'messageStop')?.['stopReason'],
    at(doc, 'response')?.['status'],
    ...list(doc['choices']).map((one) => jsonOf(one)?.['finish_reason']),
    ...list(doc['candidates']).map((one) => jsonOf(one)?.['finishReason']),
  ];
  return found.flatMap((one) => text(one, 64) ?? []);
}

const partsText = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : list(value)
        .map((part) => (typeof part === 'string' ? part : (text(jsonOf(part)?.['text'], MAX_TEXT) ?? '')))
        .join('');

/** What a document adds to the answer. */
function saidIn(doc: Json): string {
  const choices = list(doc['choices']).map((one) => {
    const choice = jsonOf(one);
    return partsText(
      at(choice, 'delta')?.['content'] ?? at(choice, 'message')?.['content'] ?? choice?.['text'],
    );
  });
  const candidates = list(doc['candidates']).map((one) => partsText(at(jsonOf(one), 'content')?.['parts']));
  const output = list(doc['output']).map((one) => partsText(jsonOf(one)?.['content']));
  const { delta } = doc as { delta?: unknown };
  const said = typeof delta === 'string' ? delta : (text(jsonOf(delta)?.['text'], MAX_TEXT) ?? '');
  const cohere = text(at(jsonOf(delta), 'message', 'content')?.['text'], MAX_TEXT) ?? '';
  // The message of an event that begins a stream is empty; of Ollama and Cohere it is the answer.
  const message = partsText(at(doc, 'message')?.['content'] ?? at(doc, 'output', 'message')?.['content']);
  const own = doc['type'] === 'message' ? partsText(doc['content']) : '';
  const whole = typeof doc['response'] === 'string' ? doc['response'] : '';
  return [...choices, ...candidates, ...output, said, cohere, message, own, whole].join('');
}

function askedIn(request: Json | undefined): Message[] {
  const message = (role: string, content: string): Message => ({
    role,
    parts: [{ type: 'text', content: content.slice(0, MAX_TEXT) }],
  });
  const found: Message[] = [];
  const system = partsText(request?.['system'] ?? request?.['instructions']);
  if (system !== '') found.push(message('system', system));
  for (const one of [
    ...list(request?.['messages']),
    ...list(request?.['contents']),
    ...list(request?.['input']),
  ]) {
    const json = jsonOf(one);
    const role = text(json?.['role'], 32) ?? 'user';
    const content = typeof one === 'string' ? one : partsText(json?.['content'] ?? json?.['parts']);
    if (found.length < MAX_MESSAGES && content !== '') found.push(message(role, content));
  }
  for (const key of ['prompt', 'input', 'message']) {
    const { [key]: value } = request ?? {};
    if (typeof value === 'string' && value !== '') found.push(message('user', value));
  }
  return found;
}

interface Read {
  readonly documents: readonly Json[];
  readonly partial: boolean;
  /** Text of a body of which something is missing. */
  readonly rest: string;
}
function read(body: Body, headers: Headers): Read {
  const bytes = body.unpacked(headers.get('content-encoding'));
  if (bytes === undefined) return { documents: [], partial: body.bytes > 0, rest: '' };
  const documents = documentsOf(bytes, headers.get('content-type') ?? '');
  const partial = !body.whole || (documents.length === 0 && bytes.length > 0);
  return { documents, partial, rest: partial ? bytes.toString('latin1') : '' };
}

/** What a request is about by its body alone, where the path is not known. */
function shapeOfBody(asked: Json | undefined, answers: readonly Json[]): Omit<Shape, 'path'> | undefined {
  if (asked === undefined) return undefined;
  const anthropic = answers.some(({ type }) => type === 'message' || type === 'message_start');
  const embedding = answers.some(({ object, embeddings }) => object === 'list' || embeddings !== undefined);
  if (Array.isArray(asked['contents'])) return { operation: 'generate_content', provider: 'gcp.gemini' };
  if (typeof asked['model'] !== 'string') return undefined;
  if (asked['messages'] !== undefined)
    return { operation: 'chat', provider: anthropic ? 'anthropic' : 'openai' };
  if (asked['input'] !== undefined)
    return { operation: embedding ? 'embeddings' : 'chat', provider: 'openai' };
  if (asked['prompt'] !== undefined) return { operation: 'text_completion', provider: 'openai' };
  if (anthropic) return { operation: 'chat', provider: 'anthropic' };
  return answers.some(({ choices }) => Array.isArray(choices))
    ? { operation: 'chat', provider: 'openai' }
    : undefined;
}

/** The counts that stand last in the text of a body that cannot be read whole. */
function usageIn(rest: string): Json | undefined {
  for (const key of ['usage', 'usageMetadata']) {
    const from = rest.lastIndexOf(`"${key}"`);
    const text =
      from === -1
        ? undefined
        : /^"\w+"\s*:\s*(\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})/.exec(rest.slice(from, from + 4_096));
    if (text?.[1] === undefined) continue;
    try {
      return { [key]: JSON.parse(text[1]) as unknown };
    } catch {
      // Cut within: there is none.
    }
  }
  return undefined;
}

/** The model that stands in the text of a body that cannot be read whole. */
const modelIn = (rest: string): string | undefined => /"model"\s*:\s*"([^"\\]{1,256})"/.exec(rest)?.[1];

/** What an exchange was about; undefined where it is no call of a model. `content`: what is said was consented to. */
export function callOf(exchange: Exchange, content: boolean): LlmCall | undefined {
  if (exchange.method !== 'POST') return undefined;
  const known = SHAPES.find(({ path }) => path.test(exchange.path));
  const late = exchange.path === '';
  const request = read(exchange.request.body, exchange.request.headers);
  const [asked] = request.documents;
  const mcp = known === undefined && asked?.['jsonrpc'] === '2.0' ? text(asked['method'], 128) : undefined;
  if (known === undefined && mcp === undefined && !late) return undefined;
  const answer = read(exchange.response, exchange.responseHeaders);
  const shape = known ?? (late && mcp === undefined ? shapeOfBody(asked, answer.documents) : undefined);
  if (shape === undefined && mcp === undefined) return undefined;

  let input: number | undefined;
  let output: number | undefined;
  let cached: number | undefined;
  let responseModel: string | undefined;
  let responseId: string | undefined;
  const finishes = new Set<string>();
  let said = '';
  const most = (a: number | undefined, b: number | undefined) => (a === undefined ? b : Math.max(a, b ?? 0));
  const rest = usageIn(answer.rest);
  for (const doc of rest === undefined ? answer.documents : [...answer.documents, rest]) {
    const usage = usageOf(doc);
    // Counts of a stream are those until there: the largest is the whole.
    input = most(input, usage.input);
    output = most(output, usage.output);
    cached = most(cached, usage.cached);
    const from = at(doc, 'message') ?? at(doc, 'response');
    responseModel ??= text(doc['model']) ?? text(doc['modelVersion']) ?? text(from?.['model']);
    responseId ??= text(doc['id']) ?? text(doc['responseId']) ?? text(from?.['id']);
    for (const finish of finishesOf(doc))
      if (finish !== 'in_progress' && finish !== 'queued') finishes.add(finish);
    if (content && said.length < MAX_TEXT) said += saidIn(doc);
  }
  const encoded = known?.path.exec(exchange.path)?.[1];
  const streamed = asked?.['stream'] === true || /stream/i.test(exchange.path) || answer.documents.length > 1;
  const requestModel = text(asked?.['model']) ?? decoded(encoded) ?? modelIn(request.rest);
  return {
    operation: shape?.operation ?? (mcp === 'tools/call' ? 'execute_tool' : (mcp ?? 'chat')),
    provider: shape?.provider ?? 'mcp',
    requestModel: mcp === undefined ? requestModel : undefined,
    responseModel: mcp === undefined ? responseModel : undefined,
    responseId: mcp === undefined ? responseId : undefined,
    inputTokens: input,
    outputTokens: output,
    cachedTokens: cached,
    finishReasons: mcp === undefined ? [...finishes].slice(0, 16) : [],
    streamed,
    mcpMethod: mcp,
    tool: mcp === 'tools/call' ? text(at(asked, 'params')?.['name']) : undefined,
    input: content ? askedIn(asked) : undefined,
    output: content ? said.slice(0, MAX_TEXT) : undefined,
    partial: request.partial || answer.partial || exchange.broken,
  };
}

function decoded(segment: string | undefined): string | undefined {
  if (segment === undefined) return undefined;
  try {
    return decodeURIComponent(segment).slice(0, 256);
  } catch {
    return segment.slice(0, 256);
  }
}
