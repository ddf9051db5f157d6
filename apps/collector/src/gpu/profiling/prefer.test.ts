import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GpuDevice, GpuReading } from '../device.ts';
import { Preference } from './prefer.ts';
import type { Overlap, ProfileSample } from './profiler.ts';

const GPU: GpuDevice = { id: 'GPU-1', name: 'Test', vendor: 'nvidia', index: 0, aliases: [] };

const sample = (seconds: number, overlap: Overlap, blank = false): ProfileSample => ({
  device: { uuid: 'GPU-1' },
  at: seconds * 1e6,
  activity: { pipes: {} },
  overlap,
  blank,
});
const rates = (bytesPerSecond: number) => ({ transmit: bytesPerSecond, receive: bytesPerSecond });
const io = (bytes: bigint): GpuReading => ({ io: { transmit: { raw: bytes }, receive: { raw: bytes } } });
const sent = (reading: GpuReading): number => Number(reading.io?.transmit?.raw ?? -1n);

test('what a sample has stands for the vendor’s value; what it lacks is the vendor’s', () => {
  const preference = new Preference(10);
  const vendor: GpuReading = {
    utilization: { general: 0.5, encoder: 0.1 },
    memoryControllerUtilization: 0.2,
    power: 100,
    clocks: { graphics: 1e9, sm: 1e9 },
    temperatures: { die: 60 },
  };
  expect(preference.apply(GPU, vendor)).toEqual(vendor);
  preference.sampled('GPU-1', sample(1, { utilization: 0.9, smClockHz: 1.7e9 }));
  expect(preference.apply(GPU, vendor)).toEqual({
    ...vendor,
    utilization: { general: 0.9, encoder: 0.1 },
    clocks: { graphics: 1e9, sm: 1.7e9 },
  });
  preference.sampled('GPU-1', sample(11, { powerW: 333, memoryControllerUtilization: 0.6 }, true));
  expect(preference.apply(GPU, vendor)).toEqual({ ...vendor, power: 333, memoryControllerUtilization: 0.6 });
  preference.sampled('GPU-1', undefined);
  expect(preference.apply(GPU, vendor)).toEqual(vendor);
  // Another GPU's samples are nobody else's.
  preference.sampled('GPU-2', sample(21, { powerW: 1 }));
  expect(preference.apply(GPU, vendor)).toEqual(vendor);
});

test('one counter for both producers: it goes on where the other left it, there and back', () => {
  const preference = new Preference(10);
  expect(sent(preference.apply(GPU, io(5_000n)))).toBe(5_000);
  expect(sent(preference.apply(GPU, io(6_000n)))).toBe(6_000);

  // The library takes over: the first round is still the vendor's, then its own rates count.
  preference.sampled('GPU-1', sample(100, { pcie: rates(10) }));
  expect(sent(preference.apply(GPU, io(6_500n)))).toBe(6_500);
  preference.sampled('GPU-1', sample(110, { pcie: rates(10) }));
  preference.sampled('GPU-1', sample(120, { pcie: rates(20) }));
  expect(sent(preference.apply(GPU, io(9_999n)))).toBe(6_500 + 100 + 200);
  // The same sample told again adds nothing.
  preference.sampled('GPU-1', sample(120, { pcie: rates(20) }));
  expect(sent(preference.apply(GPU, io(10_100n)))).toBe(6_800);

  // It goes blank: the vendor's counter goes on from here, not from where it stands itself.
  preference.sampled('GPU-1', sample(130, {}, true));
  expect(sent(preference.apply(GPU, io(10_400n)))).toBe(6_800 + 300);
  expect(sent(preference.apply(GPU, io(11_000n)))).toBe(6_800 + 300 + 600);
  // A driver that was loaded again counts from nothing.
  expect(sent(preference.apply(GPU, io(50n)))).toBe(7_700 + 50);
});

test('a gap between samples is not filled with a guess', () => {
  const preference = new Preference(10);
  preference.sampled('GPU-1', sample(0, { pcie: rates(1_000) }));
  preference.apply(GPU, {});
  preference.sampled('GPU-1', sample(10, { pcie: rates(1_000) }));
  expect(sent(preference.apply(GPU, {}))).toBe(10_000);
  preference.sampled('GPU-1', sample(3_600, { pcie: rates(1_000) }));
  expect(sent(preference.apply(GPU, {}))).toBe(10_000);
});

test('links keep the name the vendor has for them; without one they are NVLink', () => {
  const preference = new Preference(10);
  preference.sampled('GPU-1', sample(0, { links: rates(1) }));
  expect(preference.apply(GPU, {}).interconnect).toEqual({
    nvlink: { receive: { raw: 0n }, transmit: { raw: 0n } },
  });
  const other = preference.apply(GPU, { interconnect: { other: { receive: { raw: 7n, scale: 1_024 } } } });
  expect(Object.keys(other.interconnect ?? {})).toEqual(['other']);
});

test('whatever the two producers do, no counter falls', () => {
  const step = fc.record({
    vendor: fc.option(fc.bigInt({ min: 0n, max: 2n ** 40n }), { nil: undefined }),
    rate: fc.option(fc.double({ min: 0, max: 1e12, noNaN: true }), { nil: undefined }),
    seconds: fc.integer({ min: -5, max: 100 }),
    lost: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const preference = new Preference(10);
      let now = 1_000;
      let last = -1;
      for (const { vendor, rate, seconds, lost } of steps) {
        now += seconds;
        preference.sampled(
          'GPU-1',
          lost ? undefined : sample(now, rate === undefined ? {} : { pcie: rates(rate) }),
        );
        const told = preference.apply(GPU, vendor === undefined ? {} : io(vendor)).io?.transmit?.raw;
        if (told === undefined) continue;
        expect(Number(told)).toBeGreaterThanOrEqual(last);
        last = Number(told);
      }
    }),
  );
});
