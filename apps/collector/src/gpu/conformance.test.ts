import type { Metric } from '@candela/semconv/metrics';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { seriesKey } from '../collection.ts';
import { MonotonicCounters } from '../counters.ts';
import type { PointAttributes } from '../point-attributes.ts';
import type { GpuDevice, GpuReading } from './device.ts';
import { NO_LIBRARIES } from './fixtures/library.ts';
import { MACHINES, type RunningMachine } from './fixtures/machines.ts';
import { VendorRun } from './fixtures/vendor-run.ts';
import { deviceAttributes, GpuPoints } from './points.ts';
import { Preference } from './profiling/prefer.ts';
import { VENDORS } from './vendors.ts';

/** Every vendor, whatever it reads from, keeps to what `vendor.ts` and `device.ts` say. */

interface Point {
  readonly metric: Metric;
  readonly value: number;
  readonly attributes: PointAttributes;
}
type Series = ReadonlyMap<string, Point>;

/** What can be true of a GPU, by unit and by name. */
const RANGES: readonly (readonly [RegExp, number, number])[] = [
  [/^hw\.temperature$/, -50, 150],
  [/^hw\.power(\.limit)?$/, 0, 5_000],
  [/^hw\.gpu\.speed$/, 0, 20e9],
  [/^hw\.fan\.speed$/, 0, 50_000],
  [/^hw\.gpu\.memory\.(limit|usage|free)$/, 0, 2 ** 44],
];

const open: RunningMachine[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.end();
});

/** The points of readings, each checked. */
function pointsOf(points: GpuPoints, readings: ReadonlyMap<GpuDevice, GpuReading>): Series {
  const series = new Map<string, Point>();
  const record = (metric: Metric, value: number, attributes: PointAttributes = {}): void => {
    const key = seriesKey(metric.name, attributes);
    expect(Number.isFinite(value), `${key} is a number`).toBe(true);
    for (const [name, of] of Object.entries(attributes)) {
      expect(metric.attributes, `${metric.name} declares ${name}`).toContain(name);
      expect(of, `${key}: ${name} says something`).not.toBe('');
    }
    expect(series.has(key), `${key} once`).toBe(false);
    if (metric.instrument !== 'gauge') expect(value, key).toBeGreaterThanOrEqual(0);
    if (metric.unit === '1') {
      expect(value, key).toBeGreaterThanOrEqual(0);
      expect(value, key).toBeLessThanOrEqual(1);
    }
    const [, least, most] = RANGES.find(([name]) => name.test(metric.name)) ?? [];
    if (least !== undefined && most !== undefined) {
      expect(value, key).toBeGreaterThanOrEqual(least);
      expect(value, key).toBeLessThanOrEqual(most);
    }
    series.set(key, { metric, value, attributes });
  };
  for (const [device, reading] of readings) points.record(record, device, reading);
  return series;
}

const only = (series: Series, id: string, name: string): readonly Point[] =>
  [...series.values()].filter(({ metric, attributes }) => metric.name === name && attributes['hw.id'] === id);

const valueOf = (series: Series, id: string, name: string): number | undefined =>
  only(series, id, name)[0]?.value;

function expectGrown(before: Series, after: Series): void {
  for (const [key, { metric, value }] of after) {
    if (metric.instrument === 'counter') {
      expect(value, key).toBeGreaterThanOrEqual(before.get(key)?.value ?? 0);
    }
  }
}

test('every vendor of the registry has a machine here', () => {
  const here = new Set(MACHINES.map(({ vendor }) => vendor));
  expect(VENDORS.map(({ id }) => id).filter((id) => !here.has(id))).toEqual([]);
  expect(new Set(VENDORS.map(({ id }) => id)).size).toBe(VENDORS.length);
});

