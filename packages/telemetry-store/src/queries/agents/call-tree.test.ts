import { describe, expect, it } from 'vitest';
import { type HandOver, relationsOf, type TreeSpan } from './call-tree.ts';

const span = (SpanId: string, StartNs: number, more: Partial<TreeSpan>): TreeSpan => ({
  TraceId: 't',
  SpanId,
  StartNs: `${StartNs}`,
  ParentSpanId: '',
  AgentName: '',
  GenAiOperation: '',
  ToolName: '',
  Model: '',
  StatusCode: 'Unset',
  DurationNs: '1',
  Ended: 1,
  InTokens: 0,
  OutTokens: 0,
  Cost: null,
  CountsUsage: 0,
  ...more,
});
const run = (id: string, start: number, AgentName: string, ParentSpanId = '') =>
  span(id, start, { GenAiOperation: 'invoke_agent', AgentName, ParentSpanId });
const told = (SpanId: string, StartNs: number, more: Partial<HandOver>): HandOver => ({
  TraceId: 't',
  SpanId,
  StartNs: `${StartNs}`,
  AgentName: '',
  Node: '',
  ParentNode: '',
  FromAgent: '',
  ToAgent: '',
  ...more,
});
const edges = (spans: TreeSpan[], handOvers: HandOver[] = [], window = { from: 0n, to: 100n }) =>
  relationsOf(spans, handOvers, new Set(['chat']), window).map(
    ({ from, to, spans: own }) => `${from} > ${to.name} ${own.length}`,
  );

describe('who called whom', () => {
  it('is told by the node above, else by the agent above, else by who handed over last', () => {
    const spans = [
      run('1', 1, 'A'),
      run('2', 2, 'B', '1'),
      run('3', 3, 'C'),
      run('4', 9, 'C'),
      run('5', 9, 'D'),
    ];
    expect(edges(spans)).toEqual(['A > B 1']);
    const handOvers = [
      told('h1', 2, { FromAgent: 'B', ToAgent: 'C' }),
      told('h2', 5, { FromAgent: 'A', ToAgent: 'C' }),
      // Later than its run, and in another trace.
      told('h3', 10, { FromAgent: 'A', ToAgent: 'D' }),
      { ...told('h4', 1, { FromAgent: 'A', ToAgent: 'D' }), TraceId: 'other' },
      told('3', 3, { AgentName: 'C', Node: 'c' }),
      told('2', 2, { AgentName: 'B', Node: 'b', ParentNode: 'c' }),
    ];
    expect(edges(spans, handOvers)).toEqual(['C > B 1', 'B > C 1', 'A > C 1']);
  });

  it('counts what began in the time range alone', () => {
    const spans = [
      run('1', 1, 'A'),
      span('2', 5, { GenAiOperation: 'chat', Model: 'm', ParentSpanId: '1' }),
      span('3', 12, { GenAiOperation: 'chat', Model: 'm', ParentSpanId: '1' }),
      span('4', 20, { GenAiOperation: 'chat', Model: 'm', ParentSpanId: '1' }),
    ];
    expect(edges(spans, [], { from: 10n, to: 20n })).toEqual(['A > m 1']);
  });
});
