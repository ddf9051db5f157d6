import { METRIC_LIMITS } from '@candela/contract';
import { expect, it } from 'vitest';
import type { Runner } from '../core/run.ts';
import { contextOf } from '../core/testing.ts';
import { countList } from './lists.ts';

const shape = (name: string) => ({
  Name: name,
  Kind: 'gauge',
  Unit: '',
  Monotonic: 0,
  Change: 0,
  Temporalities: [0],
  Description: '',
  Services: [],
  Environments: [],
  Series: 1,
  AllPoints: 1,
  Beyond: 0,
  PerSecond: 0,
  Last: [0, 1],
});

/** Answers every statement with so many shapes of metrics. */
const runnerOf = (shapes: number): Runner => ({
  run: async <T>() => Array.from({ length: shapes }, (_, index) => shape(`metric.${index}`)) as T[],
  seen: (context, _source, ask) => ask(context),
  visible: () => Promise.resolve(undefined),
  storeOf: () => Promise.reject(new Error('no store')),
});

it('a catalogue that was cut says that more match', async () => {
  const input = { window: { from: 0n, to: 1n }, filter: undefined, limit: 100_000 };
  const count = (shapes: number) => countList(runnerOf(shapes), contextOf(), 'metrics', input);
  expect(await count(3)).toEqual({ rows: 3, more: false });
  expect(await count(METRIC_LIMITS.names + 1)).toEqual({ rows: METRIC_LIMITS.names, more: true });
});