describe.each(MACHINES.map((machine) => [machine.name, machine] as const))('%s', (_name, machine) => {
  const here = process.platform === 'linux' && (!machine.needsLibrary || NO_LIBRARIES === undefined);

  async function begin() {
    const running = machine.start();
    open.push(running);
    const devices = await running.run.devices(machine.pciVendor);
    const points = new GpuPoints(new MonotonicCounters(), 0.05);
    const read = async (): Promise<ReadonlyMap<GpuDevice, GpuReading>> => {
      const readings = new Map<GpuDevice, GpuReading>();
      for (const device of devices) readings.set(device, await running.run.read(device.id));
      return readings;
    };
    return { running, devices, points, read };
  }

  test.runIf(here)('its devices are told apart, and partitions know their GPU', async () => {
    const { devices } = await begin();
    expect(devices.length).toBeGreaterThan(0);
    expect(new Set(devices.map(({ id }) => id)).size).toBe(devices.length);
    const whole = devices.filter(({ partition }) => partition === undefined);
    expect(whole.map(({ index }) => index)).toEqual(whole.map((_, at) => at));
    for (const device of devices) {
      expect(device.vendor).toBe(machine.vendor);
      expect(device.name).not.toBe('');
      if (device.pciAddress !== undefined) {
        expect(device.pciAddress).toMatch(/^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/);
      }
      if (device.partition === undefined) continue;
      const parent = whole.find(({ id }) => id === device.partition?.parent);
      expect(parent?.index).toBe(device.index);
      expect(parent?.pciAddress).toBe(device.pciAddress);
      expect(deviceAttributes(device)).toMatchObject({ 'hw.parent': parent?.id });
    }
  });

  test.runIf(here)('two readings: in their ranges, once each, sums that only grow', async () => {
    const { running, points, read } = await begin();
    const first = pointsOf(points, await read());
    expect(first.size).toBeGreaterThan(0);
    running.after(60);
    expectGrown(first, pointsOf(points, await read()));
  });

  test.runIf(here)('a driver that was loaded again makes no sum fall, energy among them', async () => {
    const { running, points, read } = await begin();
    pointsOf(points, await read());
    running.after(60);
    const before = pointsOf(points, await read());
    running.after(0);
    const after = pointsOf(points, await read());
    expectGrown(before, after);
    for (const [key, { metric }] of before)
      if (metric.name === 'hw.energy') expect(after.has(key)).toBe(true);
  });

  test.runIf(here)('memory adds up; used, idle and state say one thing each, or nothing', async () => {
    const { running, points, read } = await begin();
    await read();
    running.after(60);
    const readings = await read();
    const series = pointsOf(points, readings);
    for (const [{ id, vendor }, reading] of readings) {
      const limit = valueOf(series, id, 'hw.gpu.memory.limit');
      const usage = valueOf(series, id, 'hw.gpu.memory.usage');
      const free = valueOf(series, id, 'hw.gpu.memory.free');
      expect([limit, usage, free].filter((value) => value === undefined)).toHaveLength(
        limit === undefined ? 3 : 0,
      );
      if (limit !== undefined && usage !== undefined) {
        expect(usage + (free ?? 0)).toBe(limit);
        expect(valueOf(series, id, 'hw.gpu.memory.utilization')).toBeCloseTo(usage / limit, 12);
      }
      const busy = reading.utilization?.general;
      const allocated = valueOf(series, id, 'hw.gpu.allocated');
      const idle = valueOf(series, id, 'hw.gpu.idle');
      if (busy === undefined) expect(idle, `${id}: nobody knows`).toBeUndefined();
      else expect(idle).toBe(busy >= 0.05 ? 0 : 1);
      if (busy === undefined && reading.processes === undefined && reading.held === undefined) {
        expect(allocated, `${id}: nobody knows`).toBeUndefined();
      }
      if (reading.processes?.some(({ memory }) => (memory ?? 0) > 0) === true) expect(allocated).toBe(1);

      const states = only(series, id, 'hw.status');
      if (reading.state === undefined) expect(states).toEqual([]);
      else {
        expect(states.map(({ value }) => value).filter((value) => value === 1)).toHaveLength(1);
        expect(states.find(({ value }) => value === 1)?.attributes['hw.state']).toBe(reading.state);
        expect(states).toHaveLength(4);
      }
      if (vendor === 'nvidia') expect(only(series, id, 'hw.fan.speed')).toEqual([]);
      for (const process of reading.processes ?? []) {
        expect(Number.isSafeInteger(process.pid) && process.pid > 0).toBe(true);
        expect(process.memory ?? 0).toBeGreaterThanOrEqual(0);
        expect(process.memory ?? 0).toBeLessThan(2 ** 53);
      }
    }
  });

  test.runIf(here)(
    'what is not known is not told: no key without a value, and all of it crosses threads',
    async () => {
      const { devices, read } = await begin();
      for (const reading of (await read()).values()) {
        expect(structuredClone(reading)).toEqual(reading);
        const look = (value: unknown, path: string): void => {
          expect(value, `${path} is told`).not.toBeUndefined();
          expect(value, path).not.toBeNaN();
          if (typeof value === 'object' && value !== null) {
            for (const [key, of] of Object.entries(value)) look(of, `${path}.${key}`);
          }
        };
        look(reading, 'reading');
      }
      expect(structuredClone(devices)).toEqual(devices);
    },
  );

  test.runIf(here)('a device that nobody found is refused, and stopping twice is stopping', async () => {
    const { running } = await begin();
    await expect(running.run.read('GPU-of-nobody')).rejects.toThrow();
    await running.run.vendor.stop();
  });

  test.runIf(here)('beside a profiling library its sums still only grow, whoever feeds them', async () => {
    const { running, devices, points, read } = await begin();
    const preference = new Preference(10);
    let before: Series = new Map();
    for (let round = 0; round < 8; round += 1) {
      running.after(round * 10);
      for (const { id } of devices) {
        const overlap = round % 3 === 2 ? {} : { pcie: { transmit: 5e6 * round, receive: 3e6 } };
        preference.sampled(
          id,
          round % 4 === 3
            ? undefined
            : { device: { uuid: id }, at: round * 10e6, activity: { pipes: {} }, overlap, blank: false },
        );
      }
      const readings = new Map(
        [...(await read())].map(([device, reading]) => [device, preference.apply(device, reading)]),
      );
      const series = pointsOf(points, readings);
      expectGrown(before, series);
      before = series;
    }
  });
});

