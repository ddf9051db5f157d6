/**
 * The texts of one speaker in the messages of a span, as an expression of the engine. It is approximate where a framework
 * wraps messages in objects of its own; `readConversation` has the last word wherever a message is shown.
 * It is evaluated for rows that hold the words sought: the words of the span's whole text come first in a condition.
 */
export const SPEAKERS = ['user', 'assistant', 'system', 'tool'] as const;
export type SpokenRole = (typeof SPEAKERS)[number];

const quoted = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(', ');

/** How senders spell the roles, in lower case and without an enum's class (`MessageRole.USER`). */
const SPELLINGS: Readonly<Record<SpokenRole, readonly string[]>> = {
  user: ['user', 'human', 'humanmessage', 'humanmessagechunk', 'usermessage', 'chatmessage'],
  assistant: [
    'assistant',
    'model',
    'ai',
    'bot',
    'chatbot',
    'aimessage',
    'aimessagechunk',
    'assistantmessage',
    'tool-call',
    'thinking',
  ],
  system: ['system', 'developer', 'systemmessage', 'systemmessagechunk'],
  tool: [
    'tool',
    'function',
    'toolmessage',
    'toolmessagechunk',
    'functionmessage',
    'tool-response',
    'functionexecutionresultmessage',
  ],
};
const ANY = Object.values(SPELLINGS).flat();

const SYSTEM_KEYS = '^gen_ai[.]system_instructions';
const RESULT_KEYS =
  '^(gen_ai[.]tool[.]call[.](result|output)|ai[.]toolCall[.](result|output)|gcp[.]vertex[.]agent[.]tool_response|mcp[.]response[.]content|tool_response)$';
/** Definitions and arguments of tools, documents, numbers: nobody said them. */
const SILENT_KEYS =
  '(^gen_ai[.]tool[.]|^ai[.]toolCall[.]|^ai[.]prompt[.]tools|toolCalls|tool_calls|function_call|^llm[.](tools|request|invocation_parameters|prompt_template)|^tool[.]|^tool_input|^mcp[.]|^db[.]|[.]role$|retriev|reranker|embedding|schema|chat[.]tools|tool_call_args|finish_reason)';
/** Content keys of what the model answered; every other key is of what it was asked. */
const ANSWER_KEYS = '(?i)(output|completion|response|generated|[.]answer|^ai[.]result)';
/** The part of a numbered family that names one message. */
const NUMBERED =
  '^((?:gen_ai[.](?:prompt|completion|input[.]messages|output[.]messages)|llm[.](?:input_messages|output_messages|prompts|completions))[.][0-9]+(?:[.]message)?)[.].*content';

const RESULT_PART =
  '"type"\\\\s*:\\\\s*"(?:tool_result|tool-result|tool-error|tool_call_response|server_tool_result|function_call_output|function_result|custom_tool_call_output)"|^\\\\s*[{]\\\\s*"(?:functionResponse|function_response|toolResult|toolResponse)"';
const CALL_PART =
  '"type"\\\\s*:\\\\s*"(?:tool_use|server_tool_use|tool_call|tool-call|function_call|function|custom_tool_call)"|^\\\\s*[{]\\\\s*"(?:functionCall|function_call|toolUse|toolRequest)"';

/** JSON without names of members, and without what types, roles and ids say: words in it are words that were said. */
const saidIn = (json: string): string =>
  `replaceRegexpAll(replaceRegexpAll(${json}, '"(?:type|role|id|tool_call_id|toolCallId|tool_use_id|call_id|toolName|mime_type|mimeType|media_type|finish_reason|stop_reason|status|object)"\\\\s*:\\\\s*"[^"]*"', ' '), '"[A-Za-z0-9_$.-]{1,64}"\\\\s*:', ' ')`;

const first = (texts: readonly string[]): string =>
  `arrayFirst(j -> j NOT IN ('', 'null', '[]', '{}', '""'), [${texts.join(', ')}])`;
const raw = (json: string, ...path: readonly (string | number)[]): string =>
  `JSONExtractRaw(${[json, ...path.map((step) => (typeof step === 'number' ? String(step) : `'${step}'`))].join(', ')})`;

