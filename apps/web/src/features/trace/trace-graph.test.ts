import { expect, it } from 'vitest';
import { testSpan } from './light-span.fixture.ts';
import { buildTraceGraph, MOST_EDGES, MOST_NODES } from './trace-graph.ts';
import { buildTree } from './tree.ts';

const graphOf = (spans: Parameters<typeof buildTree>[0] & ReturnType<typeof testSpan>[]) =>
  buildTraceGraph(spans, buildTree(spans));

it('folds agents, models and tools by name, everything else by service', () => {
  const graph = graphOf([
    testSpan('web', '', 'other', 0),
    testSpan('db', 'web', 'other', 1),
    testSpan('a', 'web', 'agent', 1, { agent: 'shop' }),
    testSpan('l1', 'a', 'llm', 2, { model: 'gpt-4o', durationMs: 10 }),
    testSpan('l2', 'a', 'llm', 3, { model: 'gpt-4o', durationMs: 20, status: 'error' }),
    testSpan('t', 'a', 'tool', 4, { tool: 'track' }),
    testSpan('sub', 't', 'agent', 5, { agent: 'shop' }),
  ]);
  expect(graph.nodes.map(({ id, detail }) => [id, detail])).toEqual([
    ['other s', '2 spans · 2 ms'],
    ['agent shop', '2 spans · 2 ms'],
    ['llm gpt-4o', '2 spans · 30 ms · 1 failed'],
    ['tool track', '1 span · 1 ms'],
  ]);
  expect(
    graph.edges.map(({ from, to, label, failed }) => `${from} > ${to} ${label}${failed ? ' !' : ''}`),
  ).toEqual([
    'other s > agent shop 1× · 1 ms',
    'agent shop > llm gpt-4o 2× · 15 ms !',
    'agent shop > tool track 1× · 1 ms',
    'tool track > agent shop 1× · 1 ms',
  ]);
  expect(graph.spansOf.get('llm gpt-4o')).toEqual(['l1', 'l2']);
  expect(graph.nodeOf.get('sub')).toBe('agent shop');
});

it('draws a trace without AI steps by span names, and says what it left out', () => {
  const spans = Array.from({ length: MOST_NODES + 30 }, (_, index) =>
    testSpan(`s${index}`, index === 0 ? '' : 's0', 'other', index, { name: `step ${index}` }),
  );
  const graph = graphOf(spans);
  expect(graph.nodes).toHaveLength(MOST_NODES);
  expect(graph.leftOut).toBe(30);
  expect(graph.edges).toHaveLength(MOST_NODES - 1);
});

it('draws the busiest calls of a dense trace, and says how many it left out', () => {
  const names = Array.from({ length: 30 }, (_, index) => `step ${index}`);
  const pairs = names.flatMap((from) => names.filter((to) => to > from).map((to) => ({ from, to })));
  const spans = pairs.flatMap(({ from, to }, index) => [
    testSpan(`${index}`, '', 'other', index, { name: from }),
    testSpan(`${index} below`, `${index}`, 'other', index, { name: to }),
  ]);
  const busy = Array.from({ length: 3 }, (_, index) =>
    testSpan(`busy ${index}`, `${pairs.length - 1}`, 'other', 9_000, { name: pairs.at(-1)?.to ?? '' }),
  );
  const graph = graphOf([...spans, ...busy]);
  expect(graph.edges).toHaveLength(MOST_EDGES);
  expect(graph.edgesLeftOut).toBe(pairs.length - MOST_EDGES);
  expect(graph.edges.some(({ count }) => count === 4)).toBe(true);
  expect(graph.leftOut).toBe(0);
});

it('gives spans without an end no duration', () => {
  const graph = graphOf([
    testSpan('a', '', 'agent', 0, { agent: 'shop' }),
    testSpan('l1', 'a', 'llm', 1, { model: 'm', durationMs: 30 }),
    testSpan('l2', 'a', 'llm', 2, { model: 'm', durationMs: 0, unfinished: true }),
    testSpan('t', 'a', 'tool', 3, { tool: 'track', durationMs: 0, unfinished: true }),
  ]);
  expect(graph.nodes.map(({ detail }) => detail)).toEqual([
    '1 span · 1 ms',
    '2 spans · 30 ms · 1 running',
    '1 span · no end yet',
  ]);
  expect(graph.edges.map(({ label }) => label)).toEqual(['2× · 30 ms', '1× · no end yet']);
});

it('draws nothing of nothing', () => {
  expect(graphOf([])).toMatchObject({ nodes: [], edges: [], leftOut: 0 });
});
