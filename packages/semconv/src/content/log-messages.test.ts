import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readConversation } from '../index.ts';
import type { AttributeValue, LogReader, SpanReader } from '../types.ts';

type Values = Readonly<Record<string, AttributeValue>>;

const span = (attributes: Values = {}): SpanReader => ({
  name: 'chat gpt-4o',
  scopeName: 'test',
  statusCode: 0,
  statusMessage: '',
  startTimeUnixNano: 1n,
  endTimeUnixNano: 2n,
  attributes: new Map(
    Object.entries({ 'gen_ai.operation.name': 'chat', 'gen_ai.system': 'openai', ...attributes }),
  ),
  resource: new Map(),
  events: [],
});

const log = (eventName: string, body: unknown, attributes: Values = {}): LogReader => ({
  eventName,
  scopeName: 'test',
  body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
  attributes: new Map(Object.entries(attributes)),
  resource: new Map(),
});

const text = (role: string, content: string) => ({ role, parts: [{ type: 'text', text: content }] });

describe('messages in log records', () => {
  it('one record a message, as the OpenAI instrumentation of OpenTelemetry sends them', () => {
    const call = {
      id: 'call_1',
      type: 'function',
      function: { name: 'weather', arguments: '{"city":"Oslo"}' },
    };
    const conversation = readConversation(span(), [
      log('gen_ai.system.message', { content: 'Be brief' }, { 'gen_ai.system': 'openai' }),
      log('gen_ai.user.message', { content: 'Weather in Oslo?' }),
      log('gen_ai.assistant.message', { tool_calls: [call] }),
      log('gen_ai.tool.message', { id: 'call_1', content: 'Rain' }),
      log('gen_ai.choice', {
        index: 0,
        finish_reason: 'stop',
        message: { role: 'assistant', content: 'It rains.' },
      }),
    ]);
    expect(conversation.input).toEqual([
      text('system', 'Be brief'),
      text('user', 'Weather in Oslo?'),
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' }],
      },
      { role: 'tool', parts: [{ type: 'tool_result', id: 'call_1', name: '', result: 'Rain' }] },
    ]);
    expect(conversation.output).toEqual([{ ...text('assistant', 'It rains.'), finishReason: 'stop' }]);
  });

  it('one record a call, the last of them', () => {
    const details = (question: string): LogReader =>
      log('gen_ai.client.inference.operation.details', undefined, {
        'gen_ai.system_instructions': '[{"type":"text","content":"Be brief"}]',
        'gen_ai.input.messages': `[{"role":"user","parts":[{"type":"text","content":"${question}"}]}]`,
        'gen_ai.output.messages': [
          new Map<string, AttributeValue>([
            ['role', 'assistant'],
            [
              'parts',
              [
                new Map([
                  ['type', 'text'],
                  ['content', 'Paris'],
                ]),
              ],
            ],
          ]),
        ],
        'gen_ai.tool.definitions': '[{"name":"map","description":"Shows a map"}]',
      });
    const conversation = readConversation(span(), [details('Hm?'), details('Capital of France?')]);
    expect(conversation.input).toEqual([text('system', 'Be brief'), text('user', 'Capital of France?')]);
    expect(conversation.output).toEqual([text('assistant', 'Paris')]);
    expect(conversation.tools).toEqual([{ name: 'map', description: 'Shows a map', parameters: '' }]);
  });

  it('named by an attribute or by the body, told in attributes or in the body', () => {
    const conversation = readConversation(span(), [
      log('', { content: 'Hello' }, { 'event.name': 'gen_ai.user.message' }),
      log('', 'gen_ai.choice', { message: '{"content":"Hi"}', finish_reason: 'length' }),
    ]);
    expect(conversation.input).toEqual([text('user', 'Hello')]);
    expect(conversation.output).toEqual([{ ...text('assistant', 'Hi'), finishReason: 'length' }]);
    const inBody = readConversation(span(), [
      log('gen_ai.client.inference.operation.details', {
        'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'Hello' }] }],
      }),
    ]);
    expect(inBody.input).toEqual([text('user', 'Hello')]);
  });

  it('complete what the span says and never repeat it', () => {
    const own = {
      'gen_ai.system_instructions': '[{"type":"text","content":"Own instructions"}]',
      'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":"Own answer"}]}]',
    };
    const logs = [
      log('gen_ai.user.message', { content: 'Hello' }),
      log('gen_ai.choice', { message: { content: 'Other answer' } }),
    ];
    const conversation = readConversation(span(own), logs);
    expect(conversation.input).toEqual([text('system', 'Own instructions'), text('user', 'Hello')]);
    expect(conversation.output).toEqual([text('assistant', 'Own answer')]);
    const withInput = { 'gen_ai.input.messages': '[{"role":"user","content":"Own question"}]' };
    expect(readConversation(span(withInput), logs).input).toEqual([text('user', 'Own question')]);
  });

  it('show nothing where the sender keeps the content to itself', () => {
    const conversation = readConversation(span(), [
      log('gen_ai.user.message', {}),
      log('gen_ai.user.message', undefined),
      log('gen_ai.choice', { index: 0, finish_reason: 'stop', message: { role: 'assistant' } }),
    ]);
    expect(conversation.input).toEqual([]);
    expect(conversation.output).toEqual([]);
  });

  it('add scores, each once', () => {
    const score = log('gen_ai.evaluation.result', undefined, {
      'gen_ai.evaluation.name': 'relevance',
      'gen_ai.evaluation.score.value': 0.8,
    });
    expect(readConversation(span(), [score, score]).scores).toEqual([
      { name: 'relevance', value: 0.8, label: '', explanation: '', idempotencyKey: '' },
    ]);
  });

  it('never throw, whatever they hold', () => {
    const name = fc.constantFrom(
      'gen_ai.user.message',
      'gen_ai.tool.message',
      'gen_ai.choice',
      'gen_ai.client.inference.operation.details',
      'gen_ai.evaluation.result',
      'gen_ai.unknown',
    );
    fc.assert(
      fc.property(name, fc.oneof(fc.json(), fc.string()), fc.json(), (event, body, value) => {
        const attributes = { 'gen_ai.input.messages': value, message: value, content: value };
        const { input, output } = readConversation(span(), [log(event, body, attributes)]);
        for (const message of [...input, ...output]) expect(typeof message.role).toBe('string');
      }),
    );
  });
});
