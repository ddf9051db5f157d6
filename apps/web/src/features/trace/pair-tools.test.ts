import type { Message, MessagePart } from '@candela/semconv';
import { expect, it } from 'vitest';
import { pairTools } from './pair-tools.ts';

const call = (id: string): MessagePart => ({ type: 'tool_call', id, name: 'n', arguments: '{}' });
const result = (id: string, text: string, name = ''): MessagePart => ({
  type: 'tool_result',
  id,
  name,
  result: text,
});
const message = (role: string, ...parts: MessagePart[]): Message => ({ role, parts });

it('puts results to their calls, once each, and leaves strangers alone', () => {
  const paired = pairTools([
    message('tool', result('c1', 'before its call')),
    message('assistant', call('c1'), call('c2'), call('')),
    message('tool', result('c1', 'one')),
    message('user', result('c2', 'two'), { type: 'text', text: 'and?' }),
    message('tool', result('c1', 'again'), result('c9', 'whose?'), result('', 'nameless')),
  ]);
  expect([...paired.results].map(([of, { result }]) => [of.type === 'tool_call' && of.id, result])).toEqual([
    ['c1', 'one'],
    ['c2', 'two'],
  ]);
  expect(paired.messages.map(({ role, parts }) => [role, parts.length])).toEqual([
    ['tool', 1],
    ['assistant', 3],
    ['user', 1],
    ['tool', 3],
  ]);
  // The third message is only a result.
  expect(paired.places).toEqual([0, 1, 3, 4]);
});

it('gives the result of a tool that numbers no calls to the call before it', () => {
  const paired = pairTools([message('assistant', call('')), message('user', result('', 'one', 'n'))]);
  expect([...paired.results.values()]).toEqual([result('', 'one', 'n')]);
  expect(paired.messages).toHaveLength(1);
});