describe.each(VENDORS.map((entry) => [entry.id, entry] as const))('%s without anything', (_id, entry) => {
  test('no device, no driver, no library: nothing, or the reason', async () => {
    const make = await entry.load();
    const run = new VendorRun(make, { libraries: ['/nowhere/libnone.so.1'] });
    const probe = await run.probe(entry.pciVendor);
    if (probe.state === 'unavailable') expect(probe.reason).not.toBe('');
    else expect(probe.devices).toEqual([]);
    await run.vendor.stop();
    run.tree.remove();
  });
});

test('whatever numbers a device tells, memory adds up and no sum falls', () => {
  const device: GpuDevice = { id: 'GPU-1', name: 'x', vendor: 'nvidia', index: 0, aliases: [] };
  const count = fc.record({ raw: fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }) });
  const any = fc.oneof(fc.double(), fc.integer());
  const reading: fc.Arbitrary<GpuReading> = fc.record(
    {
      memory: fc.record({ limit: fc.nat(2 ** 40), usage: fc.integer({ min: -5, max: 2 ** 41 }) }),
      utilization: fc.record({ general: any.filter((value) => !Number.isNaN(value)) }, { requiredKeys: [] }),
      energy: count,
      io: fc.record({ receive: count, transmit: count }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(reading, { maxLength: 8 }), (readings) => {
      const points = new GpuPoints(new MonotonicCounters(), 0.05);
      let before: Series = new Map();
      for (const one of readings) {
        const series = pointsOf(points, new Map([[device, one]]));
        const [limit, usage, free] = ['limit', 'usage', 'free'].map(
          (name) => valueOf(series, 'GPU-1', `hw.gpu.memory.${name}`) ?? 0,
        );
        expect((usage ?? 0) + (free ?? 0)).toBe(limit);
        expectGrown(before, series);
        before = new Map([...before, ...series]);
      }
    }),
  );
});
