/** Values that senders nest or repeat without end: read in their time, and never a failure. */
import { expect, it } from 'vitest';
import { readCall, readConversation } from '../normalise.ts';
import type { AttributeValue, SpanReader } from '../types.ts';
import { Budget } from './builder.ts';
import { documentsOf } from './extras.ts';
import { readMessages } from './messages.ts';
import { resultText } from './parts.ts';
import { readTools } from './tools.ts';

const TIMES = 20_000;
const nested = (before: string, after = '}', inmost = '1') =>
  before.repeat(TIMES) + inmost + after.repeat(TIMES);
const spanOf = (attributes: ReadonlyMap<string, AttributeValue>): SpanReader => ({
  name: 'span',
  scopeName: '',
  statusCode: 0,
  statusMessage: '',
  startTimeUnixNano: 0n,
  endTimeUnixNano: 0n,
  resource: new Map(),
  attributes,
  events: [],
});

it.each([
  ['messages', '{"message":', '}'],
  ['deltas', '{"delta":', '}'],
  ['content that is a message', '{"role":"user","content":', '}'],
  ['parts of OpenInference', '{"message_content":', '}'],
  ['calls', '{"role":"user","content":[{"tool_call":', '}]}'],
  ['constructors', '{"lc":1,"id":["AIMessage"],"kwargs":', '}'],
  ['lists', '[', ']'],
  ['lists of messages', '{"messages":[', ']}'],
  ['a text beside its parts', '{"content":"a","contents":[{"x":', '}]}'],
  ['results', '{"type":"tool_result","content":{"type":"content","value":', '}}'],
])('nested without end: %s', (_, before, after) => {
  const value = nested(before, after);
  expect(readMessages(value, 'user', new Budget())).toHaveLength(1);
  const { input } = readConversation(spanOf(new Map([['gen_ai.input.messages', value]])));
  expect(input).toHaveLength(1);
});

it('nested without end: the content of a result, tools, documents', () => {
  const result = JSON.parse(nested('{"type":"content","value":')) as unknown;
  expect(typeof resultText(result)).toBe('string');
  const content = [{ type: 'tool_result', tool_use_id: 'c', content: result }];
  expect(readMessages([{ role: 'user', content }], 'user', new Budget())).toMatchObject([
    { parts: [{ type: 'tool_result', id: 'c' }] },
  ]);
  expect(resultText({ type: 'content', value: [{ type: 'text', text: 'see' }] })).toBe('see');
  expect(readTools(nested('{"function":'), new Budget())).toEqual([]);
  expect(readTools(nested('{"functionDeclarations":[', ']}'), new Budget())).toEqual([]);
  expect(documentsOf(`[${nested('{"kwargs":')}]`, new Budget())).toEqual([]);
});

it('a span that cannot be read has an empty conversation', () => {
  class Unreadable extends Map<string, AttributeValue> {
    override get(key: string): AttributeValue | undefined {
      if (key === 'gen_ai.input.messages') throw new RangeError('Maximum call stack size exceeded');
      return super.get(key);
    }
  }
  const attributes = new Unreadable([
    ['gen_ai.request.model', 'm'],
    ['gen_ai.input.messages', '[]'],
  ]);
  const empty = { input: [], output: [], tools: [] };
  expect(readConversation(spanOf(attributes))).toMatchObject(empty);
  const events = [
    {
      name: 'gen_ai.client.inference.operation.details',
      timeUnixNano: 0n,
      attributes: new Unreadable([['gen_ai.input.messages', '[]']]),
    },
  ];
  const call = { convention: 'gen-ai', operation: 'chat', attributes: new Map(), events };
  expect(readCall(call)).toMatchObject(empty);
});
