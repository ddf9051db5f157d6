import { defaultResource } from '@opentelemetry/resources';
import { metric } from '@candela/semconv/metrics';
import { expect, it } from 'vitest';
import { SDK_VERSION } from '../about.ts';
import type { Point, Tick } from '../collection.ts';
import { TickProducer } from './resource-metrics.ts';

const declared = { description: 'A test.', attributes: ['a'] };
const io = metric({ name: 'system.disk.io', instrument: 'counter', unit: 'By', ...declared });
const used = metric({ name: 'system.memory.usage', instrument: 'updown', unit: 'By', ...declared });
const busy = metric({ name: 'system.cpu.utilization', instrument: 'gauge', unit: '1', ...declared });
const time = metric({ name: 'process.cpu.time', instrument: 'counter', unit: 's', ...declared });

const BOOT = 1_000_000;
const PROCESS = 2_000_000;
const resource = new Map([['host.name', 'one']]);

function producer(temporality: 'cumulative' | 'delta', ticks: Tick[]): TickProducer {
  return new TickProducer({
    maxAgeMs: 0,
    collect: async () => ticks.shift() ?? { at: 0, points: new Map() },
    resource: () => resource,
    starts: { bootMs: BOOT, processMs: PROCESS },
    temporality,
    version: '1.2.3',
  });
}
const tick = (at: number, ...points: [typeof io, ...Point[]][]): Tick => ({
  at,
  points: new Map(points.map(([of, ...found]) => [of, found])),
});
const point = (value: number, a = 'x'): Point => ({ value, attributes: { a } });

async function shown(of: TickProducer) {
  const { resourceMetrics } = await of.collect();
  const [scope] = resourceMetrics.scopeMetrics;
  return (scope?.metrics ?? []).map((data) => ({
    name: data.descriptor.name,
    valueType: data.descriptor.valueType,
    kind: 'isMonotonic' in data ? (data.isMonotonic ? 'counter' : 'updown') : 'gauge',
    temporality: data.aggregationTemporality === 0 ? 'delta' : 'cumulative',
    points: data.dataPoints.map(({ startTime, endTime, attributes, value }) => [
      attributes['a'],
      value,
      startTime[0] * 1_000 + startTime[1] / 1e6,
      endTime[0] * 1_000 + endTime[1] / 1e6,
    ]),
  }));
}

it('says what each metric is, and since when its sums count', async () => {
  const at = 3_000_500;
  const made = producer('cumulative', [
    tick(at, [io, point(10.4)], [used, point(5)], [busy, point(0.25)], [time, point(1.5)]),
  ]);
  expect(await shown(made)).toEqual([
    {
      name: 'system.disk.io',
      valueType: 0,
      kind: 'counter',
      temporality: 'cumulative',
      points: [['x', 10, BOOT, at]],
    },
    {
      name: 'system.memory.usage',
      valueType: 0,
      kind: 'updown',
      temporality: 'cumulative',
      points: [['x', 5, BOOT, at]],
    },
    {
      name: 'system.cpu.utilization',
      valueType: 1,
      kind: 'gauge',
      temporality: 'cumulative',
      points: [['x', 0.25, BOOT, at]],
    },
    {
      name: 'process.cpu.time',
      valueType: 1,
      kind: 'counter',
      temporality: 'cumulative',
      points: [['x', 1.5, PROCESS, at]],
    },
  ]);
});

it('counts performance counters since the agent has opened them', async () => {
  const cycles = metric({ name: 'hw.cpu.cycles', instrument: 'counter', unit: '{cycle}', ...declared });
  expect(await shown(producer('cumulative', [tick(3_000_000, [cycles, point(9)])]))).toMatchObject([
    { points: [['x', 9, PROCESS, 3_000_000]] },
  ]);
});

it('no longer sends a series that is gone', async () => {
  const made = producer('cumulative', [
    tick(1_000_100, [io, point(1, 'sda'), point(2, 'sdb')], [busy, point(1)]),
    tick(1_000_200, [io, point(3, 'sda')]),
  ]);
  await shown(made);
  made.commit();
  expect(await shown(made)).toMatchObject([
    { name: 'system.disk.io', points: [['sda', 3, BOOT, 1_000_200]] },
  ]);
});

it('sends counters as differences to what arrived, when asked to, and the rest as it is', async () => {
  const made = producer('delta', [
    tick(3_000_000, [io, point(100)], [used, point(5)]),
    tick(3_000_010, [io, point(130)], [used, point(6)]),
    tick(3_000_020, [io, point(150), point(7, 'new')]),
    tick(3_000_030, [io, point(150), point(9, 'new')]),
  ]);
  expect(await shown(made)).toMatchObject([{ name: 'system.memory.usage', temporality: 'cumulative' }]);
  made.commit();
  // This one does not arrive: the next carries its part as well.
  expect(await shown(made)).toMatchObject([
    { name: 'system.disk.io', temporality: 'delta', points: [['x', 30, 3_000_000, 3_000_010]] },
    { name: 'system.memory.usage' },
  ]);
  expect(await shown(made)).toMatchObject([{ points: [['x', 50, 3_000_000, 3_000_020]] }]);
  made.commit();
  expect(await shown(made)).toMatchObject([
    {
      points: [
        ['x', 0, 3_000_020, 3_000_030],
        ['new', 2, 3_000_020, 3_000_030],
      ],
    },
  ]);
});

it('lets no difference end before it began when the wall clock is set back', async () => {
  const made = producer('delta', [tick(3_000_000, [io, point(1)]), tick(2_000_000, [io, point(3)])]);
  await shown(made);
  made.commit();
  expect(await shown(made)).toMatchObject([{ points: [['x', 2, 2_000_000, 2_000_000]] }]);
});

it('names the SDK that is installed', () => {
  expect(defaultResource().attributes['telemetry.sdk.version']).toBe(SDK_VERSION);
});
