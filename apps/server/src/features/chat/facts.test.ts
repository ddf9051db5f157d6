import type { HierarchyNode, SpanDetail } from '@candela/contract';
import { describe, expect, it } from 'vitest';
import { factsOf } from './facts.ts';
import { applicable } from './improvement.ts';

type Node = Partial<Omit<HierarchyNode, 'children'>> & { readonly children?: readonly HierarchyNode[] };
const node = (spanId: string, about: Node = {}): HierarchyNode =>
  ({
    spanId,
    name: spanId,
    status: 'ok',
    offsetMs: 0,
    durationMs: 1,
    inputTokens: null,
    outputTokens: null,
    costUsd: null,
    children: [],
    ...about,
  }) as unknown as HierarchyNode;
const detail = (spanId: string, input: string, usage: SpanDetail['usage'] = null): SpanDetail =>
  ({
    spanId,
    name: 'tool',
    requestModel: null,
    usage,
    conversation: { input: [], output: [], toolExecution: { callId: '', arguments: input, result: '' } },
  }) as unknown as SpanDetail;

describe('facts', () => {
  const call = { inputTokens: 10, outputTokens: 5, costUsd: 0.5 };
  const roots = [
    node('root', {
      durationMs: 100,
      inputTokens: 20,
      outputTokens: 10,
      costUsd: 1,
      children: [
        node('a', { ...call, durationMs: 30 }),
        node('b', {
          ...call,
          offsetMs: 40,
          durationMs: 60,
          costUsd: 0.7,
          children: [node('c', { offsetMs: 90 })],
        }),
        node('t1', { name: 'tool', status: 'error', offsetMs: 5 }),
        node('t2', { name: 'tool', offsetMs: 6 }),
      ],
    }),
  ];
  const usage = { input: 2_000, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0 };
  const details = [
    detail('a', '{"x":1}', usage),
    detail('t1', '{"x":1}'),
    detail('t2', '{"y":1}'),
    detail('c', ''),
  ];

  it('count tokens once, and find what a person would look for', () => {
    expect(factsOf(roots, details, false)).toEqual({
      spans: 6,
      errors: 1,
      durationMs: 100,
      inputTokens: 20,
      outputTokens: 10,
      cacheReadTokens: 0,
      costUsd: 1.2,
      slowest: 'a',
      dearest: 'b',
      criticalPath: ['root', 'b', 'c'],
      duplicates: [['a', 't1']],
      retries: [['t1', 't2']],
      cacheMisses: ['a'],
      truncated: false,
    });
  });
});

describe('suggestions', () => {
  const prompt = 'Hello {{name}}, answer in {{language}}. Be kind. Be kind.';
  it.each([
    ['a passage that stands once', 'Hello', 'Hi', 1],
    ['a passage that stands twice', 'Be kind.', 'Be short.', 0],
    ['a passage that is not there', 'Goodbye', 'Bye', 0],
    ['a placeholder that goes', 'Hello {{name}}', 'Hello', 0],
    ['a placeholder that comes', 'Hello', 'Hello {{surname}}', 0],
    ['placeholders that change places', '{{name}}, answer in {{language}}', '{{language}} for {{name}}', 1],
    ['no change', 'Hello', 'Hello', 0],
    ['half a placeholder', '{{na', '{{sur', 0],
  ])('of %s', (_, original, replacement, kept) => {
    expect(applicable([prompt], [{ original, replacement, rationale: '' }])).toHaveLength(kept);
  });

  it('of messages: a passage stands in one of them, and placeholders stay in theirs', () => {
    const chat = ['You are kind to {{name}}.', 'Say hello to {{name}}. Be kind.'];
    const of = (original: string, replacement: string) =>
      applicable(chat, [{ original, replacement, rationale: '' }]).map(({ message }) => message);
    expect(of('Say hello to', 'Greet')).toEqual([1]);
    expect(of('You are', 'Be')).toEqual([0]);
    expect(of('kind', 'short')).toEqual([]);
    expect(of(' to {{name}}', '')).toEqual([]);
  });
});
