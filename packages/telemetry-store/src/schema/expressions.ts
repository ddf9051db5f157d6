import { apart } from './words-apart.ts';

/**
 * Expressions the skip indexes are built on. A condition uses an index only when it repeats the expression word for
 * word, so queries take them from here; the conformance suite asks the engine whether each is used.
 */

const pairs = (map: string): string =>
  `arrayMap((k, v) -> concat(k, '=', v), mapKeys(${map}), mapValues(${map}))`;

/** `key=value` of every span attribute: `has(SPAN_ATTRIBUTE_PAIRS, 'http.route=/chat')`. Content is not in it. */
export const SPAN_ATTRIBUTE_PAIRS: string = pairs('SpanAttributes');

/** `key=value` of every log attribute. */
export const LOG_ATTRIBUTE_PAIRS: string = pairs('LogAttributes');

/**
 * Keys with their values as an index of whole items holds them: `('http.route','/chat')`, of resources `('host.name','a','r')`. The
 * engine's own writing of a tuple, so that no key or value can look like another; without a lambda, which the engine cannot work out for a
 * part that lacks the index.
 */
const items = (map: string, more = ''): string =>
  `CAST(arrayZip(mapKeys(${map}), mapValues(${map})${more}), 'Array(String)')`;
const itemsOf = (map: string): string =>
  `arrayConcat(${items(map)}, ${items('ResourceAttributes', ", arrayWithConstant(length(mapKeys(ResourceAttributes)), 'r')")})`;

/** What `has` finds an item of in {@link SPAN_ITEMS} and {@link LOG_ITEMS}; both are bound texts. */
export const itemSql = (key: string, value: string, isResource: boolean): string =>
  `toString((${key}, ${value}${isResource ? ", 'r'" : ''}))`;

export const SPAN_ITEMS: string = itemsOf('SpanAttributes');
export const LOG_ITEMS: string = itemsOf('LogAttributes');

/**
 * All text of a span that a person may search: name, status message, messages; in lower case. For one word of
 * `[a-z0-9]`: `hasToken(SPAN_TEXT, 'refund')`.
 */
export const SPAN_TEXT =
  "lower(concat(SpanName, ' ', StatusMessage, ' ', arrayStringConcat(mapValues(ContentAttributes), ' ')))";

/** A log's body in lower case, for `hasToken`. */
export const LOG_TEXT = 'lower(Body)';

/** The same for the text index, which tells words alone: see {@link apart}. */
export const SPAN_WORDS: string = apart(SPAN_TEXT);
export const LOG_WORDS: string = apart(LOG_TEXT);

/** First letters by which a severity's text is known where its number is missing, and the position they stand for. */
const SEVERITY_WORDS: readonly [position: number, words: readonly string[]][] = [
  [1, ['trace', 'verbose', 'finest', 'finer', 'silly']],
  [2, ['debug', 'dbg', 'fine', 'config']],
  [3, ['info', 'notice', 'log', 'http', 'success']],
  [4, ['warn', 'wrn']],
  [5, ['err', 'severe', 'fail']],
  [6, ['fatal', 'crit', 'alert', 'emerg', 'panic', 'dpanic']],
];

const textSeverity = SEVERITY_WORDS.map(
  ([position, words]) => `match(lower(SeverityText), '^(?:${words.join('|')})'), ${position}`,
).join(', ');

/**
 * Severity of a log record as its position in the contract's `SEVERITIES`: 0 unset, 1 trace, ... 6 fatal. By its
 * number (1 to 24 in groups of four); by its text where it has none. OpenTelemetry's `ERROR3` is an error.
 */
export const LOG_SEVERITY = `if(SeverityNumber > 0, toUInt8(intDiv(SeverityNumber + 3, 4)), toUInt8(multiIf(${textSeverity}, 0)))`;

