/** Payloads as libraries send them, and what a reader sees of them. */
import { describe, expect, it } from 'vitest';
import { readConversation } from '../normalise.ts';
import type { AttributeValue, Message, MessagePart } from '../types.ts';
import { Budget } from './builder.ts';
import { readMessages } from './messages.ts';

/** A picture of one pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk';

const shortly = (part: MessagePart): string => {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'reasoning':
      return `(${part.text})`;
    case 'tool_call':
      return `${part.name}#${part.id}${part.arguments}`;
    case 'tool_result':
      return `${part.name}#${part.id}=${part.result}${part.failed ? '!' : ''}`;
    case 'media':
      return `<${part.modality} ${part.uri.replace(PNG, 'PNG')}>`;
    case 'citation':
      return `[${part.title} ${part.uri}]`;
    case 'json':
      return `JSON ${part.json}`;
    case 'refusal':
      return `no: ${part.text}`;
  }
};
const linesOf = (messages: readonly Message[]) =>
  messages.map(({ role, parts }) => `${role}: ${parts.map(shortly).join(' | ')}`);
const read = (value: unknown, role = 'user') => linesOf(readMessages(value, role, new Budget()));
const user = (...content: unknown[]) => read([{ role: 'user', content }]);

function conversationOf(
  attributes: Readonly<Record<string, AttributeValue>>,
  events: readonly { name: string; attributes: Readonly<Record<string, string>> }[] = [],
) {
  const { input, output, toolExecution, tools } = readConversation({
    name: 'span',
    scopeName: '',
    statusCode: 0,
    statusMessage: '',
    startTimeUnixNano: 0n,
    endTimeUnixNano: 0n,
    resource: new Map(),
    attributes: new Map(Object.entries(attributes)),
    events: events.map((event) => ({
      name: event.name,
      timeUnixNano: 0n,
      attributes: new Map(Object.entries(event.attributes)),
    })),
  });
  return { input: linesOf(input), output: linesOf(output), toolExecution, tools };
}

describe('providers', () => {
  it('OpenAI: custom tools, the result of a function', () => {
    const custom = { id: 'c1', type: 'custom', custom: { name: 'run', input: 'print(1)' } };
    expect(
      read([
        { role: 'assistant', content: null, tool_calls: [custom] },
        { role: 'function', name: 'f', content: '42' },
      ]),
    ).toEqual(['assistant: run#c1print(1)', 'tool: f#=42']);
  });

  it('OpenAI: what the API keeps, what somebody had to allow, what was told in short', () => {
    expect(
      read([
        { type: 'item_reference', id: 'msg_1' },
        {
          type: 'mcp_approval_request',
          id: 'mcpr_1',
          name: 'pay',
          arguments: '{"sum":1}',
          server_label: 's',
        },
        { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: false, reason: 'too much' },
        { type: 'mcp_approval_response', approval_request_id: 'mcpr_2', approve: true },
        { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAA' },
        { role: 'user', content: 'go on' },
      ]),
    ).toEqual([
      'assistant: [item_reference msg_1 ]',
      'assistant: pay#mcpr_1{"sum":1}',
      'tool: #mcpr_1={"approve":false,"reason":"too much"}',
      'tool: #mcpr_2={"approve":true}',
      'user: go on',
    ]);
    // Anthropic tells it plainly.
    const short = { type: 'compaction', content: 'They spoke of herons.' };
    expect(read([{ role: 'assistant', content: [short, { type: 'text', text: 'And?' }] }])).toEqual([
      'assistant: They spoke of herons. | And?',
    ]);
  });

  it('OpenAI: a screenshot, and a server that failed', () => {
    expect(
      read([
        {
          type: 'computer_call_output',
          call_id: 'c',
          output: { type: 'computer_screenshot', image_url: 'x' },
        },
        { type: 'mcp_call', id: 'm', name: 'roll', arguments: '{}', error: 'no dice' },
      ]),
    ).toEqual([
      'tool: #c={"type":"computer_screenshot","image_url":"x"}',
      'assistant: roll#m{} | roll#m=no dice!',
    ]);
    expect(user({ type: 'computer_screenshot', image_url: 'https://x.example/a' })).toEqual([
      'user: <image https://x.example/a>',
    ]);
  });

  it('OpenAI: a request and a response that say how their text is to be', () => {
    const text = { format: { type: 'text' } };
    const content = [{ type: 'output_text', text: 'Hello' }];
    const output = [{ type: 'message', role: 'assistant', content }];
    expect(read({ model: 'm', input: 'Hi', text })).toEqual(['user: Hi']);
    expect(read({ object: 'response', output, text })).toEqual(['assistant: Hello']);
    expect(read([{ type: 'response.completed', response: { output, text } }])).toEqual(['assistant: Hello']);
  });

  it('Anthropic: search results, documents in parts, parts without a type', () => {
    expect(
      user(
        {
          type: 'search_result',
          source: 'https://s.example',
          title: 'S',
          content: [{ type: 'text', text: 'found' }],
        },
        { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'chunk' }] } },
        { thinking: 'hmm', signature: 's' },
        { id: 't1', name: 'Bash', input: { command: 'ls' } },
        { tool_use_id: 't1', content: 'a.txt', is_error: false },
      ),
    ).toEqual(['user: [S https://s.example] | found | chunk | (hmm) | Bash#t1{"command":"ls"} | #t1=a.txt']);
  });

  it('Gemini: instructions among the settings, parts for messages, snake case, pictures beside a response', () => {
    const contents = [{ role: 'user', parts: [{ text: 'q' }] }];
    expect(read({ contents, config: { system_instruction: 'Be kind' } })).toEqual([
      'system: Be kind',
      'user: q',
    ]);
    expect(read({ contents: [{ text: 'q' }], systemInstruction: 'Be kind' })).toEqual([
      'system: Be kind',
      'user: q',
    ]);
    expect(
      read([{ function_response: { name: 'f', response: { a: 1 } } }, { executable_code: { code: '1+1' } }]),
    ).toEqual(['user: f#={"a":1} | code_execution#1+1']);
    const picture = { inlineData: { mimeType: 'image/png', data: PNG } };
    expect(user({ functionResponse: { name: 'shot', response: { ok: true }, parts: [picture] } })).toEqual([
      `user: shot#=[{"text":"{\\"ok\\":true}"},{"inlineData":{"mimeType":"image/png","data":"${PNG}"}}]`,
    ]);
  });

  it('Bedrock: what a guard looks at, what a text rests on, marks of the cache', () => {
    const citations = [{ title: 'A', location: { web: { url: 'https://a.example' } } }];
    expect(
      user(
        { guardContent: { text: { text: 'guarded' } } },
        { cachePoint: { type: 'default' } },
        { citationsContent: { content: [{ text: 'cited' }], citations } },
      ),
    ).toEqual(['user: guarded | cited | [A https://a.example]']);
  });

  it('Mistral: what a text rests on', () => {
    const web = { type: 'tool_reference', tool: 'web_search', title: 'Birds', url: 'https://b', source: 'x' };
    expect(
      read([
        {
          role: 'assistant',
          content: [{ type: 'text', text: 'Grey' }, { type: 'reference', reference_ids: [0, 'd2'] }, web],
        },
      ]),
    ).toEqual(['assistant: Grey | [reference 0 ] | [reference d2 ] | [Birds https://b]']);
    expect(user({ type: 'reference' })).toEqual(['user: JSON {"type":"reference"}']);
  });

  it('Cohere, Mistral, Ollama', () => {
    expect(
      read({ message: 'q', preamble: 'Be kind', chat_history: [{ role: 'CHATBOT', message: 'old' }] }),
    ).toEqual(['system: Be kind', 'assistant: old', 'user: q']);
    expect(read([{ role: 'assistant', tool_plan: 'I look', tool_calls: [{ id: 'c', name: 'f' }] }])).toEqual([
      'assistant: (I look) | f#c',
    ]);
    expect(
      user(
        { type: 'thinking', thinking: [{ type: 'text', text: 'hmm' }] },
        { type: 'document_url', document_url: 'https://x.example/d.pdf' },
      ),
    ).toEqual(['user: (hmm) | <file https://x.example/d.pdf>']);
    expect(
      read([
        { role: 'user', content: 'q', images: [PNG] },
        { role: 'assistant', content: 'a', thinking: 'hmm' },
      ]),
    ).toEqual(['user: q | <image data:image/png;base64,PNG>', 'assistant: (hmm) | a']);
  });
});

describe('frameworks', () => {
  it('Semantic Kernel: roles and parts of its Python and its .NET', () => {
    const dotnet = [
      { Role: { Label: 'system' }, Items: [{ $type: 'TextContent', Text: 'Be kind' }] },
      {
        Role: { Label: 'Assistant' },
        Items: [
          {
            $type: 'FunctionCallContent',
            Id: 'c',
            PluginName: 'sky',
            FunctionName: 'rain',
            Arguments: { city: 'Oslo' },
          },
        ],
      },
      {
        Role: { Label: 'tool' },
        Items: [{ $type: 'FunctionResultContent', CallId: 'c', FunctionName: 'rain', Result: 'wet' }],
      },
    ];
    const python = [
      { role: 'AuthorRole.SYSTEM', items: [{ content_type: 'text', text: 'Be kind' }] },
      {
        role: { label: 'assistant' },
        items: [{ content_type: 'function_call', id: 'c', name: 'rain', arguments: { city: 'Oslo' } }],
      },
      {
        role: 'AuthorRole.TOOL',
        items: [{ content_type: 'function_result', id: 'c', name: 'rain', result: 'wet' }],
      },
    ];
    const all = ['system: Be kind', 'assistant: rain#c{"city":"Oslo"}', 'tool: rain#c=wet'];
    expect(read(dotnet)).toEqual(all);
    expect(read(python)).toEqual(all);
    expect(read([{ role: 'MessageRole.USER', blocks: [{ block_type: 'text', text: 'hi' }] }])).toEqual([
      'user: hi',
    ]);
  });

  it('LangChain: pairs, chunks of every kind, pictures as content blocks', () => {
    expect(
      read({
        messages: [
          ['system', 'Be kind'],
          ['human', 'hi'],
          ['ai', 'hello'],
        ],
      }),
    ).toEqual(['system: Be kind', 'user: hi', 'assistant: hello']);
    expect(read(['user', 'assistant'])).toEqual(['user: user', 'user: assistant']);
    expect(
      read([
        { type: 'SystemMessageChunk', content: 's' },
        { type: 'ToolMessageChunk', content: 'r', tool_call_id: 'c' },
      ]),
    ).toEqual(['system: s', 'tool: #c=r']);
    expect(user({ type: 'image', base64: PNG, mime_type: 'image/png' })).toEqual([
      'user: <image data:image/png;base64,PNG>',
    ]);
  });

  it('LlamaIndex: blocks', () => {
    const call = { block_type: 'tool_call', tool_call_id: 'c', tool_name: 'f', tool_kwargs: { a: 1 } };
    expect(
      read([
        {
          role: 'user',
          blocks: [
            { block_type: 'text', text: 'q' },
            { block_type: 'image', image: PNG },
          ],
        },
        { role: 'assistant', blocks: [{ block_type: 'thinking', content: 'hmm' }, call] },
        {
          role: 'tool',
          additional_kwargs: { tool_call_id: 'c' },
          blocks: [{ block_type: 'text', text: 'r' }],
        },
      ]),
    ).toEqual(['user: q | <image data:image/png;base64,PNG>', 'assistant: (hmm) | f#c{"a":1}', 'tool: #c=r']);
  });

  it('Haystack, now and before version 2.9', () => {
    const call = { tool_name: 'f', arguments: { a: 1 }, id: 'c' };
    expect(
      read([
        { role: 'assistant', content: [{ reasoning: { reasoning_text: 'hmm' } }, { tool_call: call }] },
        { role: 'tool', content: [{ tool_call_result: { result: 'r', error: true, origin: call } }] },
        { role: 'user', content: [{ image: { base64_image: PNG, mime_type: 'image/png' } }] },
        { _role: 'user', _content: [{ text: 'q' }] },
      ]),
    ).toEqual([
      'assistant: (hmm) | f#c{"a":1}',
      'tool: f#c=r!',
      'user: <image data:image/png;base64,PNG>',
      'user: q',
    ]);
  });

  it('AutoGen and smolagents: roles by type', () => {
    expect(
      read([
        { type: 'UserMessage', content: 'q' },
        { type: 'AssistantMessage', content: [{ id: 'c', name: 'f', arguments: '{}' }] },
        { type: 'FunctionExecutionResultMessage', content: [{ content: 'r', name: 'f', call_id: 'c' }] },
        { role: 'tool-call', content: 'calls' },
        { role: 'tool-response', content: 'sees' },
      ]),
    ).toEqual(['user: q', 'assistant: f#c{}', 'tool: f#c=r', 'assistant: calls', 'tool: sees']);
  });

  it('calls with an id of their own, in pieces, or that could not be parsed', () => {
    const call = { name: 'f', arguments: '{"a":1}' };
    expect(user({ call_id: 'c', ...call }, { type: 'new', call_id: 'c', x: 1 })).toEqual([
      'user: f#c{"a":1} | JSON {"type":"new","call_id":"c","x":1}',
    ]);
    for (const type of ['tool_call_chunk', 'invalid_tool_call'])
      expect(user({ type, id: 'c', name: 'f', args: '{"a":1' })).toEqual(['user: f#c{"a":1']);
  });

  it('AI SDK: tools known by name only, sources, files, content of a result', () => {
    expect(
      read([
        {
          role: 'assistant',
          parts: [
            { type: 'step-start' },
            {
              type: 'dynamic-tool',
              toolName: 'f',
              toolCallId: 'c',
              state: 'output-available',
              input: 1,
              output: 2,
            },
            { type: 'source-url', url: 'https://a.example', title: 'A' },
          ],
        },
      ]),
    ).toEqual(['assistant: f#c1 | f#c=2 | [A https://a.example]']);
    const output = { type: 'content', value: [{ type: 'text', text: 'see' }] };
    expect(user({ type: 'tool-result', toolCallId: 'c', toolName: 'f', output })).toEqual(['user: f#c=see']);
    const files = JSON.stringify([{ type: 'file', mediaType: 'image/png', data: PNG }]);
    expect(
      conversationOf({
        'ai.operationId': 'ai.generateText.doGenerate',
        'ai.response.text': 'See:',
        'ai.response.files': files,
      }).output,
    ).toEqual(['assistant: See: | <image data:image/png;base64,PNG>']);
  });

  it('Pydantic AI: messages of both sides in one list, and its older tool spans', () => {
    const all = [
      { role: 'user', parts: [{ type: 'text', content: 'q' }] },
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'c', name: 'f', arguments: {} }] },
      { role: 'user', parts: [{ type: 'tool_call_response', id: 'c', name: 'f', result: 'r' }] },
      { role: 'assistant', parts: [{ type: 'text', content: 'a' }] },
    ];
    expect(
      conversationOf({ 'gen_ai.agent.name': 'A', 'pydantic_ai.all_messages': JSON.stringify(all) }),
    ).toMatchObject({ input: ['user: q', 'assistant: f#c{}', 'user: f#c=r'], output: ['assistant: a'] });
    const events = [
      { 'event.name': 'gen_ai.user.message', role: 'user', content: 'q' },
      { 'event.name': 'gen_ai.tool.message', role: 'tool', id: 'c', name: 'f', content: 'r' },
      { 'event.name': 'gen_ai.choice', index: 0, message: { role: 'assistant', content: 'a' } },
    ];
    expect(conversationOf({ 'gen_ai.request.model': 'm', events: JSON.stringify(events) })).toMatchObject({
      input: ['user: q', 'tool: f#c=r'],
      output: ['assistant: a'],
    });
    expect(
      conversationOf({ 'gen_ai.tool.name': 'f', tool_arguments: '{"a":1}', tool_response: 'r' })
        .toolExecution,
    ).toEqual({ callId: '', arguments: '{"a":1}', result: 'r' });
  });

  it('Logfire: request and response whole, also of a stream', () => {
    const of = (response: object) =>
      conversationOf({
        'gen_ai.request.model': 'm',
        request_data: JSON.stringify({ messages: [{ role: 'user', content: 'q' }] }),
        response_data: JSON.stringify(response),
      });
    const sides = { input: ['user: q'], output: ['assistant: a'] };
    expect(of({ message: { role: 'assistant', content: 'a' } })).toMatchObject(sides);
    expect(of({ combined_chunk_content: 'a', chunk_count: 3 })).toMatchObject(sides);
  });

  it("Google's ADK: model calls and tools", () => {
    const request = {
      contents: [{ role: 'user', parts: [{ text: 'q' }] }],
      config: { system_instruction: 'Be kind', tools: [{ function_declarations: [{ name: 'f' }] }] },
    };
    const call = conversationOf({
      'gen_ai.request.model': 'm',
      'gcp.vertex.agent.llm_request': JSON.stringify(request),
      'gcp.vertex.agent.llm_response': JSON.stringify({ content: { role: 'model', parts: [{ text: 'a' }] } }),
    });
    expect(call).toMatchObject({ input: ['system: Be kind', 'user: q'], output: ['assistant: a'] });
    expect(call.tools.map(({ name }) => name)).toEqual(['f']);
    expect(
      conversationOf({
        'gen_ai.operation.name': 'execute_tool',
        'gcp.vertex.agent.tool_call_args': '{"a":1}',
        'gcp.vertex.agent.tool_response': '{"b":2}',
        'gcp.vertex.agent.llm_request': '{}',
      }),
    ).toMatchObject({ input: [], toolExecution: { arguments: '{"a":1}', result: '{"b":2}' } });
  });

  it('Strands Agents: a tool told by events', () => {
    expect(
      conversationOf({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.call.id': 'c' }, [
        { name: 'gen_ai.tool.message', attributes: { content: '{"a":1}', id: 'c' } },
        { name: 'gen_ai.choice', attributes: { message: '[{"text":"r"}]', id: 'c' } },
      ]),
    ).toEqual({
      input: [],
      output: [],
      tools: [],
      toolExecution: { callId: 'c', arguments: '{"a":1}', result: 'r' },
    });
  });

  it('OpenTelemetry: tools of the server; OpenLLMetry: thinking as a message; OpenInference: completions', () => {
    const asked = { type: 'web_search', query: 'x' };
    expect(
      user(
        { type: 'server_tool_call', id: 's', name: 'search', server_tool_call: asked },
        {
          type: 'server_tool_call_response',
          id: 's',
          server_tool_call_response: { type: 'web_search', hits: 1 },
        },
      ),
    ).toEqual(['user: search#s{"query":"x"} | #s={"hits":1}']);
    expect(read([{ role: 'thinking', content: 'hmm' }], 'assistant')).toEqual(['assistant: (hmm)']);
    expect(
      conversationOf({
        'openinference.span.kind': 'LLM',
        'llm.prompts.0.prompt.text': 'once',
        'llm.choices.0.completion.text': 'upon',
      }),
    ).toMatchObject({ input: ['user: once'], output: ['assistant: upon'] });
    const both = { content: 'a', contents: [{ message_content: { type: 'reasoning', text: 'hmm' } }] };
    expect(read([{ message: { role: 'assistant', ...both } }])).toEqual(['assistant: a | (hmm)']);
    const texts = ['A', 'B'].map((text) => ({ message_content: { type: 'text', text } }));
    const told = { content: 'A\n\nB', contents: [...both.contents, ...texts] };
    expect(read([{ message: { role: 'assistant', ...told } }])).toEqual(['assistant: (hmm) | A | B']);
    const more = { ...told, content: 'A\n\nC' };
    expect(read([{ message: { role: 'assistant', ...more } }])).toEqual([
      'assistant: A\n\nC | (hmm) | A | B',
    ]);
  });
});

describe('transport', () => {
  it('a list of messages, each as JSON', () => {
    expect(read(['{"role":"user","content":"q"}', '{"a":1}', 'text'])).toEqual([
      'user: q',
      'user: {"a":1}',
      'user: text',
    ]);
  });

  it('a list of documents as JSON, of which none says who speaks', () => {
    const documents = ['{"title":"Important title","content":"body"}', '{"content":"a","tool_calls":[]}'];
    expect(read(documents)).toEqual(documents.map((text) => `user: ${text}`));
    expect(
      read(['{"type":"human","data":{"content":"q"}}', '{"_role":"user","_content":[{"text":"r"}]}']),
    ).toEqual(['user: q', 'user: r']);
  });

  it('a picture in base64 where an address was to be', () => {
    expect(user({ type: 'image_url', image_url: { url: PNG } }, { type: 'image', data: PNG })).toEqual([
      'user: <image data:image/png;base64,PNG> | <image data:image/png;base64,PNG>',
    ]);
  });

  it('JSON that was cut, wherever, tells what it told', () => {
    const whole = JSON.stringify([
      { role: 'system', content: 'Be "kind" \\ é, always and to everybody.' },
      {
        role: 'user',
        parts: [
          { type: 'text', content: 'A long story.' },
          { type: 'blob', modality: 'image' },
        ],
      },
    ]);
    for (let length = 64; length < whole.length; length += 1) {
      const [system, asked] = read(whole.slice(0, length));
      expect(system).toMatch(/^system: Be "kind"/);
      if (asked !== undefined) expect(asked).toMatch(/^user: /);
    }
    expect(read(whole.slice(0, 100))).toEqual(['system: Be "kind" \\ é, always and to everybody.']);
    expect(read(`${whole.slice(0, whole.indexOf('story'))}...[truncated]`)[1]).toMatch(
      /^user: A long.*\[cut\]$/,
    );
    const picture = [{ role: 'user', content: [{ type: 'image', data: PNG.repeat(3) }] }];
    expect(read(JSON.stringify(picture).slice(0, 150))[0]).toMatch(/<image data:image\/png;base64,[\w+/]+>$/);
  });

  it.each([
    '[The user wants to know how to cook an egg and whether it is safe to do so without a pan',
    '{The user wants to know how to cook an egg and whether it is safe to do so without a pan',
    "[{'content': 'Tell me a story about a dragon that lives in a cave and hoards old books",
    '["Paris", "London" and then a long tail of words that nobody would want to lose from sight',
    '["Paris", "London" "and then a long tail of words that nobody would want to lose from sight',
    '[1, 2, and then a long tail of words that nobody would want to lose from sight, not even one',
    '{"role":"user" and then a long tail of words that nobody would want to lose from sight "here',
    '{"messages":                                                                            [{"ro',
  ])('text that begins like JSON is text: %s', (text) => {
    expect(read(text)).toEqual([`user: ${text}`]);
  });

  it('JSON that was cut in a number, a word, a name or an escaped character', () => {
    const asked = { role: 'user', content: 'A long story about a dragon that hoards old books.' };
    const list = JSON.stringify([asked]).slice(0, -1);
    for (const end of ['', ',', ', {', ',{"ro', ',{"role"', ',{"role":', ',{"role":"us', ',{"n":-1.5e'])
      expect(read(`${list}${end}`)).toEqual([`user: ${asked.content}`]);
    for (const end of [',{"isLast":tr', ',{"isLast":null', ',[[', ',{"a":{'])
      expect(read(`${list}${end}`)).toEqual([`user: ${asked.content}`]);
    for (const [end, said] of [
      ['\\', ''],
      ['\\\\', '\\'],
      ['\\u00e', ''],
      ['\\u00e9', 'é'],
    ])
      expect(read(`${list.slice(0, -2)}${end}`)).toEqual([`user: ${asked.content}${said}… [cut]`]);
  });

  it("Python's own spelling of messages, where it is clear", () => {
    const said = `[{'role': 'system', 'content': 'Say "so"', 'name': None}, {'role': 'user', 'content': "it's\\n\\u00e9\\x21", 'n': [1, -2.5e3, True, (1,), ()]},]`;
    expect(read(said)).toEqual(['system: Say "so"', "user: it's\né!"]);
    expect(read(`{'messages': ${said}, '__proto__': {'role': 'x'}}`)).toHaveLength(2);
    expect(read("{'role': 'assistant', 'content': [{'type': 'text', 'text': 'a'}]}")).toEqual([
      'assistant: a',
    ]);
    // Messages of LangChain as their classes print them.
    expect(
      read("[SystemMessage(content='be brief'), HumanMessage(content='hi', additional_kwargs={})]"),
    ).toEqual(['system: be brief', 'user: hi']);
    const long = 'x'.repeat(80);
    for (const unclear of [
      // No members of a class, cut, of two lines, a set, no tuple, no escape, with words behind it.
      "[HumanMessage('hi')]",
      "[{'role': 'user', 'content': Text('hi')}]",
      `[{'role': 'user', 'content': '${long}`,
      "[{'role': 'user', 'content': 'a\nb'}]",
      "[{'role': 'user', 'content': {'a', 'b'}}]",
      "[{'role': 'user', 'content': ('a')}]",
      "[{'role': 'user', 'content': '\\q'}]",
      "[{'role': 'user', 'content': '\\U00110000'}]",
      "[{'role': 'user', 'content': 'a'}] and more",
      "[{'role': 'user', 'content': nan}]",
      // Nobody speaks there.
      "['a', 'b']",
      "{'city': 'Oslo'}",
      `${'['.repeat(200)}'a'${']'.repeat(200)}`,
    ])
      expect(read(unclear)).toEqual([`user: ${unclear}`]);
  });

  it('streams as the answer they make', () => {
    const chunk = (delta: object, finish: string | null = null) => ({
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const call = (piece: object) => ({ tool_calls: [{ index: 0, ...piece }] });
    expect(
      read(
        [
          chunk({ role: 'assistant', content: '' }),
          chunk({ content: 'Hel' }),
          chunk({ content: 'lo' }),
          chunk(call({ id: 'c', function: { name: 'f', arguments: '{"a"' } })),
          chunk(call({ function: { arguments: ':1}' } })),
          chunk({}, 'tool_calls'),
        ],
        'assistant',
      ),
    ).toEqual(['assistant: Hello | f#c{"a":1}']);
    expect(
      read([
        { type: 'message_start', message: { role: 'assistant', content: [] } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
        {
          type: 'content_block_start',
          index: 1,
          content_block: { type: 'tool_use', id: 'c', name: 'f', input: {} },
        },
        {
          type: 'content_block_delta',
          index: 1,
          delta: { type: 'input_json_delta', partial_json: '{"a":1}' },
        },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
        { type: 'message_stop' },
      ]),
    ).toEqual(['assistant: Hello | f#c{"a":1}']);
    const output = [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] },
    ];
    const delta = { type: 'response.output_text.delta', delta: 'Hello' };
    expect(read([delta, { type: 'response.completed', response: { output } }])).toEqual(['assistant: Hello']);
    expect(read([delta, { type: 'response.output_item.done', item: output[0] }])).toEqual([
      'assistant: Hello',
    ]);
    expect(read([delta])).toEqual(['assistant: Hello']);
  });

  const chunksOf = (...deltas: object[]) =>
    deltas.map((delta) => ({ object: 'chat.completion.chunk', choices: [{ index: 0, delta }] }));

  it('streams of functions, of thoughts in parts, of speech', () => {
    const asked = (piece: object) => ({ function_call: piece });
    expect(
      read(
        chunksOf(
          asked({ name: 'f', arguments: '' }),
          asked({ arguments: '{"a"' }),
          asked({ arguments: ':1}' }),
        ),
      ),
    ).toEqual(['assistant: f#{"a":1}']);
    const thought = (text: string) => ({
      content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }],
    });
    expect(
      read(chunksOf({ content: '' }, thought('h'), thought('mm'), { content: 'Hel' }, { content: 'lo' })),
    ).toEqual(['assistant: (hmm) | Hello']);
    const spoken = (piece: object) => ({ audio: piece });
    expect(read(chunksOf(spoken({ id: 'a', transcript: 'Hel' }), spoken({ transcript: 'lo' })))).toEqual([
      'assistant: Hello | <audio a>',
    ]);
  });

  it.each([
    ['without an index', undefined, 'x', 'y'],
    ['all at the first index', 0, 'x', 'y'],
    ['without ids', 0, '', ''],
    ['without both', undefined, '', ''],
  ])('calls that stand side by side in a stream: %s', (_, index, x, y) => {
    const call = (id: string, name: string) => ({ index, id, function: { name, arguments: '{}' } });
    const lines = [`assistant: a#${x}{} | b#${y}{}`];
    expect(read(chunksOf({ tool_calls: [call(x, 'a')] }, { tool_calls: [call(y, 'b')] }))).toEqual(lines);
    expect(read(chunksOf({ tool_calls: [call(x, 'a'), call(y, 'b')] }))).toEqual(lines);
  });

  it('a call in pieces that repeat its id and name, or that have no index', () => {
    const pieces = (index: number | undefined, id: string, name: string) => [
      { tool_calls: [{ index, id: 'c', function: { name: 'f', arguments: '{"a"' } }] },
      { tool_calls: [{ index, id, function: { name, arguments: ':1}' } }] },
    ];
    for (const index of [0, undefined])
      for (const [id, name] of [
        ['c', 'f'],
        ['c', ''],
        ['', ''],
      ] as const)
        expect(read(chunksOf(...pieces(index, id, name)))).toEqual(['assistant: f#c{"a":1}']);
  });

  it('several streams in one list', () => {
    const said = (text: string) => [
      { type: 'message_start', message: { role: 'assistant', content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_stop' },
    ];
    const both = ['assistant: one', 'assistant: two'];
    expect(read([...said('one'), ...said('two')])).toEqual(both);
    expect(read([...said('one'), ...said('two')].slice(1))).toEqual(both);
    const chunk = (id: string, content: string, finish: string | null = null) => ({
      object: 'chat.completion.chunk',
      id,
      choices: [{ index: 0, delta: { content }, finish_reason: finish }],
    });
    const one = [chunk('a', 'o'), chunk('a', 'ne', 'stop')];
    const two = [chunk('b', 't'), chunk('', 'w'), chunk('b', 'o', 'stop')];
    expect(read([...one, ...two])).toEqual(both);
    expect(read([one[0], ...two.slice(0, 1), one[1], ...two.slice(2)])).toEqual([
      'assistant: one',
      'assistant: to',
    ]);
    expect(read([chunk('a', 'one', 'stop'), chunk('b', 'two', 'stop')])).toEqual(both);
    // An id that every chunk has for itself tells nothing.
    expect(read([chunk('a', 'o'), chunk('b', 'n'), chunk('c', 'e', 'stop')])).toEqual(['assistant: one']);
    const output = (text: string) => [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] },
    ];
    const done = (text: string) => ({ type: 'response.completed', response: { output: output(text) } });
    const created = { type: 'response.created', response: { output: [] } };
    const delta = (piece: string) => ({ type: 'response.output_text.delta', delta: piece });
    expect(read([done('one'), done('two')])).toEqual(both);
    expect(read([created, delta('one'), done('one'), created, delta('two')])).toEqual(both);
    expect(read([created, delta('o'), delta('ne'), created, delta('two'), done('two')])).toEqual(both);
  });

  it('events that make no answer are seen one by one', () => {
    expect(read([{ type: 'response.x' }])).toEqual(['user: JSON {"type":"response.x"}']);
  });
});
