import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { KINDS, kindOf, type Subject } from './index.ts';

const subject = (more: Partial<Subject> = {}): Subject => ({
  input: 'What is the capital of France?',
  output: 'Paris',
  contexts: [],
  toolCalls: [],
  ...more,
});

/** Per kind: settings, a subject that is best, one that is not. */
const CASES: Record<string, [settings: object, good: Partial<Subject>, bad: Partial<Subject>]> = {
  equals: [{}, { expected: ' paris ' }, { expected: 'Rome' }],
  contains: [{ phrases: ['par', 'IS'] }, {}, { output: 'par' }],
  starts_ends: [{ start: 'P', end: 's' }, {}, { output: 'sP' }],
  regex: [{ pattern: '^P.*s$' }, {}, { output: 'Rome' }],
  refusal: [{}, {}, { output: 'I’m sorry, but I can’t do that.' }],
  url_allow_list: [
    { hosts: ['example.com'] },
    { output: 'see https://docs.example.com/a' },
    { output: 'see https://example.com@evil.test/' },
  ],
  json_valid: [{}, { output: '```json\n{"a":1}\n```' }, { output: '{a' }],
  json_schema: [
    { schema: { type: 'object', required: ['a'], properties: { a: { type: 'string', pattern: '^x' } } } },
    { output: '{"a":"x1"}' },
    { output: '{"a":"y"}' },
  ],
  levenshtein: [{}, { expected: 'Paris' }, { expected: 'completely different' }],
  token_f1: [{}, { output: 'the city of Paris', expected: 'Paris, the city of' }, { expected: 'Rome' }],
  numeric: [{ number: 1_200, tolerance: 5 }, { output: 'about 1,203 euros' }, { output: '9' }],
  length: [{ max: 10 }, {}, { output: 'x'.repeat(11) }],
  latency: [{ max: 100 }, { durationMs: 99 }, { durationMs: 101 }],
  cost: [{ max: 0.1 }, { costUsd: 0.01 }, { costUsd: 1 }],
  tokens: [{ max: 10 }, { inputTokens: 5, outputTokens: 5 }, { inputTokens: 11 }],
  no_error: [{}, { failed: false }, { failed: true, errorType: 'Timeout' }],
  tool_called: [
    { tools: ['a', 'b'], inOrder: true },
    { toolCalls: ['a', 'x', 'b'].map((name) => ({ name, arguments: '{}' })) },
    { toolCalls: ['b', 'a'].map((name) => ({ name, arguments: '{}' })) },
  ],
  tool_arguments: [
    { tool: 'a', arguments: { city: 'Paris' } },
    { toolCalls: [{ name: 'a', arguments: '{"city":"Paris","n":1}' }] },
    { toolCalls: [{ name: 'a', arguments: 'not json' }] },
  ],
  secrets: [{}, {}, { output: 'write to ada@example.com' }],
};

describe('deterministic evaluators', () => {
  it('each has a case here, an id of its own and settings that are a JSON Schema', () => {
    expect(Object.keys(CASES)).toEqual(KINDS.map(({ id }) => id));
    for (const { settings } of KINDS) expect(z.toJSONSchema(settings)).toHaveProperty('type', 'object');
  });

  it.each(Object.entries(CASES))(
    '%s tells the good from the bad, always alike',
    (id, [settings, good, bad]) => {
      const kind = kindOf(id);
      if (kind === undefined) throw new Error(id);
      const judge = kind.prepare(kind.settings.parse(settings));
      const better = judge(subject(good));
      const worse = judge(subject(bad));
      expect(better).toMatchObject({ value: 1 });
      expect(worse).toHaveProperty('value');
      expect((worse as { value: number }).value).toBeLessThan(0.5);
      expect(judge(subject(bad))).toEqual(worse);
    },
  );

  it('what is not known is skipped, never scored', () => {
    for (const id of [
      'equals',
      'levenshtein',
      'token_f1',
      'numeric',
      'latency',
      'cost',
      'tokens',
      'no_error',
    ]) {
      const kind = kindOf(id);
      expect(kind?.prepare(kind.settings.parse({}))(subject())).toHaveProperty('skip');
    }
  });

  it('bad settings are refused with a sentence', () => {
    const prepare = (id: string, settings: object) => {
      const kind = kindOf(id);
      return () => kind?.prepare(kind.settings.parse(settings));
    };
    expect(prepare('regex', { pattern: '(' })).toThrow();
    expect(prepare('json_schema', { schema: { $ref: 'https://example.com/x' } })).toThrow();
    expect(prepare('json_schema', { schema: { title: 'x'.repeat(70_000) } })).toThrow('64 kB');
    expect(prepare('json_schema', { schema: { type: 'string', pattern: '(?<=a)b' } })).toThrow();
  });
});
