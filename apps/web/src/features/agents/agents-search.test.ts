import type { AgentFigures, AgentRow } from '@candela/contract';
import { expect, it } from 'vitest';
import { fillTrend, sortAgents, validateAgentsSearch } from './agents-search.ts';

const figures = (count: number, errors = 0): AgentFigures => ({
  count,
  errors,
  p50Ms: null,
  p95Ms: null,
  inputTokens: null,
  outputTokens: null,
  costUsd: null,
  q: '',
});
const agent = (name: string, runs: number, calls: number, errors = 0): AgentRow => ({
  name,
  key: name,
  frameworks: [],
  services: [],
  providers: [],
  models: [],
  firstSeen: '2026-11-20T00:00:00.000Z',
  lastSeen: '2026-11-20T00:00:00.000Z',
  runs: figures(runs, errors),
  calls: figures(calls, errors),
  tools: figures(0),
  versions: 1,
  trend: [],
});

it('puts agents in order by what a column shows', () => {
  const all = [agent('b', 10, 5), agent('a', 0, 20, 10), agent('C', 3, 3)];
  const names = (sort: string | undefined) => sortAgents(all, sort).map(({ name }) => name);
  expect(names(undefined)).toEqual(['a', 'b', 'C']);
  expect(names('name')).toEqual(['a', 'b', 'C']);
  expect(names('-runs')).toEqual(['b', 'C', 'a']);
  expect(names('-errors')).toEqual(['a', 'b', 'C']);
  expect(validateAgentsSearch({ sort: '-p95', search: 'x', row: 5 })).toEqual({ sort: '-p95', search: 'x' });
  expect(validateAgentsSearch({ sort: '__proto__' })).toEqual({});
});

it('fills the buckets that counted nothing', () => {
  const window = { fromMs: 60_000, toMs: 1_000_000 };
  const trend = [
    { time: new Date(300_000).toISOString(), count: 4 },
    { time: new Date(9_000_000).toISOString(), count: 1 },
  ];
  expect(fillTrend(trend, window, 300)).toEqual([0, 4, 0, 0]);
});
