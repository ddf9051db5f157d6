import { describe, expect, it } from 'vitest';
import { Budget } from './builder.ts';
import { readMessages } from './messages.ts';

const read = (value: unknown, role = 'assistant') => readMessages(value, role, new Budget());
const parts = (value: unknown, role = 'assistant') => read(value, role).flatMap((message) => message.parts);
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });

describe('parts that say more than text', () => {
  it('a refusal is one, wherever it stands', () => {
    const refused = [{ type: 'refusal', text: 'No.' }];
    expect(parts({ role: 'assistant', content: null, refusal: 'No.' })).toEqual(refused);
    expect(parts(assistant({ type: 'refusal', refusal: 'No.' }))).toEqual(refused);
  });

  it('citations follow the text they belong to', () => {
    const url = { type: 'url_citation', url_citation: { title: 'T', url: 'https://a' } };
    expect(parts({ role: 'assistant', content: 'See', annotations: [url] })).toEqual([
      { type: 'text', text: 'See' },
      { type: 'citation', title: 'T', uri: 'https://a', text: '' },
    ]);
    const cited = { type: 'char_location', cited_text: 'c', document_title: 'D' };
    expect(parts(assistant({ type: 'text', text: 'x', citations: [cited, 'junk', {}] }))).toEqual([
      { type: 'text', text: 'x' },
      { type: 'citation', title: 'D', uri: '', text: 'c' },
    ]);
    expect(parts(assistant({ type: 'source', sourceType: 'url', url: 'https://s', title: 'S' }))).toEqual([
      { type: 'citation', title: 'S', uri: 'https://s', text: '' },
    ]);
    const responses = { type: 'url_citation', url: 'https://b', title: 'B' };
    expect(
      parts([assistant({ type: 'output_text', text: 'hi', annotations: [responses] })]).map(
        ({ type }) => type,
      ),
    ).toEqual(['text', 'citation']);
  });

  it('speech is its words and its sound', () => {
    expect(
      parts({ role: 'assistant', content: null, audio: { id: 'a', data: 'AAAA', transcript: 'hello' } }),
    ).toEqual([
      { type: 'text', text: 'hello' },
      { type: 'media', modality: 'audio', mimeType: 'audio/wav', uri: 'data:audio/wav;base64,AAAA' },
    ]);
    const input = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } };
    expect(parts({ role: 'user', content: [input] }, 'user')).toEqual([
      { type: 'media', modality: 'audio', mimeType: 'audio/mp3', uri: 'data:audio/mp3;base64,AAAA' },
    ]);
  });
});

describe('tools that the provider runs', () => {
  it('of the Responses API are calls with their results', () => {
    expect(
      parts([
        { type: 'web_search_call', id: 'w', action: { query: 'x' } },
        { type: 'code_interpreter_call', id: 'c', code: 'print(1)', outputs: [{ logs: '1' }] },
        { type: 'mcp_call', id: 'm', name: 'find', arguments: '{"a":1}', output: 'ok' },
        { type: 'image_generation_call', id: 'i', result: 'AAAA' },
      ]),
    ).toEqual([
      { type: 'tool_call', id: 'w', name: 'web_search', arguments: '{"query":"x"}' },
      { type: 'tool_call', id: 'c', name: 'code_interpreter', arguments: 'print(1)' },
      { type: 'tool_result', id: 'c', name: 'code_interpreter', result: '[{"logs":"1"}]' },
      { type: 'tool_call', id: 'm', name: 'find', arguments: '{"a":1}' },
      { type: 'tool_result', id: 'm', name: 'find', result: 'ok' },
      { type: 'media', modality: 'image', mimeType: 'image/png', uri: 'data:image/png;base64,AAAA' },
    ]);
    expect(read([{ type: 'computer_call_output', call_id: 'c', output: { type: 'x' } }])).toMatchObject([
      { role: 'tool', parts: [{ type: 'tool_result', id: 'c' }] },
    ]);
  });

  it('of Anthropic and Gemini too', () => {
    const code = { type: 'code_execution_tool_result', tool_use_id: 'e', content: { stdout: '1' } };
    expect(parts(assistant(code))).toEqual([
      { type: 'tool_result', id: 'e', name: '', result: '{"stdout":"1"}' },
    ]);
    const gemini = [
      { executableCode: { language: 'PYTHON', code: '1+1' } },
      { codeExecutionResult: { output: '2' } },
    ];
    expect(parts({ role: 'model', parts: gemini })).toEqual([
      { type: 'tool_call', id: '', name: 'code_execution', arguments: '1+1' },
      { type: 'tool_result', id: '', name: 'code_execution', result: '2' },
    ]);
  });
});

