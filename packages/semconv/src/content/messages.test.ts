/** Every message shape that emitters use, read into the one model. */
import { describe, expect, test } from 'vitest';
import type { MessagePart } from '../types.ts';
import { Budget, MAX_MESSAGES } from './builder.ts';
import { readMessages } from './messages.ts';
import { readTools } from './tools.ts';

const read = (value: unknown, role = 'user') =>
  readMessages(typeof value === 'string' ? value : JSON.stringify(value), role, new Budget());
const text = (content: string): MessagePart => ({ type: 'text', text: content });
const call: MessagePart = {
  type: 'tool_call',
  id: 'call_1',
  name: 'get_weather',
  arguments: '{"city":"Paris"}',
};
const result: MessagePart = { type: 'tool_result', id: 'call_1', name: '', result: 'sunny' };
const ARGS = { city: 'Paris' };

describe('OpenAI', () => {
  test('chat with a tool round', () => {
    expect(
      read([
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'hi' },
            { type: 'image_url', image_url: { url: 'https://x/y.png' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
      ]),
    ).toEqual([
      { role: 'system', parts: [text('Be brief.')] },
      {
        role: 'user',
        parts: [text('hi'), { type: 'media', modality: 'image', mimeType: '', uri: 'https://x/y.png' }],
      },
      { role: 'assistant', parts: [call] },
      { role: 'tool', parts: [result] },
    ]);
  });

  test('a whole request and a whole response', () => {
    expect(read({ model: 'm', messages: [{ role: 'user', content: 'hi' }], tools: [] })).toEqual([
      { role: 'user', parts: [text('hi')] },
    ]);
    expect(
      read(
        {
          id: 'x',
          choices: [
            { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello Ada' } },
          ],
        },
        'assistant',
      ),
    ).toEqual([{ role: 'assistant', finishReason: 'stop', parts: [text('Hello Ada')] }]);
  });

  test('items of the Responses API', () => {
    expect(
      read({
        model: 'm',
        instructions: 'Be brief.',
        input: [
          { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
          { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Paris"}' },
          { type: 'function_call_output', call_id: 'call_1', output: 'sunny' },
        ],
      }),
    ).toEqual([
      { role: 'system', parts: [text('Be brief.')] },
      { role: 'user', parts: [text('hi')] },
      { role: 'assistant', parts: [call] },
      { role: 'tool', parts: [result] },
    ]);
    expect(
      read(
        [
          { type: 'reasoning', summary: [{ type: 'summary_text', text: 'thinking' }] },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello Ada' }] },
        ],
        'assistant',
      ),
    ).toEqual([
      { role: 'assistant', parts: [{ type: 'reasoning', text: 'thinking' }] },
      { role: 'assistant', parts: [text('Hello Ada')] },
    ]);
  });
});

describe('Anthropic', () => {
  test('blocks of request and response', () => {
    expect(
      read({
        model: 'claude',
        system: [{ type: 'text', text: 'Be brief.' }],
        messages: [
          { role: 'user', content: 'hi' },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'hm' },
              { type: 'tool_use', id: 'call_1', name: 'get_weather', input: ARGS },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'sunny' }] },
            ],
          },
        ],
      }),
    ).toEqual([
      { role: 'system', parts: [text('Be brief.')] },
      { role: 'user', parts: [text('hi')] },
      { role: 'assistant', parts: [{ type: 'reasoning', text: 'hm' }, call] },
      { role: 'user', parts: [result] },
    ]);
    expect(
      read(
        {
          type: 'message',
          role: 'assistant',
          stop_reason: 'end_turn',
          content: [{ type: 'text', text: 'Hello Ada' }],
        },
        'assistant',
      ),
    ).toEqual([{ role: 'assistant', finishReason: 'stop', parts: [text('Hello Ada')] }]);
    expect(
      read(
        [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
        'assistant',
      ),
    ).toEqual([{ role: 'assistant', parts: [text('a'), text('b')] }]);
  });

  test('an image in base64 becomes a data address', () => {
    expect(
      read([
        {
          role: 'user',
          content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }],
        },
      ])[0]?.parts,
    ).toEqual([
      { type: 'media', modality: 'image', mimeType: 'image/png', uri: 'data:image/png;base64,AAAA' },
    ]);
  });
});