/** An expression with a name for another one, which is evaluated once. */
const bound = (name: string, value: string, body: string): string =>
  `arrayMap(${name} -> ${body}, [${value}])[1]`;

/** The first of some members of an object that is there. */
const firstMember = (json: string, keys: readonly string[], ...more: readonly string[]): string =>
  `arrayFirst(j -> j NOT IN ('', 'null', '[]', '{}', '""'), ${more.length === 0 ? membersOf(json, keys) : `arrayConcat(${membersOf(json, keys)}, [${more.join(', ')}])`})`;
const membersOf = (json: string, keys: readonly string[]): string =>
  `arrayMap(key -> JSONExtractRaw(${json}, key), [${quoted(keys)}])`;

/** Where the messages of a request or an answer stand, the most telling first; those of `WRAPPERS` have them a level below. */
const OWN_LISTS = ['messages', 'contents', 'new_message'];
const WRAPPERS = ['input', 'inputs', 'request', 'update', 'kwargs', 'outputs', 'output', 'result', 'state'];
const LISTS = [
  'choices',
  'candidates',
  'generations',
  'prompt',
  'input',
  'output',
  'inputs',
  'outputs',
  'replies',
  'completion',
];

/** A list as its members, a list of lists as those of its first; anything else as itself. */
const members = (json: string): string =>
  bound(
    'j',
    json,
    `if(startsWith(j, '['), if(startsWith(${raw('j', 1)}, '['), JSONExtractArrayRaw(${raw('j', 1)}), JSONExtractArrayRaw(j)), if(j IN ('', 'null'), [], [j]))`,
  );
/** The messages of a value in JSON: what is wrapped is taken out. Genkit's answers have their request beside the one message. */
const messagesOf = (value: string): string =>
  members(
    `if(startsWith(${value}, '{') AND NOT JSONHas(${value}, 'role') AND NOT JSONHas(${value}, 'content') AND NOT JSONHas(${value}, 'message', 'role'), arrayFirst(j -> j NOT IN ('', 'null', '[]', '{}', '""'), arrayConcat(${membersOf(value, OWN_LISTS)}, arrayMap(key -> JSONExtractRaw(${value}, key, 'messages'), [${quoted(WRAPPERS)}]), [${raw(value, 'args', 1, 'messages')}], ${membersOf(value, LISTS)}, [${value}])), ${value})`,
  );
/** A message without the object that a choice, a generation or a serialised class wraps it in. */
const unwrapped = (m: string): string =>
  first([
    raw(m, 'message', 'kwargs'),
    `if(startsWith(${raw(m, 'message')}, '{'), ${raw(m, 'message')}, '')`,
    raw(m, 'kwargs'),
    `if(startsWith(${raw(m, 'data')}, '{'), ${raw(m, 'data')}, '')`,
    m,
  ]);
const lowered = (text: string): string => `replaceRegexpOne(lower(${text}), '^.*role[.]', '')`;
/** Who speaks, in lower case: by the message, by its wrapper, by LangChain's class. Empty where nothing says so. */
const roleOf = (m: string): string =>
  `arrayFirst(r -> r IN (${quoted(ANY)}), arrayMap(r -> ${lowered('r')}, [${[
    `JSONExtractString(${m}, 'role')`,
    `JSONExtractString(${m}, 'role', 'label')`,
    `JSONExtractString(${m}, '_role')`,
    `JSONExtractString(${m}, 'message', 'role')`,
    `JSONExtractString(${m}, 'content', 'role')`,
    `JSONExtractString(${m}, 'kwargs', 'type')`,
    `JSONExtractString(${m}, 'message', 'kwargs', 'type')`,
    `JSONExtractString(${m}, 'type')`,
    `JSONExtractString(${m}, 'id', -1)`,
  ].join(', ')}]))`;
/** What a message says, part by part. */
const partsOf = (m: string): string =>
  bound(
    'u',
    unwrapped(m),
    members(firstMember('u', ['parts', 'content', 'contents', 'blocks', '_content', 'items', 'output'], 'u')),
  );

const isResult = (p: string): string => `match(substring(${p}, 1, 400), '${RESULT_PART}')`;
const isCall = (p: string): string => `match(substring(${p}, 1, 400), '${CALL_PART}')`;