it('an Anthropic document that holds its text is text', () => {
  const source = { type: 'text', media_type: 'text/plain', data: 'the words' };
  expect(parts({ role: 'user', content: [{ type: 'document', source }] }, 'user')).toEqual([
    { type: 'text', text: 'the words' },
  ]);
});

it('Bedrock: reasoning and media of Converse', () => {
  expect(
    parts(
      assistant(
        { reasoningContent: { reasoningText: { text: 'why' } } },
        { image: { format: 'png', source: { bytes: 'AAAA' } } },
        { document: { format: 'pdf', name: 'd', source: { s3Location: { uri: 's3://b/d.pdf' } } } },
      ),
    ),
  ).toEqual([
    { type: 'reasoning', text: 'why' },
    { type: 'media', modality: 'image', mimeType: 'image/png', uri: 'data:image/png;base64,AAAA' },
    { type: 'media', modality: 'file', mimeType: 'application/pdf', uri: 's3://b/d.pdf' },
  ]);
});

it('LangChain: what hides in additional_kwargs, and calls that could not be parsed', () => {
  const kwargs = {
    content: 'yo',
    additional_kwargs: { reasoning_content: 'hm', function_call: { name: 'g', arguments: '{}' } },
    invalid_tool_calls: [{ id: 'y', name: 'z', args: '{bad', error: 'e' }],
  };
  const message = {
    lc: 1,
    type: 'constructor',
    id: ['langchain', 'schema', 'messages', 'AIMessage'],
    kwargs,
  };
  expect(parts([message])).toEqual([
    { type: 'reasoning', text: 'hm' },
    { type: 'text', text: 'yo' },
    { type: 'tool_call', id: 'y', name: 'z', arguments: '{bad' },
    { type: 'tool_call', id: '', name: 'g', arguments: '{}' },
  ]);
});

it.each<[string, unknown]>([
  ['Anthropic', { type: 'tool_result', tool_use_id: 'a', is_error: true, content: 'boom' }],
  ['MCP', { type: 'tool_result', id: 'a', content: [{ type: 'text', text: 'boom' }], isError: true }],
  ['Bedrock', { toolResult: { toolUseId: 'a', content: [{ text: 'boom' }], status: 'error' } }],
  ['AI SDK 5', { type: 'tool-result', toolCallId: 'a', output: { type: 'error-text', value: 'boom' } }],
])('says that a tool failed: %s', (_, part) => {
  expect(parts({ role: 'user', content: [part] })).toEqual([
    { type: 'tool_result', id: 'a', name: '', result: 'boom', failed: true },
  ]);
});

it('says that a tool failed: LangChain', () => {
  const kwargs = { content: 'boom', tool_call_id: 'a', name: 't', status: 'error' };
  const message = { lc: 1, type: 'constructor', id: ['langchain', 'ToolMessage'], kwargs };
  expect(parts(message)).toEqual([{ type: 'tool_result', id: 'a', name: 't', result: 'boom', failed: true }]);
  expect(parts({ ...message, kwargs: { ...kwargs, status: 'success' } })).toEqual([
    { type: 'tool_result', id: 'a', name: 't', result: 'boom' },
  ]);
});

it('AI SDK: failed tools and UI messages', () => {
  expect(parts(assistant({ type: 'tool-error', toolCallId: 'a', toolName: 't', error: 'boom' }))).toEqual([
    { type: 'tool_result', id: 'a', name: 't', result: 'boom', failed: true },
  ]);
  const ui = {
    type: 'tool-weather',
    toolCallId: 'c',
    state: 'output-available',
    input: { a: 1 },
    output: { b: 2 },
  };
  expect(parts({ role: 'assistant', parts: [ui] })).toEqual([
    { type: 'tool_call', id: 'c', name: 'weather', arguments: '{"a":1}' },
    { type: 'tool_result', id: 'c', name: 'weather', result: '{"b":2}' },
  ]);
});
