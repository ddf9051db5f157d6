import { expect, test } from 'vitest';
import { Random } from '../random.ts';
import { Hosts } from './hosts.ts';
import type { Reading } from './readings.ts';

const START_MS = Date.parse('2026-11-20T06:00:00Z');
const PRESENT_MS = START_MS + 3_600_000;

function hour(seed = 'a'): { atMs: number; readings: Reading[] }[] {
  const hosts = new Hosts(new Random(seed), { startMs: START_MS, presentMs: PRESENT_MS });
  return Array.from({ length: 120 }, (_, index) => {
    const atMs = START_MS + (index + 1) * 30_000;
    return { atMs, readings: hosts.read(atMs) };
  });
}
const hostOf = (reading: Reading) => String(reading.service.attributes['host.name']);
const key = (reading: Reading) =>
  `${hostOf(reading)} ${reading.service.name} ${reading.name} ${JSON.stringify(reading.attributes)}`;

test('agents report once a minute, every series once, as counters, levels and gauges of the conventions', () => {
  const reports = hour().map(({ readings }) => readings.filter(({ service }) => service.name === ''));
  expect(reports.filter((readings) => readings.length > 0)).toHaveLength(60);
  for (const readings of reports) expect(new Set(readings.map(key)).size).toBe(readings.length);
  const kinds = new Map(reports.flat().map(({ name, kind, unit }) => [name, `${kind} ${unit}`]));
  expect(Object.fromEntries(kinds)).toMatchObject({
    'hw.gpu.utilization': 'gauge 1',
    'hw.gpu.memory.usage': 'updown By',
    'hw.gpu.memory.limit': 'updown By',
    'hw.power': 'gauge W',
    'hw.energy': 'counter J',
    'hw.temperature': 'gauge Cel',
    'hw.gpu.speed': 'gauge Hz',
    'hw.gpu.io': 'counter By',
    'hw.gpu.interconnect.io': 'counter By',
    'hw.status': 'updown 1',
    'hw.errors': 'counter {error}',
    'system.cpu.utilization': 'gauge 1',
    'system.memory.usage': 'updown By',
    'system.network.io': 'counter By',
    'process.gpu.memory.usage': 'updown By',
  });
});

test('one machine falls silent, one agent starts again and counts from zero, the rest only grow', () => {
  const reports = hour();
  const last = new Map<string, Reading>();
  const fell = new Set<string>();
  for (const { readings } of reports) {
    for (const reading of readings) {
      const before = last.get(key(reading));
      if (reading.kind === 'counter' && before && reading.value < before.value) fell.add(hostOf(reading));
      last.set(key(reading), reading);
    }
  }
  expect([...fell]).toEqual(['gpu-h100-01']);
  const silent = reports.filter(({ readings }) =>
    readings.some((reading) => hostOf(reading) === 'gpu-max-04'),
  );
  expect(PRESENT_MS - (silent.at(-1)?.atMs ?? 0)).toBeGreaterThanOrEqual(12 * 60_000);
});

test('partitions name their parent, and hardware keeps its id whatever the seed', () => {
  const ids = (seed: string) => {
    const all = hour(seed).flatMap(({ readings }) => readings);
    const parents = new Set(
      all.map(({ attributes }) => attributes['gpu.parent.uuid']).filter((id) => id !== undefined),
    );
    const gpus = new Set(all.map(({ attributes }) => attributes['hw.id']).filter((id) => id !== undefined));
    for (const parent of parents) expect(gpus).toContain(parent);
    expect(parents.size).toBe(1);
    return [...gpus];
  };
  expect(ids('a')).toEqual(ids('b'));
  // Two machines have a GPU at the same PCI address, as in real life.
  expect(ids('a')).toHaveLength(17);
});