/** Where a part has what a tool gave back: its own names of members are words of it. */
const RESULTS = ['response', 'content', 'result', 'output', 'outputs'];
const NESTED_RESULTS = [
  raw('p', 'functionResponse', 'response'),
  raw('p', 'function_response', 'response'),
  raw('p', 'toolResult', 'content'),
  raw('p', 'toolResponse', 'output'),
  'p',
];

/** Members of a request that hold its system prompt. */
const SYSTEMS = ['system', 'systemInstruction', 'system_instruction', 'instructions', 'preamble'];

/** The texts of messages in JSON that are those of a role; `fallback` is the role of a message that names none. */
function jsonTexts(role: SpokenRole, value: string, fallback: string): string {
  const speaks = (m: string) =>
    bound('r', roleOf(m), `if(r = '', ${fallback}, r) IN (${quoted(SPELLINGS[role])})`);
  // Results of tools stand in messages of the user, too.
  const wanted =
    role === 'tool'
      ? (m: string) => `arrayFilter(p -> ${isResult('p')} OR ${speaks(m)}, ${partsOf(m)})`
      : (m: string) =>
          `if(${speaks(m)}, arrayFilter(p -> NOT ${isResult('p')} AND NOT ${isCall('p')}, ${partsOf(m)}), [])`;
  const said = role === 'tool' ? firstMember('p', RESULTS, ...NESTED_RESULTS) : saidIn('p');
  const listed = `arrayMap(p -> ${said}, arrayFlatten(arrayMap(m -> ${wanted('m')}, ${messagesOf(value)})))`;
  if (role !== 'system') return listed;
  const config = raw(value, 'config');
  return `arrayConcat(${listed}, if(startsWith(${value}, '{'), arrayMap(p -> ${saidIn('p')}, arrayConcat(${membersOf(value, SYSTEMS)}, ${membersOf(config, SYSTEMS)})), []))`;
}

/** The texts of a role in one value: messages in JSON, or the text of `speaker`, an expression of who speaks where nothing says so. */
export const textsOfValue = (role: SpokenRole, speaker: string, value: string): string =>
  bound(
    's',
    speaker,
    bound(
      'v',
      value,
      `if(startsWith(v, '[') OR startsWith(v, '{'), ${jsonTexts(role, 'v', 's')}, if(s IN (${quoted(SPELLINGS[role])}), [v], []))`,
    ),
  );

/** The first of some texts that says anything; an expression. */
export const firstText = first;

/**
 * Every text that a role said, as `Array(String)`; texts out of JSON are as JSON writes them.
 * @param content the map of attributes with content: a column or an expression
 */
export function roleTexts(role: SpokenRole, content = 'ContentAttributes'): string {
  const named = lowered(`arrayElement(${content}, concat(extract(k, '${NUMBERED}'), '.role'))`);
  const side = `if(match(k, '${ANSWER_KEYS}'), 'assistant', 'user')`;
  const only = (yes: boolean, texts: string) => (yes ? texts : '[]');
  // Who speaks where nothing within the value says so, and the value as one message of it.
  const speaker = `if(match(k, '${NUMBERED}') AND ${named} != '', ${named}, ${side})`;
  const value = `if(match(k, '${NUMBERED}') AND startsWith(v, '['), concat('[{"content":', v, '}]'), v)`;
  const opened = textsOfValue(role, speaker, value);
  const branches = [
    // A tool that ran gives back what it answers; what it was given nobody said.
    `GenAiOperation = 'execute_tool', ${only(role === 'tool', `if(match(k, '${RESULT_KEYS}') OR match(k, '${ANSWER_KEYS}'), [v], [])`)}`,
    `match(k, '${RESULT_KEYS}'), ${only(role === 'tool', '[v]')}`,
    `match(k, '${SYSTEM_KEYS}'), ${only(role === 'system', `[${saidIn('v')}]`)}`,
    `match(k, '${SILENT_KEYS}') AND NOT match(k, '${NUMBERED}'), []`,
  ];
  return `arrayFlatten(arrayMap((k, v) -> multiIf(${branches.join(', ')}, ${opened}), mapKeys(${content}), mapValues(${content})))`;
}
