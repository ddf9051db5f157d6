import type { Conversation, Message } from '@candela/semconv';
import { expect, it } from 'vitest';
import { fingerprint, identityOf, MessageMemory } from './conversation-memory.ts';

const said = (role: string, text: string): Message => ({ role, parts: [{ type: 'text', text }] });
const of = (...input: Message[]): Conversation => ({
  input,
  output: [],
  tools: [],
  toolExecution: undefined,
  retrievedDocuments: [],
  scores: [],
});

it('keeps each message once, however often it is repeated', () => {
  const memory = new MessageMemory();
  const first = memory.intern(of(said('user', 'a'), said('assistant', 'b')));
  const second = memory.intern(of(said('user', 'a'), said('assistant', 'b'), said('user', 'c')));
  expect(second.input[0]).toBe(first.input[0]);
  expect(second.input[1]).toBe(first.input[1]);
  expect(second.input[2]?.parts).toEqual([{ type: 'text', text: 'c' }]);
});

it('tells messages apart by role and content, not by reasoning', () => {
  const thinking: Message = {
    role: 'assistant',
    parts: [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'b' },
    ],
  };
  expect(identityOf(thinking)).toBe(identityOf(said('assistant', 'b')));
  expect(identityOf(said('user', 'b'))).not.toBe(identityOf(said('assistant', 'b')));
});

it('has no equal fingerprints among many texts', () => {
  const seen = new Set(Array.from({ length: 200_000 }, (_, index) => fingerprint(`message ${index}`)));
  expect(seen.size).toBe(200_000);
});