const CONTENT = 'ContentAttributes';
/** Attributes that hold a conversation as one JSON: a list of messages, or an object with one. */
const CONVERSATIONS = [
  'gen_ai.input.messages',
  'ai.prompt.messages',
  'ai.prompt',
  'input.value',
  'langfuse.observation.input',
  'langsmith.inputs',
  'gen_ai.prompt',
  'gen_ai.content.prompt',
];
const isSystem = (role: string): string => `${role} IN ('system', 'developer')`;
const CONVERSATION = `arrayFirst(text -> text != '', [${CONVERSATIONS.map((key) => `${CONTENT}['${key}']`).join(', ')}])`;
const ifSystem = (message: string): string =>
  `if(${isSystem(`JSONExtractString(${message}, 'role')`)}, ${message}, '')`;
/** The system message at the head of a conversation in JSON, or the member of an object that holds it. */
const JSON_SYSTEM = `if(startsWith(${CONVERSATION}, '['), ${ifSystem(`JSONExtractRaw(${CONVERSATION}, 1)`)},
  concat(JSONExtractRaw(${CONVERSATION}, 'system'), ${ifSystem(`JSONExtractRaw(${CONVERSATION}, 'messages', 1)`)}))`;
const SYSTEM_PROMPT = `multiIf(
  ${CONTENT}['gen_ai.system_instructions'] != '', ${CONTENT}['gen_ai.system_instructions'],
  ${isSystem(`${CONTENT}['gen_ai.prompt.0.role']`)}, ${CONTENT}['gen_ai.prompt.0.content'],
  ${isSystem(`${CONTENT}['llm.input_messages.0.message.role']`)}, ${CONTENT}['llm.input_messages.0.message.content'],
  ${JSON_SYSTEM})`;
const TOOL_KEYS = ['gen_ai.tool.definitions', 'ai.prompt.tools', 'llm.invocation_parameters.tools'];
const TOOL_FAMILIES = ['llm.request.functions.', 'llm.tools.', 'gen_ai.tool.definitions.'];

/** Attributes that set how a model is called; part of an agent's version, shown with it. */
export const SETTING_KEYS: readonly string[] = [
  'gen_ai.request.temperature',
  'gen_ai.request.top_p',
  'gen_ai.request.top_k',
  'gen_ai.request.max_tokens',
  'gen_ai.request.seed',
  'gen_ai.request.frequency_penalty',
  'gen_ai.request.presence_penalty',
  'gen_ai.request.stop_sequences',
  'gen_ai.request.choice.count',
  'gen_ai.request.reasoning.level',
  'gen_ai.output.type',
  'gen_ai.openai.request.response_format',
  'llm.invocation_parameters',
  'llm.temperature',
  'llm.top_p',
  'ai.settings.temperature',
  'ai.settings.maxOutputTokens',
  'ai.settings.maxTokens',
  'ai.settings.topP',
  'langfuse.observation.model.parameters',
];

const list = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ');
/** The attributes of a map whose key fits, in the order of their keys. Far cheaper than asking for key after key. */
const chosen = (map: string, fits: string): string =>
  `arraySort(arrayFilter(pair -> pair != '', arrayMap((k, v) -> if(${fits}, concat(k, '=', v), ''), mapKeys(${map}), mapValues(${map}))))`;

/**
 * The fingerprint of what makes an agent's model call: system prompt, declared tools, model asked for and settings, as
 * they were sent. 16 hex digits; empty for spans that are no conversation of a named agent. Rows of the rollup of
 * agents keep it: a changed expression makes other versions.
 */
export const AGENT_VERSION = `if(AgentName = '' OR GenAiOperation NOT IN ('chat', 'text_completion', 'realtime'), '',
  lower(leftPad(hex(cityHash64(${SYSTEM_PROMPT},
    ${chosen(CONTENT, `k IN (${list(TOOL_KEYS)}) OR ${TOOL_FAMILIES.map((family) => `startsWith(k, '${family}')`).join(' OR ')}`)},
    ${chosen('SpanAttributes', `k IN (${list(SETTING_KEYS)})`)},
    if(GenAiRequestModel != '', GenAiRequestModel, GenAiResponseModel))), 16, '0')))`;
