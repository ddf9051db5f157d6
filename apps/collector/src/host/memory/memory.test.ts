import fc from 'fast-check';
import { expect, test } from 'vitest';
import { captured } from '../../fixtures/captured.ts';
import { parseVmStatistics } from './darwin.ts';
import { memoryOf } from './linux.ts';
import { parseMeminfo } from './meminfo.ts';

const sum = (states: ReadonlyMap<string, number>): number => [...states.values()].reduce((a, b) => a + b, 0);

test('a real file: the states add up to the total', () => {
  const rows = parseMeminfo(captured('vm', 'proc/meminfo'));
  const reading = memoryOf(rows);
  expect(reading?.limit).toBe(rows.get('MemTotal'));
  expect(sum(reading?.states ?? new Map())).toBe(rows.get('MemTotal'));
  expect(reading?.states.get('free')).toBe(rows.get('MemFree'));
  expect(reading?.states.get('cached')).toBe((rows.get('Cached') ?? 0) + (rows.get('SReclaimable') ?? 0));
  expect(reading?.available).toBe(rows.get('MemAvailable'));
});

test('a kernel without MemAvailable or SReclaimable; counts without a unit; a cut row', () => {
  const rows = parseMeminfo(
    'MemTotal:  100 kB\nMemFree: 10 kB\nHugePages_Total:  3\nBuffers:  5 kB\nCached: 9',
  );
  expect(rows.get('HugePages_Total')).toBe(3);
  expect(rows.has('Cached')).toBe(false);
  expect(memoryOf(rows)).toEqual({
    limit: 102_400,
    states: new Map([
      ['free', 10_240],
      ['buffers', 5_120],
      ['cached', 0],
      ['used', 87_040],
    ]),
  });
});

test('half a file says nothing', () => {
  expect(memoryOf(parseMeminfo('MemTotal: 100 kB\n'))).toBeUndefined();
  expect(memoryOf(parseMeminfo('MemTotal: 0 kB\nMemFree: 0 kB\n'))).toBeUndefined();
  expect(memoryOf(parseMeminfo(''))).toBeUndefined();
});

test('the states add up whatever the figures are', () => {
  const kib = fc.nat(2 ** 40);
  fc.assert(
    fc.property(kib, kib, kib, kib, kib, (total, free, buffers, cached, slab) => {
      const reading = memoryOf(
        parseMeminfo(
          `MemTotal: ${total} kB\nMemFree: ${free} kB\nBuffers: ${buffers} kB\nCached: ${cached} kB\nSReclaimable: ${slab} kB\n`,
        ),
      );
      if (reading === undefined) return;
      expect(sum(reading.states)).toBe(reading.limit);
      expect(Math.min(...reading.states.values())).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('no text breaks the reading', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void memoryOf(parseMeminfo(text))));
});

test('macOS: what programs hold, wired and compressed is used, all else free', () => {
  const bytes = Buffer.alloc(152);
  bytes.writeUInt32LE(300, 12);
  bytes.writeUInt32LE(50, 88);
  bytes.writeUInt32LE(200, 128);
  bytes.writeUInt32LE(450, 140);
  expect(parseVmStatistics({ bytes, pageSize: 16_384 }, 2_000 * 16_384)?.states).toEqual(
    new Map([
      ['free', 1_100 * 16_384],
      ['used', 900 * 16_384],
    ]),
  );
  expect(parseVmStatistics({ bytes: bytes.subarray(0, 100), pageSize: 16_384 }, 1)).toBeUndefined();
});
