import { expect, it } from 'vitest';
import type { Message } from '../types.ts';
import { callIdsOf } from './call-ids.ts';
import { CallResults } from './call-results.ts';

const asks = (id: string): Message => ({
  role: 'assistant',
  parts: [{ type: 'tool_call', id, name: 'f', arguments: '{"a":1}' }],
});
const answer: Message = { role: 'tool', parts: [{ type: 'tool_result', id: '0', name: '', result: 'x' }] };
const told = (results: CallResults<string>, thread: string, ...output: Message[]) =>
  results.addTold(thread, { input: [], output }, callIdsOf({ input: [], output }, thread));
const run = (callId: string, result: string, input = '{"a":1}') => ({ callId, arguments: input, result });

it('takes a run that a second span tells for the one it is, and not for a later call', () => {
  const results = new CallResults<string>();
  told(results, '', asks('0'));
  results.addRun('', run('0', 'x'), false, 'outer');
  results.addRun('', run('0', 'x', '{ "a": 1 }'), false, 'inner');
  told(results, '', asks('0'), answer, asks('0'));
  results.addRun('', run('0', 'x'), false, 'second');
  expect(['outer', 'inner', 'second'].map((one) => results.firstOf(one))).toEqual([
    'outer',
    'outer',
    'second',
  ]);
  expect(results.of('', '0 #2')?.by).toBe('second');
});

it('keeps a run that gave something else, and one that another thread asked for', () => {
  const results = new CallResults<string>();
  told(results, 'a', asks('0'));
  results.addRun('a', run('0', 'x'), true, 'failed');
  results.addRun('a', run('0', 'y'), false, 'again');
  told(results, 'b', asks('0'));
  results.addRun('b', run('0', 'y'), false, 'other');
  expect(['again', 'other'].map((one) => results.firstOf(one))).toEqual(['again', 'other']);
});