test('Gemini', () => {
  expect(
    read({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'hi' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
        { role: 'model', parts: [{ functionCall: { id: 'call_1', name: 'get_weather', args: ARGS } }] },
        {
          role: 'user',
          parts: [{ functionResponse: { id: 'call_1', name: 'get_weather', response: { sky: 'blue' } } }],
        },
      ],
    }),
  ).toEqual([
    { role: 'system', parts: [text('Be brief.')] },
    {
      role: 'user',
      parts: [
        text('hi'),
        { type: 'media', modality: 'image', mimeType: 'image/png', uri: 'data:image/png;base64,AAAA' },
      ],
    },
    { role: 'assistant', parts: [call] },
    { role: 'user', parts: [{ ...result, name: 'get_weather', result: '{"sky":"blue"}' }] },
  ]);
  expect(
    read(
      {
        candidates: [
          {
            content: { role: 'model', parts: [{ text: 'hm', thought: true }, { text: 'Hello Ada' }] },
            finishReason: 'STOP',
          },
        ],
      },
      'assistant',
    ),
  ).toEqual([
    {
      role: 'assistant',
      finishReason: 'stop',
      parts: [{ type: 'reasoning', text: 'hm' }, text('Hello Ada')],
    },
  ]);
});

test('LangChain: serialized messages, batches, generations', () => {
  const ai = {
    lc: 1,
    type: 'constructor',
    id: ['langchain_core', 'messages', 'AIMessage'],
    kwargs: { content: '', tool_calls: [{ id: 'call_1', name: 'get_weather', args: ARGS }] },
  };
  expect(
    read({
      messages: [
        [
          {
            lc: 1,
            type: 'constructor',
            id: ['langchain_core', 'messages', 'SystemMessage'],
            kwargs: { content: 'Be brief.' },
          },
          {
            lc: 1,
            type: 'constructor',
            id: ['langchain_core', 'messages', 'HumanMessage'],
            kwargs: { content: 'hi' },
          },
          ai,
          { type: 'tool', content: 'sunny', tool_call_id: 'call_1' },
        ],
      ],
    }),
  ).toEqual([
    { role: 'system', parts: [text('Be brief.')] },
    { role: 'user', parts: [text('hi')] },
    { role: 'assistant', parts: [call] },
    { role: 'tool', parts: [result] },
  ]);
  expect(
    read([
      { type: 'human', content: 'hi' },
      { type: 'ai', data: { content: 'Hello Ada' } },
    ]),
  ).toEqual([
    { role: 'user', parts: [text('hi')] },
    { role: 'assistant', parts: [text('Hello Ada')] },
  ]);
  expect(read({ generations: [[{ text: 'Hello Ada', message: ai }]] }, 'assistant')).toEqual([
    { role: 'assistant', parts: [call] },
  ]);
});

test('OpenTelemetry parts of every type', () => {
  expect(
    read([
      {
        role: 'assistant',
        name: 'helper',
        finish_reason: 'tool_call',
        parts: [
          { type: 'reasoning', content: 'hm' },
          { type: 'text', content: 'Hello Ada' },
          { type: 'tool_call', id: 'call_1', name: 'get_weather', arguments: ARGS },
          { type: 'uri', modality: 'image', uri: 'gs://x' },
          { type: 'blob', modality: 'audio', mime_type: 'audio/wav', content: 'AAAA' },
          { type: 'file', modality: 'image', file_id: 'f-1' },
          { type: 'something_new', value: 1 },
        ],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_1', result: 'sunny' }] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_1', response: 'sunny' }] },
    ]),
  ).toEqual([
    {
      role: 'assistant',
      name: 'helper',
      finishReason: 'tool_calls',
      parts: [
        { type: 'reasoning', text: 'hm' },
        text('Hello Ada'),
        call,
        { type: 'media', modality: 'image', mimeType: '', uri: 'gs://x' },
        { type: 'media', modality: 'audio', mimeType: 'audio/wav', uri: 'data:audio/wav;base64,AAAA' },
        { type: 'media', modality: 'image', mimeType: '', uri: 'f-1' },
        { type: 'json', json: '{"type":"something_new","value":1}' },
      ],
    },
    { role: 'tool', parts: [result] },
    { role: 'tool', parts: [result] },
  ]);
});

