import { expect, it } from 'vitest';
import type { Message, MessagePart } from '../types.ts';
import { callIds } from './call-ids.ts';

const call = (name: string, id = '', args = '{}'): MessagePart => ({
  type: 'tool_call',
  id,
  name,
  arguments: args,
});
const result = (name: string, id = ''): MessagePart => ({ type: 'tool_result', id, name, result: 'r' });
const message = (...parts: MessagePart[]): Message => ({ role: 'assistant', parts });

it('keeps the ids that were sent', () => {
  const [asked, answer] = [call('a', 'c1'), result('a', 'c1')];
  const idOf = callIds([message(asked), message(answer)]);
  expect([idOf(asked), idOf(answer), idOf({ type: 'text', text: 'c1' })]).toEqual(['c1', 'c1', '']);
});

it('gives results without id to the calls of the same tool, in order', () => {
  const asked = [call('a'), call('b'), call('a'), call('a', '', '{"x":1}')];
  const answers = [result('a'), result('a'), result('b'), result('a'), result('a'), result('c'), result('')];
  const idOf = callIds([message(...asked), message(...answers)]);
  const [first, b, second, third] = asked.map(idOf);
  expect(new Set([first, b, second, third]).size).toBe(4);
  expect(answers.map(idOf)).toEqual([first, second, b, third, '', '', '']);
});

it('is the same for the same conversation sent again, and another for another thread', () => {
  const before = call('a');
  const again = call('a');
  const id = callIds([message(before)], 'lead')(before);
  expect(callIds([message(again), message(result('a')), message(call('a'))], 'lead')(again)).toBe(id);
  expect(callIds([message(again)], 'writer')(again)).not.toBe(id);
});
