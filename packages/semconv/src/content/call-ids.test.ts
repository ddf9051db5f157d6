import { expect, it } from 'vitest';
import type { Message, MessagePart } from '../types.ts';
import { callIds, callIdsOf, stretchesOf } from './call-ids.ts';

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

it('numbers calls that were sent with the same id, once each was answered or another was asked for', () => {
  const parts = [
    call('a', 'c'),
    call('a', 'c'),
    call('a', 'c', '1'),
    result('', 'c'),
    result('', 'c'),
    call('a', 'c'),
  ];
  expect(callIdsOf({ input: [message(...parts)], output: [] }).input).toEqual([
    ['c', 'c', 'c #2', 'c', 'c #2', 'c #3'],
  ]);
});

it('takes the state that a graph gives back for what it was given', () => {
  const state = [message({ type: 'text', text: 'q' }), message(call('a', 'c')), message(result('', 'c'))];
  expect(callIdsOf({ input: state, output: state }).output).toEqual([[''], ['c'], ['c']]);
});

it('reads a message in its order, and tells at its end where it stopped', () => {
  const text = (words: string): MessagePart => ({ type: 'text', text: words });
  const parts = [text('a'), call('f', 'c'), result('f', 'c'), text('b'), text('c'), call('f', 'd')];
  const stretches = stretchesOf({ role: 'assistant', finishReason: 'stop', parts }, (at) => at === 2);
  expect(stretches.map((one) => (one.kind === 'said' ? [one.at, one.message] : [one.at, one.part]))).toEqual([
    [0, { role: 'assistant', parts: [text('a')] }],
    [1, parts[1]],
    [3, { role: 'assistant', finishReason: 'stop', parts: [text('b'), text('c')] }],
    [5, parts[5]],
  ]);
});

it('answers calls in their order, whatever was answered before', () => {
  const parts = [
    call('a', 'c', '1'),
    call('a', 'c', '2'),
    result('', 'c'),
    call('a', 'c', '2'),
    call('a', 'c', '1'),
    result('', 'c'),
    result('', 'c'),
    result('', 'c'),
    result('', 'never asked'),
  ];
  expect(callIdsOf({ input: [message(...parts)], output: [] }).input).toEqual([
    ['c', 'c #2', 'c', 'c #2', 'c #3', 'c #2', 'c #3', 'c #3', 'never asked'],
  ]);
});

// Looked up one by one among all the others, so many would take longer than a test may.
it.each(['c', ''])('looks each of 100,000 calls up once, however many share the id "%s"', (id) => {
  const calls = Array.from({ length: 100_000 }, (_, nth) => call('a', id, String(nth)));
  const messages = [message(...calls), message(...calls.map(() => result('a', id)))];
  const idOf = callIds(messages);
  expect(idOf(messages[1]?.parts.at(-1) as MessagePart)).toBe(idOf(calls.at(-1) as MessagePart));
});
