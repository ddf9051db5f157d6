import type { PlaygroundMessage } from '@candela/contract';
import { expect, it } from 'vitest';
import { recordedIn, resultFor } from './recorded.ts';

const MESSAGES: readonly PlaygroundMessage[] = [
  { role: 'user', text: 'Weather?' },
  {
    role: 'assistant',
    text: '',
    toolCalls: [
      { id: 'a', name: 'weather', input: { city: 'Paris' } },
      { id: 'b', name: 'weather', input: '{"city": "Rome"}' },
      { id: 'c', name: 'time', input: {} },
    ],
  },
  { role: 'tool', id: 'a', name: 'weather', output: 'rain' },
  { role: 'tool', id: 'b', name: 'weather', output: 'sun' },
];

it('the result of the same call wins, however its arguments were written; else the newest of the tool, with its arguments', () => {
  const recorded = recordedIn(MESSAGES);
  const of = (name: string, input: unknown) => resultFor(recorded, { name, input });
  expect(of('weather', { city: 'Paris' })).toEqual({ output: 'rain', of: undefined });
  expect(of('weather', { city: 'Rome' })).toEqual({ output: 'sun', of: undefined });
  expect(of('weather', { city: 'Oslo' })).toEqual({ output: 'sun', of: '{"city":"Rome"}' });
  // A call without a result has none, and no tool has the result of another.
  expect(of('time', {})).toBeUndefined();
  expect(of('search', { city: 'Paris' })).toBeUndefined();
});
