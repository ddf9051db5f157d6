import { afterEach, describe, expect, test } from 'vitest';
import type { Metric } from '@candela/semconv/metrics';
import { type RecordedPoint, SourceRun, valuesBy } from '../../fixtures/source-run.ts';
import type { PointAttributes } from '../../point-attributes.ts';
import type { SourceContext } from '../../source.ts';
import type { GpuDevice } from '../device.ts';
import { NO_LIBRARIES, TestLibrary } from '../fixtures/library.ts';
import { Profiling } from './index.ts';

const GPU: GpuDevice = {
  id: 'GPU-a',
  name: 'NVIDIA H100',
  vendor: 'nvidia',
  index: 0,
  pciAddress: '0000:81:00.0',
  aliases: [],
};
const FIELDS = '155,203,1001,1002,1004';
const PROFILE = [
  'gpu 0',
  'field 0 54 s GPU-a',
  'field 0 155 d 400',
  'field 0 203 i 90',
  'field 0 1001 d 0.9',
  'field 0 1002 d 0.8',
  'field 0 1004 d 0.5',
];

const opened: { end: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.end();
});

function profiling(profile: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const library = new TestLibrary('dcgm', 'libdcgm.so.4', profile);
  let context: SourceContext | undefined;
  const run = new SourceRun(
    {
      id: 'test',
      summary: '',
      platforms: [],
      metrics: [],
      off: () => undefined,
      create: (given) => {
        context = given;
        return { start: async () => ({ state: 'ready' }), observe: () => undefined, stop: () => undefined };
      },
    },
    undefined,
    {
      OTEL_GPU_DCGM_LIB_PATH: library.path,
      OTEL_GPU_DCGM_INTERVAL: '1',
      OTEL_GPU_DCGM_FIELDS: FIELDS,
      ...env,
    },
  );
  if (context === undefined) throw new Error('no context');
  const made = new Profiling(context);
  opened.push({
    end: async () => {
      await made.stop();
      library.remove();
    },
  });
  const points = (): RecordedPoint[] => {
    const found: RecordedPoint[] = [];
    made.record((metric: Metric, value: number, attributes: PointAttributes = {}) => {
      for (const key of Object.keys(attributes)) expect(metric.attributes).toContain(key);
      found.push({ metric: metric.name, value, attributes });
    });
    return found;
  };
  return { library, made, points, run };
}

const valid = (points: readonly RecordedPoint[]) =>
  valuesBy(points, 'platform.collector.gpu.dcgm.sample_valid', 'hw.id')['GPU-a'];
const errors = (points: readonly RecordedPoint[]) =>
  valuesBy(points, 'platform.collector.gpu.scrape.errors', 'gpu.measurement.source', 'error.type');
const PATIENCE = { timeout: 30_000, interval: 50 };

