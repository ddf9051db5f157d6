import { expect, it } from 'vitest';
import { toolNames } from './tool-names.ts';

it('knows the calls that have an id and a name', () => {
  const call = (id: string, name: string) => ({ type: 'tool_call' as const, id, name, arguments: '' });
  const names = toolNames([
    { role: 'user', parts: [{ type: 'text', text: 'c1' }] },
    { role: 'assistant', parts: [call('c1', 'lookup'), call('', 'nameless'), call('c3', '')] },
  ]);
  expect([...names]).toEqual([['c1', 'lookup']]);
});
