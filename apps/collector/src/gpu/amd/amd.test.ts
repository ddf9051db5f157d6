import { afterEach, expect, test } from 'vitest';
import { type AmdTree, apu, mi300x, rx7900 } from '../fixtures/amd-trees.ts';
import { addProcess } from '../fixtures/drm-tree.ts';
import { expectGolden, VendorRun } from '../fixtures/vendor-run.ts';
import { activeClock } from './card.ts';
import { createAmd } from './index.ts';
import { hasPendingPages, parseErrorCount } from './ras.ts';

const AMD = 0x1002;

let run: VendorRun;
afterEach(() => run.tree.remove());

function start(machine: AmdTree): VendorRun {
  run = new VendorRun(createAmd);
  machine(run.tree, 0);
  return run;
}

test.each([
  ['amd-mi300x', mi300x],
  ['amd-rx7900', rx7900],
  ['amd-apu', apu],
])('%s: what two readings export', async (name, machine) => {
  start(machine);
  const devices = await run.devices(AMD);
  const first = await run.export(devices);
  run.now += 2;
  machine(run.tree, 1);
  const second = await run.export(devices);
  expectGolden(name, ['at first', ...first, '', 'two seconds later', ...second]);
});

test('partitions are children of their GPU, under the names that containers hold them by', async () => {
  start(mi300x);
  const devices = await run.devices(AMD);
  expect(devices.map(({ id, partition, aliases }) => [id, partition?.name, aliases])).toEqual([
    ['GPU-5a8b3c1d2e4f6071', undefined, ['0000:05:00.0', 'card0', 'renderD128']],
    ['GPU-6b9c4d2e3f507182', undefined, ['0000:26:00.0', 'card1', 'renderD129']],
    ['GPU-6b9c4d2e3f507182-p0', '0', ['renderD129']],
    ['GPU-6b9c4d2e3f507182-p1', '1', ['renderD130', 'amdgpu_xcp_0']],
  ]);
  // Drivers that put the number of the partition in the place of the function mean the same.
  const properties = 'sys/class/kfd/kfd/topology/nodes/3/properties';
  run.tree.write({
    [properties]: 'simd_count 8\nsimd_per_cu 4\nlocation_id 9729\ndomain 0\ndrm_render_minor 130\n',
  });
  expect((await run.devices(AMD)).map(({ id }) => id)).toEqual(devices.map(({ id }) => id));
  // Made one again: the source must look anew.
  run.tree.remove('sys/class/kfd/kfd/topology/nodes/3');
  run.now += 2;
  expect((await run.read('GPU-6b9c4d2e3f507182')).changed).toBe(true);
  expect((await run.read('GPU-5a8b3c1d2e4f6071')).changed).toBeUndefined();
});

test('a file of the driver that fails for once costs its value, and no sum falls', async () => {
  start(mi300x);
  const [gpu] = await run.devices(AMD);
  const id = gpu?.id ?? '';
  const before = await run.read(id);
  for (const file of ['gpu_metrics', 'ras/umc_err_count', 'gpu_busy_percent', 'hwmon/hwmon4/temp2_input']) {
    run.tree.remove(`sys/bus/pci/devices/0000:05:00.0/${file}`);
  }
  run.now += 2;
  const after = await run.read(id);
  expect(after.utilization?.general).toBeUndefined();
  expect(after.temperatures?.die).toBeUndefined();
  expect(after.temperatures?.memory).toBe(48);
  expect(after.energy).toBeUndefined();
  expect(after.errors?.ras_corrected).toEqual(before.errors?.ras_corrected);
  expect(after.interconnect).toEqual(before.interconnect);
});

test('a card that sleeps is not woken; one that fell off the bus is lost', async () => {
  start(rx7900);
  const [gpu] = await run.devices(AMD);
  const id = gpu?.id ?? '';
  const path = 'sys/bus/pci/devices/0000:03:00.0';
  run.tree.write({ [`${path}/power/runtime_status`]: 'suspended\n' });
  expect(await run.read(id)).toEqual({});
  run.tree.write({
    [`${path}/power/runtime_status`]: 'active\n',
    [`${path}/config`]: Buffer.alloc(64, 0xff),
  });
  await expect(run.read(id)).rejects.toMatchObject({ failure: 'lost' });
  run.tree.remove(path);
  await expect(run.read(id)).rejects.toMatchObject({ failure: 'lost' });
});

test('cards of another driver are told of, not read', async () => {
  start(rx7900);
  run.tree.remove('sys/bus/pci/devices/0000:03:00.0/driver');
  run.tree.link('sys/bus/pci/devices/0000:03:00.0/driver', '../drivers/vfio-pci');
  expect(await run.probe(AMD)).toMatchObject({
    state: 'unavailable',
    reason: expect.stringContaining('vfio-pci'),
  });
});

test('a table of an unknown version is told of once; the other files are read', async () => {
  start(rx7900);
  run.tree.write({
    'sys/bus/pci/devices/0000:03:00.0/gpu_metrics': Buffer.from([64, 0, 9, 9, ...Array(60).keys()]),
  });
  const [gpu] = await run.devices(AMD);
  for (let times = 0; times < 3; times += 1) {
    run.now += 2;
    const reading = await run.read(gpu?.id ?? '');
    expect(reading.utilization?.general).toBe(0.42);
    expect(reading.clocks).toEqual({ graphics: 2_310_000_000, memory: 456_000_000 });
  }
  expect(run.told).toEqual([expect.stringContaining('gpu_metrics')]);
});

test('a process that ends takes its share with it; its number may come again', async () => {
  start(rx7900);
  const [gpu] = await run.devices(AMD);
  const pids = async () => (await run.read(gpu?.id ?? '')).processes?.map(({ pid }) => pid);
  expect(await pids()).toEqual([900, 1_200]);
  run.tree.remove('proc/900');
  run.tree.remove('proc/901');
  run.now += 2;
  expect(await pids()).toEqual([1_200]);
  addProcess(run.tree, 900, 'null', {});
  run.now += 2;
  expect(await pids()).toEqual([1_200]);
});

test('texts of the driver', () => {
  expect(activeClock('0: 500Mhz\n1: 2100Mhz *\n')).toBe(2_100_000_000);
  expect(activeClock('S: 19Mhz *\n0: 500Mhz\n')).toBe(19_000_000);
  expect(activeClock('0: 500Mhz\n')).toBeUndefined();
  expect(parseErrorCount('ue: 1\nce: 20\nde: 3\n')).toEqual({ ue: 1n, ce: 20n });
  expect(parseErrorCount('query failed\n')).toEqual({});
  expect(hasPendingPages('0x00000001 : 0x00001000 : R\n')).toBe(false);
  expect(hasPendingPages('0x00000001 : 0x00001000 : R\n0x00000002 : 0x00001000 : P\n')).toBe(true);
});