describe.skipIf(NO_LIBRARIES !== undefined)('DCGM in its thread', { timeout: 90_000 }, () => {
  test('healthy, blank, healthy again: its values, the vendor’s, and its own', async () => {
    const { library, made, points } = profiling(PROFILE);
    // Nothing is loaded before there is a GPU that it could be about.
    expect(points()).toEqual([]);
    made.setDevices([{ ...GPU, vendor: 'amd' }]);
    expect(library.calls()).toEqual([]);

    made.setDevices([GPU]);
    await expect.poll(() => valid(points()), PATIENCE).toBe(1);
    expect(made.report(new Set(['nvidia']))).toEqual(['DCGM: in use']);
    const first = points();
    expect(first.find(({ metric }) => metric === 'hw.gpu.sm.utilization')).toEqual({
      metric: 'hw.gpu.sm.utilization',
      value: 0.8,
      attributes: {
        'hw.id': 'GPU-a',
        'hw.name': 'NVIDIA H100',
        'hw.vendor': 'nvidia',
        'gpu.index': 0,
        'gpu.pci_address': '0000:81:00.0',
        'gpu.measurement.source': 'dcgm',
      },
    });
    expect(valuesBy(first, 'hw.gpu.pipe.utilization', 'hw.gpu.pipe')).toEqual({ tensor: 0.5 });
    expect(made.prefer(GPU, { power: 100, utilization: { general: 0.1 } })).toMatchObject({
      power: 400,
      utilization: { general: 0.9 },
    });

    // What the performance monitor of the driver tells of it too is told once.
    const activity = { source: 'nvml', sm: 0.7, pipes: {} };
    expect(made.prefer(GPU, { power: 100, activity })).not.toHaveProperty('activity');
    expect(made.prefer({ ...GPU, id: 'GPU-other' }, { activity })).toEqual({ activity });

    library.profile([...PROFILE, 'field 0 155 d blank']);
    await expect.poll(() => valid(points()), PATIENCE).toBe(0);
    expect(errors(points())['dcgm/blank_sample']).toBeGreaterThan(0);
    expect(made.prefer(GPU, { power: 100, utilization: { general: 0.1 } })).toMatchObject({
      power: 100,
      utilization: { general: 0.9 },
    });

    library.profile(PROFILE);
    await expect.poll(() => valid(points()), PATIENCE).toBe(1);
    expect(made.prefer(GPU, { power: 100 })).toMatchObject({ power: 400 });
  });

  test('an instance of a GPU that is cut has its own share, and none where several compute in it', async () => {
    const { made, points } = profiling([
      ...PROFILE,
      'instance 4 GPU-a 1',
      ...[1001, 1002, 1004].map((id) => `field 104 ${id} d 0.${id - 1_000}`),
      'instance 5 GPU-a 2',
      ...[1001, 1002, 1004].map((id) => `field 105 ${id} d 0.7`),
    ]);
    const part = (id: string, instanceId: number): GpuDevice => ({
      ...GPU,
      id,
      partition: { parent: 'GPU-a', name: `${instanceId}/0`, mig: { instanceId } },
    });
    made.setDevices([GPU, part('MIG-1', 1), part('MIG-2', 2), part('MIG-3', 2)]);
    await expect.poll(() => valid(points()), PATIENCE).toBe(1);
    const found = points();
    expect(valuesBy(found, 'hw.gpu.sm.utilization', 'hw.id', 'hw.parent')).toEqual({
      'GPU-a/': 0.8,
      'MIG-1/GPU-a': 0.2,
    });
    expect(valuesBy(found, 'platform.collector.gpu.dcgm.sample_valid', 'hw.id')).toEqual({ 'GPU-a': 1 });
    expect(made.prefer(part('MIG-1', 1), {})).toMatchObject({ utilization: { general: 0.1 } });
    expect(made.prefer(part('MIG-2', 2), {})).toEqual({});
  });

  test('without the preference the vendor’s values stay, beside what only the library tells', async () => {
    const { made, points } = profiling(PROFILE, { OTEL_GPU_DCGM_PREFER: 'false' });
    made.setDevices([GPU]);
    await expect.poll(() => valid(points()), PATIENCE).toBe(1);
    expect(points().map(({ metric }) => metric)).toContain('hw.gpu.sm.utilization');
    expect(made.prefer(GPU, { power: 100 })).toEqual({ power: 100 });
  });

  test('a GPU that the library does not get at is counted, and is the vendor’s', async () => {
    const { made, points } = profiling([...PROFILE, 'rcgpu 0 -18']);
    made.setDevices([GPU]);
    await expect.poll(() => errors(points())['dcgm/api_error'], PATIENCE).toBeGreaterThan(0);
    expect(valid(points())).toBe(0);
    expect(made.prefer(GPU, { power: 100 })).toEqual({ power: 100 });
  });

  test('no library, or none that starts, is told once and takes nothing with it', async () => {
    const { made, points, run } = profiling([...PROFILE, 'rc dcgmStartEmbedded -29']);
    made.setDevices([GPU]);
    await expect
      .poll(() => made.report(new Set(['nvidia'])), PATIENCE)
      .toEqual(['DCGM: dcgmStartEmbedded: needs root (-29)']);
    expect(points()).toEqual([]);
    expect(made.prefer(GPU, { power: 100 })).toEqual({ power: 100 });
    expect(run.logged.filter((line) => line.includes('needs root'))).toHaveLength(1);
    expect(made.report(new Set(['amd']))[0]).toContain('RDC');
  });

  test('a call that hangs costs the samples alone, and it goes on when the call is back', async () => {
    const { library, made, points, run } = profiling([...PROFILE, 'sleep dcgmEntityGetLatestValues 6000']);
    made.setDevices([GPU]);
    await expect.poll(() => made.report(new Set(['nvidia']))[0], PATIENCE).toContain('has not answered');
    expect(errors(points())['dcgm/api_error']).toBe(1);
    expect(made.prefer(GPU, { power: 100 })).toEqual({ power: 100 });
    library.profile(PROFILE);
    run.now += 60;
    await expect.poll(() => valid(points()), PATIENCE).toBe(1);
  });

  test('it is paused for another profiler and goes on after', async () => {
    const { library, made, points } = profiling(PROFILE);
    const dcgm = made.host('dcgm');
    expect(await dcgm?.pause(10)).toContain('not in use');
    made.setDevices([GPU]);
    await expect.poll(() => valid(points()), PATIENCE).toBe(1);
    expect(await dcgm?.pause(60)).toBeUndefined();
    // A reading that was asked for already may come after it.
    expect(library.calls().slice(-2)).toContainEqual(expect.stringContaining('dcgmProfPause'));
    expect(await dcgm?.resume()).toBeUndefined();
    expect(library.calls()).toContainEqual(expect.stringContaining('dcgmProfResume'));
    library.profile([...PROFILE, 'rc dcgmProfPause -36']);
    expect(await dcgm?.pause(60)).toContain('no profiling');
  });
});