test('AI SDK: prompt with system, tool calls and results', () => {
  expect(read({ system: 'Be brief.', prompt: 'hi' })).toEqual([
    { role: 'system', parts: [text('Be brief.')] },
    { role: 'user', parts: [text('hi')] },
  ]);
  expect(
    read([
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'get_weather', input: ARGS }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'call_1',
            toolName: 'get_weather',
            output: { type: 'text', value: 'sunny' },
          },
        ],
      },
    ]),
  ).toEqual([
    { role: 'assistant', parts: [call] },
    { role: 'tool', parts: [{ ...result, name: 'get_weather' }] },
  ]);
});

describe('what is no message', () => {
  test('plain text, a list of texts, JSON of something else', () => {
    expect(read('hi there')).toEqual([{ role: 'user', parts: [text('hi there')] }]);
    expect(read('["a","b"]')).toEqual([
      { role: 'user', parts: [text('a')] },
      { role: 'user', parts: [text('b')] },
    ]);
    expect(read({ question: 'hi', k: 4 })).toEqual([
      { role: 'user', parts: [{ type: 'json', json: '{"question":"hi","k":4}' }] },
    ]);
  });

  test('a message in an unknown shape is shown raw', () => {
    expect(read([{ role: 'user', speech: 'hi' }])).toEqual([
      { role: 'user', parts: [{ type: 'json', json: '{"role":"user","speech":"hi"}' }] },
    ]);
    expect(read([{ role: 'assistant', content: null }])).toEqual([]);
  });

  test('malformed JSON is text, verbatim', () => {
    for (const broken of ['{"role":"user","content":"hi', '[{]', '"open', '{{name}}', '[1,2,']) {
      expect(read(broken)).toEqual([{ role: 'user', parts: [text(broken)] }]);
    }
  });

  test('nothing is no message', () => {
    for (const nothing of ['', '[]', '""', '[[]]', '[null]']) expect(read(nothing)).toEqual([]);
  });

  test('keys of the prototype are data', () => {
    expect(read('{"__proto__":{"role":"system","content":"x"}}')).toEqual([
      { role: 'user', parts: [{ type: 'json', json: '{"__proto__":{"role":"system","content":"x"}}' }] },
    ]);
    expect(({} as Record<string, unknown>)['role']).toBeUndefined();
  });

  test('depth, number of messages and size are bounded', () => {
    expect(read(`${'['.repeat(5000)}${']'.repeat(5000)}`).length).toBeLessThanOrEqual(1);
    expect(
      read(Array.from({ length: MAX_MESSAGES + 500 }, () => ({ role: 'user', content: 'x' }))),
    ).toHaveLength(MAX_MESSAGES);
    const long = read([{ role: 'user', content: 'x'.repeat(9_000_000) }]);
    expect(JSON.stringify(long).length).toBeLessThan(9_100_000);
  });
});

test('tool definitions of every shape', () => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } } };
  const expected = [{ name: 'get_weather', description: 'Weather', parameters: JSON.stringify(parameters) }];
  const one = { name: 'get_weather', description: 'Weather' };
  for (const shape of [
    [{ type: 'function', function: { ...one, parameters } }],
    [{ type: 'function', ...one, parameters }],
    [{ ...one, input_schema: parameters }],
    [{ type: 'function', ...one, inputSchema: parameters }],
    [{ functionDeclarations: [{ ...one, parameters }] }],
    [{ toolSpec: { ...one, inputSchema: parameters } }],
    [JSON.stringify({ type: 'function', ...one, inputSchema: parameters })],
    [{ tool: { json_schema: JSON.stringify({ type: 'function', function: { ...one, parameters } }) } }],
    { get_weather: { description: 'Weather', parameters } },
  ]) {
    expect(readTools(shape, new Budget()), JSON.stringify(shape)).toEqual(expected);
  }
  expect(readTools('{broken', new Budget())).toEqual([]);
});
