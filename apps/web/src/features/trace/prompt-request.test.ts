import type { Conversation } from '@candela/semconv';
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { promptCurl, promptRequest } from './prompt-request.ts';

const conversation: Conversation = {
  input: [
    { role: 'system', parts: [{ type: 'text', text: "Don't guess" }] },
    {
      role: 'user',
      parts: [
        { type: 'text', text: 'What is it?' },
        { type: 'media', modality: 'image', mimeType: 'image/png', uri: 'data:image/png;base64,AAAA' },
        { type: 'media', modality: 'audio', mimeType: 'audio/wav', uri: 'data:audio/wav;base64,BBBB' },
      ],
    },
    {
      role: 'model',
      parts: [
        { type: 'reasoning', text: 'hm' },
        { type: 'tool_call', id: '', name: 'zoom', arguments: '{"x":1}' },
        { type: 'tool_call', id: 'given', name: 'crop', arguments: '{"y": ' },
      ],
    },
    {
      role: 'user',
      parts: [
        { type: 'tool_result', id: '', name: 'zoom', result: 'a hat' },
        { type: 'tool_result', id: 'given', name: 'crop', result: 'no' },
        { type: 'text', text: 'And now?' },
      ],
    },
  ],
  output: [{ role: 'assistant', parts: [{ type: 'text', text: 'A hat.' }] }],
  tools: [
    { name: 'zoom', description: 'nearer', parameters: '{"type":"object","properties":{}}' },
    { name: 'crop', description: '', parameters: 'broken' },
  ],
  toolExecution: undefined,
  retrievedDocuments: [],
  scores: [],
};
const detail = {
  requestModel: 'gpt-4o',
  responseModel: 'gpt-4o-2024-08-06',
  conversation,
  attributes: [
    { key: 'gen_ai.request.temperature', type: 'double' as const, value: 0.2 },
    { key: 'gen_ai.request.stop_sequences', type: 'json' as const, value: ['END'] },
    { key: 'gen_ai.provider.name', type: 'string' as const, value: 'openai' },
  ],
};

describe('a model call as a request', () => {
  it('says what was said, results as messages of their own, ids that fit', () => {
    expect(promptRequest(detail)).toEqual({
      model: 'gpt-4o',
      messages: [
        { role: 'system', content: "Don't guess" },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            { type: 'input_audio', input_audio: { data: 'BBBB', format: 'wav' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'zoom', arguments: '{"x":1}' } },
            { id: 'given', type: 'function', function: { name: 'crop', arguments: '{"y": ' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'a hat' },
        { role: 'tool', tool_call_id: 'given', content: 'no' },
        { role: 'user', content: 'And now?' },
      ],
      tools: [
        {
          type: 'function',
          function: {
            name: 'zoom',
            description: 'nearer',
            parameters: { type: 'object', properties: {} },
          },
        },
        { type: 'function', function: { name: 'crop', parameters: { type: 'object' } } },
      ],
      temperature: 0.2,
      stop: ['END'],
    });
  });

  it('reaches the endpoint as it is, whatever it says and however long it is', () => {
    const text = `it's $(id) \`id\` \\ \nPROMPT\n"end" ${'long '.repeat(60_000)}`;
    const command = promptCurl({
      ...detail,
      conversation: { ...conversation, input: [{ role: 'user', parts: [{ type: 'text', text }] }] },
    });
    // By standard input, as a paste into a terminal: one argument could not hold it.
    const body = execFileSync('sh', { input: `curl() { cat; }\n${command}`, encoding: 'utf8' });
    expect(JSON.parse(body)).toMatchObject({ messages: [{ content: text }] });
  });
});
